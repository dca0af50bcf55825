import type { Clock } from './clock.ts';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly fn: () => void;
}

/** A clock for tests that changes only by `advance`. Part of the public API. */
export interface FakeClock extends Clock {
  /** Sets the wall clock ahead by `ms`, or back. The monotonic clock and timers stay as they are. */
  jump(ms: number): void;
  /** Advances the time and fires due timers in order. Promises settle after each timer. */
  advance(ms: number): Promise<void>;
  /** Timers not yet fired or cancelled. */
  pending(): number;
}

/** Shorter delays are lost in the precision of the time: a timer that is set again and again would never end. */
const MIN_DELAY_MS = 0.001;

/** @param startMs first value of `now()`, in ms since the epoch; default 2024-01-01T00:00:00Z */
export function createFakeClock(startMs = Date.UTC(2024, 0, 1)): FakeClock {
  let current = startMs;
  let offset = 0;
  let order = 0;
  const timers = new Set<Timer>();
  const settle = async () => {
    for (let i = 0; i < 20; i++) await Promise.resolve();
    await new Promise<void>((resolve) => setImmediate(resolve));
  };
  const nextDue = (until: number): Timer | undefined => {
    let next: Timer | undefined;
    for (const timer of timers) {
      if (timer.at > until) continue;
      if (next === undefined || timer.at < next.at || (timer.at === next.at && timer.order < next.order))
        next = timer;
    }
    return next;
  };
  return {
    now: () => current + offset,
    monotonic: () => current - startMs,
    after: (delayMs, fn) => {
      const at = delayMs > 0 ? current + Math.max(delayMs, MIN_DELAY_MS) : current;
      const timer: Timer = { at, order: order++, fn };
      timers.add(timer);
      return () => {
        timers.delete(timer);
      };
    },
    jump: (ms) => {
      offset += ms;
    },
    advance: async (ms) => {
      const until = current + ms;
      await settle();
      for (let due = nextDue(until); due !== undefined; due = nextDue(until)) {
        timers.delete(due);
        current = Math.max(current, due.at);
        due.fn();
        await settle();
      }
      current = until;
      await settle();
    },
    pending: () => timers.size,
  };
}
