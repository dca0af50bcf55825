/** What polling many mappings of one instance costs HANA Cloud. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../../../environment/eventually.ts';
import { createFleet } from '../../harness/mappings/fleet.ts';
import { startTestEnvironment, type TestEnvironment } from '../../harness/test-environment.ts';

const SIZE = 20;
const ROUNDS = 2;

let environment: TestEnvironment;
beforeAll(async () => {
  environment = await startTestEnvironment({ flags: { poll: 10_000 } });
});
afterAll(() => environment.stop());

test('mappings of one instance are polled with one list for all, and one that differs is still found', async () => {
  const fleet = await createFleet(environment, SIZE);
  await fleet.applyClusterIDs();
  await fleet.create();
  await fleet.untilReady();
  const { instanceID } = fleet.shared;
  const before = { reconciles: await reconciles(), lists: lists() };
  await eventually(
    async () => expect(await reconciles()).toBeGreaterThanOrEqual(before.reconciles + ROUNDS * SIZE),
    {
      timeoutMs: 90_000,
    },
  );
  const done = { reconciles: (await reconciles()) - before.reconciles, lists: lists() - before.lists };
  // One for each round; a slow machine may need a second one for the last of them.
  expect(done.lists).toBeGreaterThan(0);
  expect(done.lists * 5).toBeLessThanOrEqual(done.reconciles);

  const [lost] = fleet.mappings();
  if (lost === undefined) throw new Error('no mapping was made');
  environment.simulator.store.removeMapping(instanceID, lost);
  await eventually(() => expect(fleet.mappings()).toEqual(fleet.wanted()));

  function lists(): number {
    return environment.simulator.requests({ route: 'list', instance: instanceID }).length;
  }
}, 240_000);

/** Reconciles that have ended, of all mappings in this environment. */
async function reconciles(): Promise<number> {
  const page = await environment.provider.get('/metrics');
  const lines = page.matchAll(
    /^controller_runtime_reconcile_total\{controller="managed\/kymainstancemapping\.inventory\.hana\.orchestrate.*\} (\d+)$/gm,
  );
  return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
}
