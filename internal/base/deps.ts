import { type Clock, systemClock } from './clock.ts';
import { type Logger, nopLogger } from './logger.ts';
import { type Metrics, nopMetrics } from './metrics.ts';
import { type Random, systemRandom } from './random.ts';
import { nopTracer, type Tracer } from './tracer.ts';

/**
 * What every layer is given instead of globals, handed down as one object. A function that uses only some of them says so:
 * `Pick<Deps, 'clock'>`.
 */
export interface Deps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
}

/** Defaults: the system's clock and random numbers; nothing is logged, measured or traced. */
export const createDeps = (given: Partial<Deps> = {}): Deps => ({
  clock: systemClock,
  random: systemRandom,
  log: nopLogger,
  metrics: nopMetrics,
  tracer: nopTracer,
  ...given,
});
