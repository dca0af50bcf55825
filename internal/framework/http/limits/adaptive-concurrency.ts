/**
 * The requests in flight to a server, as many as it bears: their number grows with responses and shrinks when responses are slow or
 * do not come in time (additive increase, multiplicative decrease; RFC 5681, section 3.1). A server that works on one request after
 * the other then gets few at a time, each with a response in time, instead of many that all time out.
 */
export interface AdaptiveConcurrency {
  /** Waits for a slot, in the order of the calls. Rejects with the reason of the signal. */
  acquire(signal?: AbortSignal): Promise<ConcurrencySlot>;
  /** Requests that may be in flight now. */
  limit(): number;
}

/** Of one request in flight. Exactly one of the functions is called, once. */
export interface ConcurrencySlot {
  /** @param share the time until the response, as a share of the timeout of the request */
  responded(share: number): void;
  /**
   * No response in time.
   *
   * @returns whether the server has responded to another request meanwhile: it is slow, and does not hang
   */
  timedOut(): { readonly isServerResponding: boolean };
  /** An end that shows nothing about the server: the caller has given up, or the connection failed. */
  ended(): void;
}

export interface AdaptiveConcurrencyOptions {
  /** The limit at first and the upper bound. */
  readonly max: number;
}

/** A response that takes a smaller share of the timeout is quick: more requests may be in flight. */
const QUICK_SHARE = 0.25;
/** A response that takes a larger share of the timeout is slow: fewer requests may be in flight. */
const SLOW_SHARE = 0.5;
const AFTER_SLOW_RESPONSE = 0.9;
const AFTER_TIMEOUT = 0.5;

interface Waiting {
  readonly admit: () => void;
}

export function createAdaptiveConcurrency({ max }: AdaptiveConcurrencyOptions): AdaptiveConcurrency {
  /** A fraction accumulates until it is a slot. */
  let limit = max;
  let inFlight = 0;
  let responses = 0;
  /** Counts reductions: requests from before the last one show the load of before. */
  let epoch = 0;
  const waiting = new Set<Waiting>();

  const dispatch = () => {
    for (const next of waiting) {
      if (inFlight >= Math.floor(limit)) return;
      waiting.delete(next);
      next.admit();
    }
  };
  const shrink = (factor: number) => {
    limit = Math.max(1, limit * factor);
    epoch++;
  };
  const take = (): ConcurrencySlot => {
    inFlight++;
    const [ownEpoch, responsesBefore] = [epoch, responses];
    const end = () => {
      inFlight--;
      dispatch();
    };
    return {
      responded: (share) => {
        responses++;
        if (share > SLOW_SHARE && ownEpoch === epoch) shrink(AFTER_SLOW_RESPONSE);
        // With few in flight the response says nothing about a higher limit.
        else if (share < QUICK_SHARE && inFlight * 2 > limit) limit = Math.min(max, limit + 1 / limit);
        end();
      },
      timedOut: () => {
        if (ownEpoch === epoch) shrink(AFTER_TIMEOUT);
        end();
        return { isServerResponding: responses !== responsesBefore };
      },
      ended: end,
    };
  };

  return {
    limit: () => Math.floor(limit),
    acquire: async (signal) => {
      signal?.throwIfAborted();
      // Where there is a slot, none waits: `dispatch` gives it to those that do.
      if (inFlight < Math.floor(limit)) return take();
      return new Promise((resolve, reject) => {
        const request: Waiting = {
          admit: () => {
            signal?.removeEventListener('abort', abandon);
            resolve(take());
          },
        };
        const abandon = () => {
          waiting.delete(request);
          reject(signal?.reason);
        };
        signal?.addEventListener('abort', abandon);
        waiting.add(request);
      });
    },
  };
}
