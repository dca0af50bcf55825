import type { ConcurrencyLimiter, LimitedRequest } from '../../base/concurrency/concurrency-limiter.ts';
import type { LimitKey } from '../../base/concurrency/limit-key.ts';
import type { Deps } from '../../base/deps.ts';

/** Slots of calls in flight, of all hosts together. */
export interface CallSlots {
  /** Resolves with the function that returns the slot; rejects with the signal's reason if that comes first. */
  acquire(host: string, signal: AbortSignal): Promise<() => void>;
}

export interface CallSlotsOptions extends Pick<Deps, 'clock'> {
  readonly limiter: ConcurrencyLimiter;
  /** Calls in flight, of all hosts together. */
  readonly maxCalls: number;
  readonly callsPerHost: number;
}

/**
 * How long a call counts among those of all hosts, in ms. From then on it counts only among those of its host, which has
 * few. So a host that answers slowly, or never, keeps a slot from the others for this time only, whatever `maxCalls` is.
 */
const SHARED_MS = 250;

interface CallRequest extends LimitedRequest {
  readonly admit: () => void;
}

/**
 * The only wait for a slot within a reconcile. It cannot starve:
 *
 * - a call keeps a shared slot for `SHARED_MS` at most
 * - the next slot goes to the host with the fewest calls in flight, those that count no longer included, so a host that is
 *   slow comes after all others
 * - the reconciles of one host are limited before they start (`limitKeysOf`), so that the slots of a host are
 *   hardly ever waited for here
 */
export function createCallSlots({ clock, limiter, maxCalls, callsPerHost }: CallSlotsOptions): CallSlots {
  let shared = 0;
  let turn = 0;
  const calls = limiter.group<CallRequest>({
    capacity: () => maxCalls - shared,
    start: ({ admit }) => {
      shared++;
      admit();
    },
  });
  const hold = (request: CallRequest): (() => void) => {
    let counts = true;
    let held = true;
    const stopCounting = () => {
      if (counts) shared--;
      counts = false;
    };
    const cancel = clock.after(SHARED_MS, () => {
      stopCounting();
      calls.dispatch();
    });
    return () => {
      if (!held) return;
      held = false;
      cancel();
      stopCounting();
      calls.end(request);
    };
  };
  return {
    acquire: (host, signal) => {
      const limitKeys: LimitKey[] = [{ name: `calls to ${host}`, slots: callsPerHost }];
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
            resolve(hold(request));
          },
        };
        if (signal.aborted) return reject(signal.reason);
        signal.addEventListener('abort', abandon, { once: true });
        calls.add(request);
      });
    },
  };
}
