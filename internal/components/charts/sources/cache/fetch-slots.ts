import {
  createConcurrencyLimiter,
  type LimitedRequest,
} from '../../../../base/concurrency/concurrency-limiter.ts';
import type { Deps } from '../../../../base/deps.ts';

/** Limits the fetches in progress, since the pack of a repository is in memory meanwhile. */
export interface FetchSlots {
  /** Resolves with the function that releases the slot; rejects with the signal's reason. */
  acquire(host: string, signal: AbortSignal): Promise<() => void>;
}

export interface FetchSlotsOptions extends Pick<Deps, 'clock'> {
  readonly maxFetches: number;
  /** Fewer than `maxFetches`, so that a slow host does not hold up the others. */
  readonly fetchesPerHost: number;
}

interface FetchRequest extends LimitedRequest {
  readonly admit: () => void;
}

export function createFetchSlots({ clock, maxFetches, fetchesPerHost }: FetchSlotsOptions): FetchSlots {
  let running = 0;
  let turn = 0;
  const fetches = createConcurrencyLimiter({ clock }).group<FetchRequest>({
    capacity: () => maxFetches - running,
    start: ({ admit }) => {
      running++;
      admit();
    },
  });
  return {
    acquire: (host, signal) =>
      new Promise((resolve, reject) => {
        const abandon = () => {
          fetches.remove(request);
          reject(signal.reason);
        };
        const request: FetchRequest = {
          priority: 0,
          turn: turn++,
          paced: false,
          limitKeys: [{ name: `fetches from ${host}`, slots: fetchesPerHost }],
          heapIndex: -1,
          admit: () => {
            signal.removeEventListener('abort', abandon);
            resolve(() => {
              running--;
              fetches.end(request);
              fetches.dispatch();
            });
          },
        };
        if (signal.aborted) {
          reject(signal.reason);
          return;
        }
        signal.addEventListener('abort', abandon, { once: true });
        fetches.add(request);
      }),
  };
}
