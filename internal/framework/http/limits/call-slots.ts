import type { ConcurrencyLimiter, LimitedRequest } from '../../base/concurrency/concurrency-limiter.ts';
import { type LimitKey, scopedName } from '../../base/concurrency/limit-key.ts';
import type { Deps } from '../../base/deps.ts';

/** Limits the calls in flight, in total and for each host. */
export interface CallSlots {
  /** Resolves with the function that releases the slot, for which one call counts; rejects with the signal's reason. */
  acquire(host: string, signal: AbortSignal): Promise<() => void>;
}

export interface CallSlotsOptions extends Pick<Deps, 'clock'> {
  readonly limiter: ConcurrencyLimiter;
  /** Calls in flight to all hosts. */
  readonly maxCalls: number;
  readonly callsPerHost: number;
  /** The external API: calls of another one to the same host have slots of their own. */
  readonly apiName: string;
}

/**
 * How long a call counts towards `maxCalls`, in ms. After that it counts towards `callsPerHost` only, so that a slow host
 * does not block the calls to other hosts.
 */
const SHARED_MS = 250;

interface CallRequest extends LimitedRequest {
  readonly admit: () => void;
}

/**
 * The only wait for a slot within a reconcile. It cannot starve:
 *
 * - a call has a shared slot for `SHARED_MS` at most
 * - the next slot goes to the host with the fewest calls in flight, including those that no longer count towards
 *   `maxCalls`, so a slow host is last
 * - the reconciles of one host are limited before they start (`limitKeysOf`), so calls seldom wait for a slot of a host
 */
export function createCallSlots(options: CallSlotsOptions): CallSlots {
  const { clock, limiter, maxCalls, callsPerHost, apiName } = options;
  let shared = 0;
  let turn = 0;
  const calls = limiter.group<CallRequest>({
    capacity: () => maxCalls - shared,
    start: ({ admit }) => {
      shared++;
      admit();
    },
  });
  const slotOf = (request: CallRequest): (() => void) => {
    let counts = true;
    const stopCounting = () => {
      if (counts) shared--;
      counts = false;
    };
    const cancel = clock.after(SHARED_MS, () => {
      stopCounting();
      calls.dispatch();
    });
    return () => {
      cancel();
      stopCounting();
      calls.end(request);
    };
  };
  return {
    acquire: (host, signal) => {
      const limitKeys: LimitKey[] = [{ name: scopedName(apiName, `calls to ${host}`), slots: callsPerHost }];
      return new Promise((resolve, reject) => {
        const abandon = () => {
          calls.remove(request);
          reject(signal.reason);
        };
        const request: CallRequest = {
          priority: 0,
          turn: turn++,
          paced: false,
          limitKeys,
          heapIndex: -1,
          admit: () => {
            signal.removeEventListener('abort', abandon);
            resolve(slotOf(request));
          },
        };
        if (signal.aborted) return reject(signal.reason);
        signal.addEventListener('abort', abandon);
        calls.add(request);
      });
    },
  };
}
