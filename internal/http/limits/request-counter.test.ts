import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createRequestCounter } from './request-counter.ts';

test('a counter that was made late counts from its first request', async () => {
  const clock = createFakeClock();
  await clock.advance(59_500);
  const counter = createRequestCounter({ clock });
  counter.add();
  await clock.advance(1000);
  expect([counter.within(1000), counter.within(2000)]).toEqual([0, 1]);
});

test('requests count for a minute, by seconds', async () => {
  const clock = createFakeClock();
  const counter = createRequestCounter({ clock });
  for (let second = 0; second < 60; second++) {
    counter.add();
    if (second < 59) await clock.advance(1000);
  }
  expect([1000, 1001, 10_000, 60_000, 90_000].map(counter.within)).toEqual([1, 2, 10, 60, 60]);
  await clock.advance(30_000);
  expect(counter.within(60_000)).toBe(30);
  await clock.advance(3_600_000);
  expect(counter.within(60_000)).toBe(0);
  counter.add();
  expect(counter.within(1)).toBe(1);
});
