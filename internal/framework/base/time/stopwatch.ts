import type { Clock } from './clock.ts';

/** The time since it was started, in ms. */
export type Stopwatch = () => number;

/**
 * Starts a stopwatch for the age of a permission. It returns the larger of the times by the monotonic and the wall clock:
 * the monotonic clock may stop while a machine is suspended, and the wall clock may be set back.
 */
export function startStopwatch(clock: Clock): Stopwatch {
  const monotonic = clock.monotonic();
  const wall = clock.now();
  return () => Math.max(clock.monotonic() - monotonic, clock.now() - wall);
}
