import type { Clock } from '../../../framework/base/time/clock.ts';

/**
 * For so long, in ms, a status says nothing of what mostly passes by then: a synchronous create, and bindings that are created or
 * deleted together with their instance.
 */
const MOMENT_MS = 5000;

/** @param since when the moment began, by the monotonic clock in ms @returns in ms; zero or less: it is over */
export const leftOfMoment = (clock: Pick<Clock, 'monotonic'>, since: number): number =>
  since + MOMENT_MS - clock.monotonic();
