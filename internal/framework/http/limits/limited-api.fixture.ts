/** APIs with a true rate limit, on a simulated clock, and clients that always have more to send. */
import type { FakeClock } from '../../base/time/fake-clock.ts';
import type { RateLimit } from './rate-limit.ts';

/** The answer to a request that arrives now: undefined, or the Retry-After of a 429 in ms. */
export type LimitedApi = () => number | undefined;

export interface ApiLimit {
  readonly requests: number;
  readonly windowMs: number;
}

/** Whole seconds, at least one, as the header has them. */
const seconds = (ms: number) => Math.max(1, Math.ceil(ms / 1000)) * 1000;

/** Counts from the first request of a window on. */
export function fixedWindow(clock: FakeClock, { requests, windowMs }: ApiLimit): LimitedApi {
  let end = 0;
  let count = 0;
  return () => {
    const now = clock.monotonic();
    if (now >= end) [end, count] = [now + windowMs, 0];
    return ++count > requests ? seconds(end - now) : undefined;
  };
}

/** Counts the requests that it took in the last time. */
export function slidingWindow(clock: FakeClock, { requests, windowMs }: ApiLimit): LimitedApi {
  let taken: number[] = [];
  return () => {
    const now = clock.monotonic();
    taken = taken.filter((at) => at > now - windowMs);
    const [oldest = now] = taken;
    if (taken.length >= requests) return seconds(oldest + windowMs - now);
    taken.push(now);
    return undefined;
  };
}

/** Takes a burst of a tenth of the window, then as many as the rate allows. */
export function tokenBucket(clock: FakeClock, { requests, windowMs }: ApiLimit): LimitedApi {
  const size = requests / 10;
  let tokens = size;
  let at = clock.monotonic();
  return () => {
    const now = clock.monotonic();
    tokens = Math.min(size, tokens + ((now - at) * requests) / windowMs);
    at = now;
    if (tokens < 1) return seconds(((1 - tokens) * windowMs) / requests);
    tokens--;
    return undefined;
  };
}

export interface Outcome {
  readonly answered: number;
  readonly refused: number;
  /** Refusals of requests that were sent after another refusal was known, without an answer in between. */
  readonly inRow: number;
  readonly ms: number;
}

export interface Demand {
  /** Ends after so many answers, or after the time. */
  readonly answers?: number;
  readonly forMs: number;
  readonly workers?: number;
  readonly latencyMs?: number;
}

/** Sends requests one after another in each worker. A worker that is told to wait does. */
export async function demand(
  clock: FakeClock,
  limit: RateLimit,
  api: LimitedApi,
  { answers = Number.POSITIVE_INFINITY, forMs, workers = 24, latencyMs = 20 }: Demand,
): Promise<Outcome> {
  const start = clock.monotonic();
  const end = start + forMs;
  const signal = new AbortController().signal;
  const result = { answered: 0, refused: 0, inRow: 0 };
  let lastAnswer = start;
  let refusedAt = Number.NEGATIVE_INFINITY;
  let endedAt = end;
  const isDone = () => result.answered >= answers || clock.monotonic() >= end;
  const wait = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));
  const send = async () => {
    const call = await limit.enter(signal);
    call.beforeSend();
    const sentAt = clock.monotonic();
    await wait(latencyMs / 2);
    const retryAfterMs = api();
    await wait(latencyMs / 2);
    const now = clock.monotonic();
    if (retryAfterMs === undefined) {
      result.answered++;
      lastAnswer = now;
      if (result.answered >= answers) endedAt = Math.min(endedAt, now);
      call.answered();
      return;
    }
    result.refused++;
    if (sentAt > refusedAt && lastAnswer < refusedAt) result.inRow++;
    if (sentAt > refusedAt) refusedAt = now;
    call.refused(retryAfterMs);
    await wait(retryAfterMs);
  };
  const worker = async () => {
    while (!isDone()) {
      await send().catch((error: { readonly retryAfterMs?: number }) => wait(error.retryAfterMs ?? 1000));
    }
  };
  const all = Array.from({ length: workers }, worker);
  while (!isDone()) await clock.advance(1000);
  // Those that wait.
  await clock.advance(forMs + 120_000);
  await Promise.all(all);
  return { ...result, ms: endedAt - start };
}
