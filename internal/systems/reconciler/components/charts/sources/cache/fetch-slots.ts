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
  /** Whether answers are in memory: references of a Git repository. What is fetched is written to a file as it comes. */
  readonly isInMemory: boolean;
}

/** Fetches in memory at the same time; one of each tenant. */
const MAX_IN_MEMORY = 3;

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

const inMemoryKeys = (tenant: string) => [
  { name: 'fetches in memory', slots: MAX_IN_MEMORY },
  { name: `fetches in memory of tenant ${tenant}`, slots: 1 },
];

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
  const acquire = ({ hostname, tenant, isInMemory }: FetchOwner, signal: AbortSignal) =>
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
          ...(isInMemory ? inMemoryKeys(tenant) : []),
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
