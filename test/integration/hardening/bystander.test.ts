/** The measure that the other tests of this folder apply, without any attack. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type FaultyWorld, startFaultyWorld } from '../faults/fault-environment.ts';
import { expectBystanderServed, residentMiB } from './bystander.ts';

let world: FaultyWorld;
beforeAll(async () => {
  world = await startFaultyWorld();
});
afterAll(() => world.stop());

test('without an attack a healthy mapping is Ready in time and memory is bounded', async () => {
  const provider = await world.run();
  const { namespace } = await expectBystanderServed(world, provider);
  expect(namespace).toMatch(/^map-/);
  expect(await residentMiB(provider)).toBeGreaterThan(20);
});
