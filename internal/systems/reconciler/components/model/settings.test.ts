import { expect, test } from '@jest/globals';
import { runnerSettings } from './settings.ts';

test('[R48] zeros and absent settings have their defaults', () => {
  const defaults = {
    workers: 50,
    workerTimeoutMs: 600_000,
    maxRetries: 5,
    retriesDelayMs: 30_000,
    statusIntervalMs: 30_000,
    deliveryTimeoutMs: 600_000,
  };
  expect(runnerSettings()).toEqual(defaults);
  expect(runnerSettings({ workers: 0, retriesDelayMs: 0, statusIntervalMs: 7 })).toEqual({
    ...defaults,
    statusIntervalMs: 7,
  });
});

test.each([
  [{ workers: -1 }, 'workers'],
  [{ workerTimeoutMs: -1 }, 'workerTimeoutMs'],
  [{ statusIntervalMs: Number.NaN }, 'statusIntervalMs'],
  [{ statusIntervalMs: 600_000 }, 'statusIntervalMs'],
])('[R48] settings that are negative or cannot work are refused: %j', (settings, name) => {
  expect(() => runnerSettings(settings)).toThrow(`cannot use ${name}: want`);
});
