import { ThrottledError } from '../../base/errors/errors.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createRateLimit } from './rate-limit.ts';

/** The clock does not begin at zero. */
const START_MS = 5000;
export const signal = new AbortController().signal;

/** A limit that no request has reached yet. `enter` makes a request and sends it. */
export async function setUp() {
  const clock = createFakeClock();
  await clock.advance(START_MS);
  const limit = createRateLimit({ clock, name: 'this client' });
  const enter = async () => {
    const call = await limit.enter(signal);
    call.beforeSend();
    return call;
  };
  /** The delay of the next request if it is refused, or that it waits; else it is sent and answered. */
  const refusal = async (): Promise<number | 'waits' | undefined> => {
    const giveUp = new AbortController();
    const attempt = limit.enter(giveUp.signal).then(
      (call) => {
        call.beforeSend();
        call.answered();
        return undefined;
      },
      (thrown: unknown) => (thrown instanceof ThrottledError ? thrown.retryAfterMs : undefined),
    );
    const result = await Promise.race([attempt, clock.advance(0).then(() => 'waits' as const)]);
    giveUp.abort();
    return result;
  };
  const answer = async (count: number) => {
    for (let i = 0; i < count; i++) (await enter()).answered();
  };
  /** When the requests are sent, in ms from now, if all are made now; or their delay as negative number if they are refused. */
  const sendTimes = async (count: number) => {
    const start = clock.monotonic();
    const times: number[] = [];
    const sent = Array.from({ length: count }, async (_, at) => {
      try {
        const call = await enter();
        times[at] = clock.monotonic() - start;
        call.answered();
      } catch (error) {
        times[at] = error instanceof ThrottledError ? -(error.retryAfterMs ?? 0) : Number.NaN;
      }
    });
    await clock.advance(1000);
    await Promise.all(sent);
    return times.map((time) => Math.round(time));
  };
  return { clock, limit, enter, refusal, answer, sendTimes };
}
