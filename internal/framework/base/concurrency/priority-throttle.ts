import type { Clock } from '../time/clock.ts';
import type { LimitedRequest } from './bucket-queue.ts';
import { SLOW_AFTER_MS } from './limit-slots.ts';

/**
 * Limits the low-priority requests of a group while one of high priority (0 and above) is in progress, since they share one
 * CPU. A high-priority request counts for `SLOW_AFTER_MS` only, so that one that hangs does not throttle the others.
 */
export interface PriorityThrottle {
  /** Time until the next low-priority request may start, in ms, unless a request in progress ends before; 0: now. */
  waitMs(): number;
  onStarted(request: LimitedRequest): void;
  onEnded(request: LimitedRequest): void;
}

/** @param lowSlots maximum of low-priority requests while a high-priority one is in progress; Infinity: no limit */
export function createPriorityThrottle(clock: Clock, lowSlots: number): PriorityThrottle {
  /** High-priority requests that throttle, with the time of their start, the oldest first. */
  const high = new Map<LimitedRequest, number>();
  let low = 0;
  return {
    waitMs: () => {
      if (low < lowSlots) return 0;
      for (const [request, since] of high) {
        const leftMs = since + SLOW_AFTER_MS - clock.monotonic();
        if (leftMs > 0) return leftMs;
        high.delete(request);
      }
      return 0;
    },
    onStarted: (request) => {
      if (request.priority < 0) low++;
      else if (lowSlots !== Number.POSITIVE_INFINITY) high.set(request, clock.monotonic());
    },
    onEnded: (request) => {
      if (request.priority < 0) low--;
      else high.delete(request);
    },
  };
}
