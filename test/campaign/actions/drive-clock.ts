import type { FakeClock } from '../../../internal/framework/base/time/fake-clock.ts';

const STEP_MS = 100;
/** Nothing that is waited for takes as long. */
const MAX_MS = 30 * 60_000;

/** Lets time pass until the promise is settled. @param advance as the clock, and what else must happen meanwhile */
export async function driveClock<T>({ advance }: Pick<FakeClock, 'advance'>, work: Promise<T>): Promise<T> {
  let ended = false;
  const settled = work.finally(() => {
    ended = true;
  });
  settled.catch(() => undefined);
  for (let ms = 0; !ended; ms += STEP_MS) {
    if (ms > MAX_MS) throw new Error('what is waited for does not end');
    await advance(ms === 0 ? 0 : STEP_MS);
  }
  return settled;
}
