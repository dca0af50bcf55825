import { InvalidConfigurationError } from '../../../../framework/base/index.ts';

/** Settings of the work on tasks. Times are in ms. */
export interface RunnerSettings {
  /** Tasks at the same time. Default 50. */
  readonly workers: number;
  /** For one task with all its attempts. Default 10 minutes. */
  readonly workerTimeoutMs: number;
  /** Attempts of a task that does not say how many. Default 5. */
  readonly maxRetries: number;
  /** Delay before the second attempt; it doubles before each later one. Default 30 s. */
  readonly retriesDelayMs: number;
  /** How often a report is repeated. Default 30 s. */
  readonly statusIntervalMs: number;
  /** Time for the delivery of a last report. Default 10 minutes. */
  readonly deliveryTimeoutMs: number;
}

const MINUTE = 60_000;

const defaults = {
  workers: 50,
  workerTimeoutMs: 10 * MINUTE,
  maxRetries: 5,
  retriesDelayMs: 30_000,
  statusIntervalMs: 30_000,
  deliveryTimeoutMs: 10 * MINUTE,
} as const satisfies RunnerSettings;

/**
 * Settings with their defaults in place of zeros and of what is absent.
 *
 * @throws InvalidConfigurationError for negative values, and for reports that could never be repeated
 */
export function runnerSettings(wanted: Partial<RunnerSettings> = {}): RunnerSettings {
  const settings: { -readonly [K in keyof RunnerSettings]: number } = { ...defaults };
  for (const name of Object.keys(settings) as (keyof RunnerSettings)[]) {
    const value = wanted[name];
    if (value === undefined || value === 0) continue;
    if (!(value > 0)) throw new InvalidConfigurationError(`cannot use ${name}: want 0 or more`);
    settings[name] = value;
  }
  if (settings.deliveryTimeoutMs <= settings.statusIntervalMs) {
    throw new InvalidConfigurationError(
      `cannot use statusIntervalMs: want less than ${settings.deliveryTimeoutMs} ms, after which a report is given up`,
    );
  }
  return settings;
}
