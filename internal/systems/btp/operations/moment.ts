import type { Clock } from '../../../framework/base/index.ts';

/**
 * For so long, in ms, a status says nothing of what mostly passes by then: a synchronous create, and bindings that are created or
 * deleted together with their instance.
 */
const MOMENT_MS = 5000;
/** For what many objects need that are deleted at once, in ms. */
export const LONG_MOMENT_MS = 20_000;

/**
 * @param since when the moment began, by the monotonic clock in ms
 * @param ms its length
 * @returns in ms; zero or less: it is over
 */
export const leftOfMoment = (clock: Pick<Clock, 'monotonic'>, since: number, ms = MOMENT_MS): number =>
  since + ms - clock.monotonic();
