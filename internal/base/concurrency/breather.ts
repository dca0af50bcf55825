import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../time/clock.ts';

/** Lets a long loop give way to others: awaited after each step, it goes on at once until its time is over. */
export function createBreather(clock: Pick<Clock, 'monotonic'>, forMs = 10): () => Promise<void> | undefined {
  let began = clock.monotonic();
  return () => {
    if (clock.monotonic() - began < forMs) return undefined;
    return setImmediate().then(() => {
      began = clock.monotonic();
    });
  };
}
