import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../time/clock.ts';

/** Undefined while the loop may go on at once. */
export type Breather = () => Promise<void> | undefined;

/** Lets a long loop give way to others: awaited after each step, it goes on at once until its time is over. */
export function createBreather(clock: Pick<Clock, 'monotonic'>, forMs = 10): Breather {
  let began = clock.monotonic();
  return () => {
    if (clock.monotonic() - began < forMs) return undefined;
    return setImmediate().then(() => {
      began = clock.monotonic();
    });
  };
}
