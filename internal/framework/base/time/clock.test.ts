import { expect, test } from '@jest/globals';
import { startStopwatch } from './clock.ts';

test.each([
  { what: 'both clocks go on', monotonic: 500, wall: 500, elapsed: 500 },
  { what: 'the machine was suspended', monotonic: 0, wall: 60_000, elapsed: 60_000 },
  { what: 'the wall clock was set back', monotonic: 500, wall: -3_600_000, elapsed: 500 },
])('a stopwatch counts by the clock that went further: $what', ({ monotonic, wall, elapsed }) => {
  const time = { monotonic: 1000, wall: 1_700_000_000_000 };
  const stopwatch = startStopwatch({
    monotonic: () => time.monotonic,
    now: () => time.wall,
    after: () => () => undefined,
  });
  expect(stopwatch()).toBe(0);
  time.monotonic += monotonic;
  time.wall += wall;
  expect(stopwatch()).toBe(elapsed);
});
