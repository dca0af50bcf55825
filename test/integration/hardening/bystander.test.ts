/** The check of the other tests in this folder, without an attack. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type FaultEnvironment, startFaultEnvironment } from '../faults/fault-environment.ts';
import { expectBystanderServed, residentMiB } from './bystander.ts';

let environment: FaultEnvironment;
beforeAll(async () => {
  environment = await startFaultEnvironment();
});
afterAll(() => environment.stop());

test('without an attack a healthy mapping is Ready in time and memory is bounded', async () => {
  const provider = await environment.run();
  const { namespace } = await expectBystanderServed(environment, provider);
  expect(namespace).toMatch(/^map-/);
  expect(await residentMiB(provider)).toBeGreaterThan(20);
});
