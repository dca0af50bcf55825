import { takeWhenAvailable } from '../../../framework/base/concurrency/token-bucket.ts';
import { createTokenBucket, type Deps, findCause, withDeadline } from '../../../framework/base/index.ts';
import { startStopwatch } from '../../../framework/base/time/clock.ts';
import {
  type ConcurrencySlot,
  createAdaptiveConcurrency,
} from '../../../framework/http/limits/adaptive-concurrency.ts';
import {
  type Attempt,
  type CircuitBreaker,
  createCircuitBreaker,
  SLOW_SHARE,
} from '../../../framework/http/limits/circuit-breaker.ts';
import { KubeApiError, type KubeClient } from '../../../framework/kube/index.ts';

export interface GardenerLimits {
  /** Of one request, without the wait for its turn, in ms. */
  readonly timeoutMs: number;
  /** Requests per second; 0: no rate. */
  readonly ratePerSecond: number;
  /** Requests at once; 0: as many as a second has. */
  readonly burst: number;
}

/** Requests in flight to a Gardener that is quick, as to any trusted cluster. */
const MAX_IN_FLIGHT = 32;

/**
 * The client with limits for each request. Watches and discovery have none. As many requests are in flight as Gardener responds to in
 * time; others wait, which is not part of their time. After several requests in a row without a response in
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
  const concurrency = createAdaptiveConcurrency({ max: MAX_IN_FLIGHT });
  const breaker = createCircuitBreaker({ clock, random, name: 'Gardener', maxOpenMs: 15_000 });
  const limited = async <T>(
    options: { readonly signal?: AbortSignal } | undefined,
    send: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    if (rate !== undefined) await takeWhenAvailable(rate, { clock, signal: options?.signal });
    const slot = await concurrency.acquire(options?.signal);
    const attempt = enter(breaker, slot);
    const elapsedMs = startStopwatch(clock);
    using deadline = withDeadline(clock, timeoutMs, 'a request to Gardener', options?.signal);
    try {
      const result = await send(deadline.signal);
      attempt.succeeded();
      slot.responded(elapsedMs() / timeoutMs);
      return result;
    } catch (error) {
      const isAbandoned = options?.signal?.aborted === true;
      report(error, { attempt, slot, isAbandoned, share: elapsedMs() / timeoutMs });
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

function enter(breaker: CircuitBreaker, slot: ConcurrencySlot): Attempt {
  try {
    return breaker.enter();
  } catch (error) {
    slot.ended();
    throw error;
  }
}

interface FailedRequest {
  readonly attempt: Attempt;
  readonly slot: ConcurrencySlot;
  /** The reconcile has ended. */
  readonly isAbandoned: boolean;
  /** The time of the request, as a share of its timeout. */
  readonly share: number;
}

/**
 * A response, such as a 404, shows that Gardener works. A quick error occupies no worker, and does not count. A Gardener that
 * responds to others meanwhile does not hang: it gets fewer requests at a time.
 */
function report(error: unknown, { attempt, slot, isAbandoned, share }: FailedRequest): void {
  const status = findCause(error, KubeApiError)?.status;
  if (status !== undefined && status < 500) {
    attempt.succeeded();
    slot.responded(share);
  } else if (isAbandoned || share < SLOW_SHARE) {
    attempt.inconclusive();
    slot.ended();
  } else if (slot.timedOut().isServerResponding) attempt.inconclusive();
  else attempt.failedSlowly();
}
