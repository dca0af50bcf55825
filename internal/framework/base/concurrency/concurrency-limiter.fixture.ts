import { createFakeClock, type FakeClock } from '../time/fake-clock.ts';
import { createConcurrencyLimiter, type LimitedRequest, type RequestGroup } from './concurrency-limiter.ts';
import type { TokenBucket } from './token-bucket.ts';

export interface Item extends LimitedRequest {
  readonly key: string;
}

export interface ItemOptions {
  /** Names of limit keys. */
  readonly on?: readonly string[];
  /** Default 0. */
  readonly priority?: number;
  readonly paced?: boolean;
}

export interface LimiterOptions {
  readonly clock?: FakeClock;
  /** Of each limit key; default 2. */
  readonly slots?: number;
  /** Slots that all limit keys share while they are not quick; default: none are shared. */
  readonly shared?: number;
  /** Requests in progress; default: no limit. */
  readonly capacity?: number;
  readonly lowSlots?: number;
  readonly rate?: TokenBucket;
  readonly startsPerTurn?: number;
}

/** A group of requests that a test adds and ends. */
export interface TestGroup {
  readonly group: RequestGroup<Item>;
  add(key: string, options?: ItemOptions): Item;
  end(key: string): void;
  /** Keys in progress, in the order of their start. */
  running(): string[];
  items(): Item[];
  /** Has room for so many more requests. */
  grow(by: number): void;
}

export function setUp(options: LimiterOptions = {}) {
  const { clock = createFakeClock(), slots = 2, capacity: initial = Number.POSITIVE_INFINITY } = options;
  const { lowSlots, rate, startsPerTurn } = options;
  const shared = options.shared === undefined ? {} : { shared: { name: 'shared', slots: options.shared } };
  const limiter = createConcurrencyLimiter({ clock });
  let turn = 0;
  const another = (): TestGroup => {
    const inProgress = new Map<string, Item>();
    let capacity = initial;
    const group = limiter.group<Item>({
      capacity: () => capacity - inProgress.size,
      start: (item) => void inProgress.set(item.key, item),
      ...(lowSlots === undefined ? {} : { lowSlots }),
      ...(rate === undefined ? {} : { rate }),
      ...(startsPerTurn === undefined ? {} : { startsPerTurn }),
    });
    return {
      group,
      add: (key, { on = [], priority = 0, paced = false } = {}) => {
        const limitKeys = on.map((name) => ({ name, slots, ...shared }));
        const item = { key, limitKeys, priority, paced, turn: turn++, heapIndex: -1 };
        group.add(item);
        return item;
      },
      end: (key) => {
        const item = inProgress.get(key);
        inProgress.delete(key);
        if (item !== undefined) group.end(item);
      },
      running: () => [...inProgress.keys()],
      items: () => [...inProgress.values()],
      grow: (by) => {
        capacity += by;
        group.dispatch();
      },
    };
  };
  return { clock, limiter, another, ...another() };
}
