import { expect, test } from '@jest/globals';
import { createDeps } from './deps.ts';
import { nopLogger } from './telemetry/logger.ts';
import { createFakeClock } from './time/fake-clock.ts';

test('what is not given has its default, and nothing else of the options is handed down', () => {
  const clock = createFakeClock();
  const options = { clock, log: nopLogger, name: 'of this very component' };
  const deps = createDeps(options);
  expect(deps.clock).toBe(clock);
  expect(Object.keys(deps).sort()).toEqual(['clock', 'log', 'metrics', 'random', 'tracer']);
});
