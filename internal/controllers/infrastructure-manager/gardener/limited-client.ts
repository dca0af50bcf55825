import { createTokenBucket, takeWhenAvailable } from '../../../base/concurrency/token-bucket.ts';
import type { Deps } from '../../../base/deps.ts';
import { findCause } from '../../../base/errors/errors.ts';
import { withDeadline } from '../../../base/time/deadline.ts';
import { startStopwatch } from '../../../base/time/stopwatch.ts';
import { type Attempt, createCircuitBreaker, SLOW_SHARE } from '../../../http/limits/circuit-breaker.ts';
import { KubeApiError, type KubeClient } from '../../../kube/index.ts';

export interface GardenerLimits {
  /** Of one request, without the wait for its turn, in ms. */
  readonly timeoutMs: number;
  /** Requests per second; 0: no rate. */
  readonly ratePerSecond: number;
  /** Requests at once; 0: as many as a second has. */
  readonly burst: number;
}

/**
 * The client with limits for each request. Watches and discovery have none. After several requests in a row without a response in
 * time, requests fail at once with a ThrottledError, except one probe at a time: so that a Gardener that hangs does not occupy all
 * workers.
 */
export function limitRequests(
  client: KubeClient,
  { timeoutMs, ratePerSecond, burst }: GardenerLimits,
  { clock, random }: Pick<Deps, 'clock' | 'random'>,
): KubeClient {
  const rate =
    ratePerSecond === 0
      ? undefined
      : createTokenBucket({ clock, ratePerSecond, burst: burst || ratePerSecond });
  const breaker = createCircuitBreaker({ clock, random, name: 'Gardener', maxOpenMs: 15_000 });
  const limited = async <T>(
    options: { readonly signal?: AbortSignal } | undefined,
    send: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    if (rate !== undefined) await takeWhenAvailable(rate, { clock, signal: options?.signal });
    const attempt = breaker.enter();
    const elapsedMs = startStopwatch(clock);
    using deadline = withDeadline(clock, timeoutMs, 'a request to Gardener', options?.signal);
    try {
      const result = await send(deadline.signal);
      attempt.succeeded();
      return result;
    } catch (error) {
      const isAbandoned = options?.signal?.aborted === true;
      report(attempt, error, !isAbandoned && elapsedMs() >= SLOW_SHARE * timeoutMs);
      throw error;
    }
  };
  return {
    ...client,
    get: (type, key, call) => limited(call, (signal) => client.get(type, key, { ...call, signal })),
    getMetadata: (type, key, call) =>
      limited(call, (signal) => client.getMetadata(type, key, { ...call, signal })),
    list: (type, page) => limited(page, (signal) => client.list(type, { ...page, signal })),
    listMetadata: (type, page) => limited(page, (signal) => client.listMetadata(type, { ...page, signal })),
    create: (type, object, write) =>
      limited(write, (signal) => client.create(type, object, { ...write, signal })),
    createSubresource: (type, key, subresource, body, call) =>
      limited(call, (signal) => client.createSubresource(type, key, subresource, body, { ...call, signal })),
    update: (type, object, write) =>
      limited(write, (signal) => client.update(type, object, { ...write, signal })),
    updateStatus: (type, object, write) =>
      limited(write, (signal) => client.updateStatus(type, object, { ...write, signal })),
    mergePatch: (type, key, patch, write) =>
      limited(write, (signal) => client.mergePatch(type, key, patch, { ...write, signal })),
    jsonPatch: (type, key, patch, write) =>
      limited(write, (signal) => client.jsonPatch(type, key, patch, { ...write, signal })),
    apply: (type, object, write) =>
      limited(write, (signal) => client.apply(type, object, { ...write, signal })),
    delete: (type, key, call) => limited(call, (signal) => client.delete(type, key, { ...call, signal })),
  };
}

/** A response, such as a 404, shows that Gardener works. A quick error occupies no worker, and does not count. */
function report(attempt: Attempt, error: unknown, isSlow: boolean): void {
  const status = findCause(error, KubeApiError)?.status;
  if (status !== undefined && status < 500) attempt.succeeded();
  else if (isSlow) attempt.failedSlowly();
  else attempt.inconclusive();
}
