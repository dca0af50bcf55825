/** What polling many mappings of one instance costs HANA Cloud. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../../../environment/eventually.ts';
import { createFleet } from '../../harness/mappings/fleet.ts';
import { startTestEnvironment, type TestEnvironment } from '../../harness/test-environment.ts';

const SIZE = 20;
/** Longer than a list is shared, so that each round needs a new one. */
const POLL_MS = 6000;
const ROUNDS = 2;

let environment: TestEnvironment;
beforeAll(async () => {
  environment = await startTestEnvironment({ flags: { poll: POLL_MS } });
});
afterAll(() => environment.stop());

test('mappings of one instance are polled with one list for all, and one that differs is still found', async () => {
  const fleet = await createFleet(environment, SIZE);
  await fleet.applyClusterIDs();
  await fleet.create();
  await fleet.untilReady();
  const { instanceID } = fleet.shared;
  // A list from before may still be used: count from one to another.
  const start = await afterLists(lists() + 1);
  const end = await afterLists(start.lists + ROUNDS);
  expect(end.reconciles - start.reconciles).toBeGreaterThanOrEqual(5 * (end.lists - start.lists));

  const [lost] = fleet.mappings();
  if (lost === undefined) throw new Error('no mapping was made');
  environment.simulator.store.removeMapping(instanceID, lost);
  await eventually(() => expect(fleet.mappings()).toEqual(fleet.wanted()));

  function lists(): number {
    return environment.simulator.requests({ route: 'list', instance: instanceID }).length;
  }

  /** Waits for this many lists, and counts the reconciles until then. */
  function afterLists(count: number): Promise<{ lists: number; reconciles: number }> {
    return eventually(
      async () => {
        const done = { lists: lists(), reconciles: await reconciles() };
        expect(done.lists).toBeGreaterThanOrEqual(count);
        return done;
      },
      { timeoutMs: 60_000 },
    );
  }
});

/** Reconciles that have ended, of all mappings in this environment. */
async function reconciles(): Promise<number> {
  const page = await environment.provider.get('/metrics');
  const lines = page.matchAll(
    /^controller_runtime_reconcile_total\{controller="managed\/kymainstancemapping\.inventory\.hana\.orchestrate.*\} (\d+)$/gm,
  );
  return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
}
