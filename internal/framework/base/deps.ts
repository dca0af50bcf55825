import { type Random, systemRandom } from './random.ts';
import {
  type Logger,
  type Metrics,
  nopLogger,
  nopMetrics,
  nopTracer,
  type Tracer,
} from './telemetry/telemetry.ts';
import { type Clock, systemClock } from './time/clock.ts';

/**
 * The dependencies of every layer, instead of globals. Options of a function extend it, or the part that the function uses
 * (`Pick<Deps, 'clock'>`), so that all of it is passed on at once: `createReflector({ ...deps, client })`.
 */
export interface Deps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
}

/** `K` are required; the others have the defaults of `createDeps`. */
export type DepsWith<K extends keyof Deps> = Pick<Deps, K> & Partial<Omit<Deps, K>>;

/** Defaults: the system's clock and random numbers; no logs, metrics and traces. */
export const createDeps = ({
  clock = systemClock,
  random = systemRandom,
  log = nopLogger,
  metrics = nopMetrics,
  tracer = nopTracer,
}: Partial<Deps> = {}): Deps => ({ clock, random, log, metrics, tracer });
