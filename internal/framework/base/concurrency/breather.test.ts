import { expect, test } from '@jest/globals';
import { createFakeClock } from '../time/fake-clock.ts';
import { createBreather } from './breather.ts';

test('a loop gives way to others when its time is over, and then has it again', async () => {
  const clock = createFakeClock();
  const breathe = createBreather(clock, 10);
  expect(breathe()).toBeUndefined();
  await clock.advance(9);
  expect(breathe()).toBeUndefined();
  await clock.advance(1);
  let others = false;
  setImmediate(() => {
    others = true;
  });
  await breathe();
  expect(others).toBe(true);
  expect(breathe()).toBeUndefined();
});
