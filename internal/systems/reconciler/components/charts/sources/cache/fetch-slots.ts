import {
  createConcurrencyLimiter,
  type Deps,
  type LimitedRequest,
} from '../../../../../../framework/base/index.ts';

/** Who asks for a fetch, and from where. */
export interface FetchOwner {
  readonly tenant: string;
  /** Without a port: one server may have many. */
  readonly hostname: string;
}

/** Limits the fetches in progress. */
export interface FetchSlots {
  /** Calls the function while it has a slot; rejects with the signal's reason while it waits for one. */
  run<T>(owner: FetchOwner, signal: AbortSignal, fetch: () => Promise<T>): Promise<T>;
}

export interface FetchSlotsOptions extends Pick<Deps, 'clock'> {
  readonly maxFetches: number;
  /** Fewer than `maxFetches`, so that a slow host does not hold up the others. */
  readonly fetchesPerHost: number;
  /** Fewer than `maxFetches`, so that a tenant with many slow hosts does not hold up the others. */
  readonly fetchesPerTenant: number;
}

interface FetchRequest extends LimitedRequest {
  readonly admit: () => void;
}

export function createFetchSlots(options: FetchSlotsOptions): FetchSlots {
  const { clock, maxFetches, fetchesPerHost, fetchesPerTenant } = options;
  let running = 0;
  let turn = 0;
  const fetches = createConcurrencyLimiter({ clock }).group<FetchRequest>({
    capacity: () => maxFetches - running,
    start: ({ admit }) => {
      running++;
      admit();
    },
  });
  const acquire = ({ hostname, tenant }: FetchOwner, signal: AbortSignal) =>
    new Promise<() => void>((resolve, reject) => {
      const abandon = () => {
        fetches.remove(request);
        reject(signal.reason);
      };
      const request: FetchRequest = {
        priority: 0,
        turn: turn++,
        paced: false,
        limitKeys: [
          { name: `fetches from ${hostname}`, slots: fetchesPerHost },
          { name: `fetches of tenant ${tenant}`, slots: fetchesPerTenant },
        ],
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
    });
  return {
    run: async (owner, signal, fetch) => {
      const release = await acquire(owner, signal);
      try {
        return await fetch();
      } finally {
        release();
      }
    },
  };
}
