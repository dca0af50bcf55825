import type { Clock } from '../time/clock.ts';
import type { LimitedRequest } from './bucket-queue.ts';
import type { LimitKey } from './limit-key.ts';

/** Requests that take longer are slow, in ms. For this time a high-priority request throttles low-priority ones. */
export const SLOW_AFTER_MS = 2000;

/** The slots of limit keys, with the requests in progress that hold them. */
export interface LimitSlots {
  isFull(key: LimitKey): boolean;
  /** Whether the last request of the key that ended was quick, and none in progress is slow. */
  isQuick(key: LimitKey): boolean;
  /** The requests with this priority or a higher one that hold a slot of the key. */
  heldFrom(priority: number, key: LimitKey): number;
  /** Without a check whether the key is full. */
  take(request: LimitedRequest, key: LimitKey): void;
  /** Returns whether the request held a slot of the key. */
  free(request: LimitedRequest, key: LimitKey): boolean;
  /** @param holders with the time of their start, the oldest first */
  isSlow(holders: ReadonlyMap<LimitedRequest, number>): boolean;
}

/** Requests in progress of one limit key. */
interface KeyState {
  /** With the time of their start, the oldest first. */
  readonly holders: Map<LimitedRequest, number>;
  /** Whether the last request that ended was quick. */
  quick: boolean;
}

export function createLimitSlots(clock: Clock): LimitSlots {
  const keys = new Map<string, KeyState>();
  const isSlow: LimitSlots['isSlow'] = (holders) => {
    for (const since of holders.values()) return clock.monotonic() - since >= SLOW_AFTER_MS;
    return false;
  };
  return {
    isFull: ({ name, slots }) => (keys.get(name)?.holders.size ?? 0) >= slots,
    isQuick: ({ name }) => {
      const state = keys.get(name);
      return state?.quick === true && !isSlow(state.holders);
    },
    heldFrom: (priority, { name }) =>
      [...(keys.get(name)?.holders.keys() ?? [])].filter((holder) => holder.priority >= priority).length,
    take: (request, { name }) => {
      const state = keys.get(name) ?? { holders: new Map(), quick: false };
      keys.set(name, state);
      state.holders.set(request, clock.monotonic());
    },
    free: (request, { name }) => {
      const state = keys.get(name);
      const since = state?.holders.get(request);
      if (state === undefined || since === undefined) return false;
      state.quick = clock.monotonic() - since < SLOW_AFTER_MS;
      state.holders.delete(request);
      if (state.holders.size === 0) keys.delete(name);
      return true;
    },
    isSlow,
  };
}
