import { afterEach, expect, test } from '@jest/globals';
import { createFakeClock } from '../../../internal/framework/base/time/fake-clock.ts';
import { type FrameworkLoad, startFramework } from './framework-load.ts';
import { reconcileByHand } from './sample-kind.ts';

/** More than one page of a list. */
const OBJECTS = 501;
let load: FrameworkLoad | undefined;
afterEach(() => load?.stop());

async function start({ objects = OBJECTS, pollIntervalMs = 3_600_000 } = {}) {
  const clock = createFakeClock();
  const started = await startFramework(objects, pollIntervalMs, { clock, random: () => 0.5 });
  load = started;
  await clock.advance(0);
  return { clock, load: started };
}

test('every object is reconciled once at the start and once for each poll, without API requests', async () => {
  const objects = 20;
  const { clock, load } = await start({ objects, pollIntervalMs: 10_000 });
  expect(load.reconciles()).toBe(objects);
  await clock.advance(10_000);
  expect(load.reconciles()).toBe(2 * objects);
  expect(load.otherRequests()).toEqual([]);
});

test('a status that others write reaches the cache and triggers no reconcile', async () => {
  const { load } = await start();
  expect(load.objects()).toHaveLength(OBJECTS);
  await load.prepareTouch()();
  expect(load.objects()[0]?.status).toHaveProperty('seen');
  expect(load.reconciles()).toBe(OBJECTS);
});

test('the plain loop finds every object settled, so it does the same work', async () => {
  const { load } = await start();
  expect(reconcileByHand(load.objects())).toBe(0);
});
