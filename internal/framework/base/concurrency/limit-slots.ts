import { createLruCache } from '../collections/lru-cache.ts';
import type { Clock } from '../time/clock.ts';
import type { LimitedRequest } from './bucket-queue.ts';
import type { LimitKey } from './limit-key.ts';

/** Requests that take longer are slow, in ms. For this time a high-priority request throttles low-priority ones. */
export const SLOW_AFTER_MS = 2000;
/** Memory for about 5,000 keys without requests whose last request was quick. */
const MAX_IDLE_BYTES = 2 * 1024 * 1024;

/** The slots of limit keys, with the requests in progress that hold them. */
export interface LimitSlots {
  /**
   * Whether the key, or the slots that it shares, are full.
   *
   * @param holder a request in progress, which keeps its shared slot for further keys; default: one that waits
   */
  isFull(key: LimitKey, holder?: LimitedRequest): boolean;
  /** Whether the last request of the key that ended was quick, and none in progress is slow. */
  isQuick(key: LimitKey): boolean;
  /** The requests with this priority or a higher one that hold a slot of the key. */
  heldFrom(priority: number, key: LimitKey): number;
  /** Without a check whether the key is full. */
  take(request: LimitedRequest, key: LimitKey): void;
  /** Returns the names of the keys that may have slots again; none if the request held no slot of the key. */
  free(request: LimitedRequest, key: Pick<LimitKey, 'name'>): readonly string[];
  /** @param holders with the time of their start, the oldest first */
  isSlow(holders: ReadonlyMap<LimitedRequest, number>): boolean;
}

/** Requests in progress of one limit key. */
interface KeyState {
  /** With the time of their start, the oldest first. */
  readonly holders: Map<LimitedRequest, number>;
  /** Those that hold a shared slot as well. */
  readonly sharing: Map<LimitedRequest, SharedSlots>;
  /** Whether the last request that ended was quick. */
  quick: boolean;
}

interface SharedSlots {
  /** Requests with the number of their keys: each of them holds one slot. */
  readonly holders: Map<LimitedRequest, number>;
  /** Names of keys that were full because the shared slots were. */
  readonly waiting: Set<string>;
}

export function createLimitSlots(clock: Clock): LimitSlots {
  const keys = new Map<string, KeyState>();
  /** Keys without requests in progress whose last request was quick. */
  const idle = createLruCache<string, true>({ maxBytes: MAX_IDLE_BYTES });
  const shares = new Map<string, SharedSlots>();

  const isSlow: LimitSlots['isSlow'] = (holders) => {
    for (const since of holders.values()) return clock.monotonic() - since >= SLOW_AFTER_MS;
    return false;
  };
  const isQuick: LimitSlots['isQuick'] = ({ name }) => {
    const state = keys.get(name);
    return state === undefined ? idle.has(name) : state.quick && !isSlow(state.holders);
  };
  const sharedBy = ({ shared }: LimitKey): SharedSlots | undefined => {
    if (shared === undefined) return undefined;
    const known = shares.get(shared.name) ?? { holders: new Map(), waiting: new Set() };
    shares.set(shared.name, known);
    return known;
  };
  const waitsForShared = (key: LimitKey, holder: LimitedRequest | undefined): boolean => {
    const shared = sharedBy(key);
    if (shared === undefined || shared.holders.size < (key.shared?.slots ?? 0) || isQuick(key)) return false;
    if (holder !== undefined && shared.holders.has(holder)) return false;
    shared.waiting.add(key.name);
    return true;
  };
  return {
    isFull: (key, holder) =>
      (keys.get(key.name)?.holders.size ?? 0) >= key.slots || waitsForShared(key, holder),
    isQuick,
    heldFrom: (priority, { name }) =>
      [...(keys.get(name)?.holders.keys() ?? [])].filter((holder) => holder.priority >= priority).length,
    take: (request, key) => {
      const { name } = key;
      const shared = isQuick(key) ? undefined : sharedBy(key);
      const state = keys.get(name) ?? { holders: new Map(), sharing: new Map(), quick: idle.has(name) };
      keys.set(name, state);
      state.holders.set(request, clock.monotonic());
      if (shared === undefined) return;
      shared.holders.set(request, (shared.holders.get(request) ?? 0) + 1);
      state.sharing.set(request, shared);
    },
    free: (request, { name }) => {
      const state = keys.get(name);
      const since = state?.holders.get(request);
      if (state === undefined || since === undefined) return [];
      state.quick = clock.monotonic() - since < SLOW_AFTER_MS;
      state.holders.delete(request);
      if (state.holders.size === 0) {
        keys.delete(name);
        if (state.quick) idle.set(name, true);
        else idle.delete(name);
      }
      const shared = state.sharing.get(request);
      if (shared === undefined) return [name];
      state.sharing.delete(request);
      const left = (shared.holders.get(request) ?? 0) - 1;
      if (left > 0) {
        shared.holders.set(request, left);
        return [name];
      }
      shared.holders.delete(request);
      const opened = [name, ...shared.waiting];
      shared.waiting.clear();
      return opened;
    },
    isSlow,
  };
}
