import { afterEach, expect, test } from '@jest/globals';
import { createFakeClock } from '../../../internal/base/time/fake-clock.ts';
import { passByHand } from './by-hand.ts';
import { type FrameworkLoad, startFramework } from './framework-load.ts';

/** More than one page of a list. */
const OBJECTS = 501;
let load: FrameworkLoad | undefined;
afterEach(() => load?.stop());

async function start({ objects = OBJECTS, pollIntervalMs = 3_600_000 } = {}) {
  const clock = createFakeClock();
  const started = await startFramework({ objects, pollIntervalMs, clock, random: () => 0.5 });
  load = started;
  await clock.advance(0);
  return { clock, load: started };
}

test('every object has one pass at the start and one for each poll, and none asks anything of the API server', async () => {
  const objects = 20;
  const { clock, load } = await start({ objects, pollIntervalMs: 10_000 });
  expect(load.passes()).toBe(objects);
  await clock.advance(10_000);
  expect(load.passes()).toBe(2 * objects);
  expect(load.otherRequests()).toEqual([]);
});

test('a status that others write reaches the cache and causes no pass', async () => {
  const { load } = await start();
  expect(load.objects()).toHaveLength(OBJECTS);
  await load.prepareTouch().deliver();
  expect(load.objects()[0]?.status).toHaveProperty('seen');
  expect(load.passes()).toBe(OBJECTS);
});

test('the loop by hand finds every object settled, so that it does the same work', async () => {
  const { load } = await start();
  expect(passByHand(load.objects())).toBe(0);
});
