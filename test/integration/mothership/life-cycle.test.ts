import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Task } from '../../../internal/mothership/dispatch/invoker.ts';
import type { Inventory } from '../../../internal/mothership/model/inventory.ts';
import {
  type Behaviour,
  type ComponentReconciler,
  startComponentReconciler,
} from '../../environment/mothership/component-reconciler.ts';
import {
  clusterDocument,
  startTestMothership,
  type TestMothershipOptions,
} from '../../environment/mothership/test-mothership.ts';
import { startTestDatabases, type TestDatabases } from '../../environment/postgres/test-databases.ts';

let databases: TestDatabases;
beforeAll(async () => {
  databases = await startTestDatabases();
});
afterAll(() => databases.close());

/** A mothership with one component reconciler for all components. */
async function start(
  behave?: (task: Task, earlier: number) => Behaviour,
  { settings, ...options }: Partial<TestMothershipOptions> = {},
) {
  const reconciler = await startComponentReconciler(behave);
  const database = await databases.open();
  const mothership = await startTestMothership({
    database,
    settings: { reconcilers: { base: reconciler.url }, ...settings },
    ...options,
  });
  return {
    ...mothership,
    database,
    reconciler,
    [Symbol.asyncDispose]: async () => {
      await mothership.stop();
      await reconciler.close();
      await database.close();
    },
  };
}

/** Waits until the condition holds. */
async function until(condition: () => Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + 20_000;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`not in time: ${what}`);
    await new Promise((done) => setTimeout(done, 10));
  }
}

const statusIs = (inventory: Inventory, runtimeId: string, status: string) =>
  until(
    async () => (await inventory.latest(runtimeId)).status.status === status,
    `${runtimeId} is ${status}`,
  );

const components = ({ received }: ComponentReconciler) => received.map(({ task }) => task.component);

test('[R59] a registered cluster becomes ready, and is deleted in reverse order', async () => {
  await using run = await start();
  const { inventory, reconciler } = run;
  const began = performance.now();
  const registered = await inventory.upsert(clusterDocument('c1'), 1);
  expect(registered.status.status).toBe('reconcile_pending');
  await statusIs(inventory, 'c1', 'ready');
  expect(performance.now() - began).toBeLessThan(5000);
  expect(components(reconciler).slice(0, 2)).toEqual(['CRDs', 'istio']);
  expect(components(reconciler).slice(2).sort()).toEqual(['eventing', 'serverless']);
  expect(reconciler.received.map(({ task }) => task.componentsReady.length)).toEqual([0, 1, 2, 2]);
  expect((await inventory.statusChanges('c1', 3_600_000)).map(({ status }) => status)).toEqual([
    'ready',
    'reconciling',
    'reconcile_pending',
  ]);

  const marked = await inventory.markForDeletion('c1');
  expect(marked.status.status).toBe('delete_pending');
  await until(
    () =>
      inventory.latest('c1').then(
        () => false,
        () => true,
      ),
    'the cluster is removed',
  );
  const deletion = components(reconciler).slice(4);
  expect(deletion.slice(0, 2).sort()).toEqual(['eventing', 'serverless']);
  expect(deletion.slice(2)).toEqual(['istio', 'cleaner', 'CRDs']);
  const [cleaner] = reconciler.received.filter(({ task }) => task.component === 'cleaner');
  expect(cleaner?.task.configuration).toEqual({ delete_strategy: 'system' });
  expect(reconciler.received.slice(4).every(({ task }) => task.type === 'delete')).toBe(true);
});
