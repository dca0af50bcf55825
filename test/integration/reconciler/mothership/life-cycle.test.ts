import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { reconciliationInfo } from '../../../../internal/systems/reconciler/mothership/api/shapes.ts';
import type { ClusterStatus } from '../../../../internal/systems/reconciler/mothership/model/cluster.ts';
import type { Inventory } from '../../../../internal/systems/reconciler/mothership/model/inventory.ts';
import type { Task } from '../../../../internal/systems/reconciler/mothership/model/mothership.ts';
import { eventually } from '../../../environment/eventually.ts';
import {
  type Behaviour,
  type ComponentReconciler,
  startComponentReconciler,
} from '../../../environment/mothership/component-reconciler.ts';
import { repositorySteps } from '../../../environment/mothership/repository-steps.ts';
import {
  clusterDocument,
  startTestMothership,
  type TestMothershipOptions,
} from '../../../environment/mothership/test-mothership.ts';
import { startTestDatabases } from '../../../environment/postgres/test-databases.ts';
import { forFile } from '../../harness/for-file.ts';

const databases = forFile(startTestDatabases);

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

const statusIs = (inventory: Inventory, runtimeId: string, status: ClusterStatus) =>
  eventually(async () => expect((await inventory.latest(runtimeId)).status.status).toBe(status), {
    intervalMs: 10,
    timeoutMs: 20_000,
  });

const isRemoved = (inventory: Inventory, runtimeId: string) =>
  eventually(() => expect(inventory.latest(runtimeId)).rejects.toMatchObject({ refusal: 'not-found' }), {
    intervalMs: 10,
    timeoutMs: 20_000,
  });

const components = ({ received }: ComponentReconciler) => received.map(({ task }) => task.component);

test('[R59] a registered cluster becomes ready, and is deleted in reverse order', async () => {
  await using run = await start();
  const { inventory, reconciler } = run;
  const registered = await inventory.upsert(clusterDocument('c1'), 1);
  expect(registered.status.status).toBe('reconcile_pending');
  await statusIs(inventory, 'c1', 'ready');
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
  await isRemoved(inventory, 'c1');
  const deletion = components(reconciler).slice(4);
  expect(deletion.slice(0, 2).sort()).toEqual(['eventing', 'serverless']);
  expect(deletion.slice(2)).toEqual(['istio', 'cleaner', 'CRDs']);
  const [cleaner] = reconciler.received.filter(({ task }) => task.component === 'cleaner');
  expect(cleaner?.task.configuration).toEqual({ delete_strategy: 'system' });
  expect(reconciler.received.slice(4).every(({ task }) => task.type === 'delete')).toBe(true);
  // Those of this run alone.
  expect(reconciler.received.slice(4).map(({ task }) => task.componentsReady.length)).toEqual([
    0, 0, 2, 3, 4,
  ]);
});

test('[R25] [R32] a run has an operation for each component, and one more for the cleaner of a deletion', async () => {
  await using run = await start();
  const { inventory, reconciliations } = run;
  await inventory.upsert(clusterDocument('c1', ['a']), 1);
  await statusIs(inventory, 'c1', 'ready');
  await inventory.markForDeletion('c1');
  await isRemoved(inventory, 'c1');
  const runs = await reconciliations.list({ runtimeIds: ['c1'] });
  const infos = await Promise.all(runs.map(({ scheduling_id }) => reconciliations.get(scheduling_id)));
  expect(infos.map(({ operations, status, finished }) => [operations.length, status, finished])).toEqual([
    [3, 'deleted', true],
    [2, 'ready', true],
  ]);
});

test('[R36] each cluster of the inventory is reconciled as soon as it is there, and none by a mothership that has stopped', async () => {
  const reconciler = await startComponentReconciler();
  const database = await databases.open();
  const { inventory, reconciliations, schedule } = repositorySteps(database);
  const runs = async () => (await reconciliations.list({})).map(({ runtime_id }) => runtime_id);
  await inventory.upsert(clusterDocument('before', []), 1);
  // Nothing is looked for at intervals in this time.
  const settings = { reconcilers: { base: reconciler.url }, watchIntervalMs: 3_600_000 };
  const mothership = await startTestMothership({ database, settings });
  await statusIs(inventory, 'before', 'ready');
  await inventory.upsert(clusterDocument('after', []), 1);
  await statusIs(inventory, 'after', 'ready');
  const tasks = reconciler.received.map(({ task }) => task);
  expect(tasks.map(({ kubeconfig }) => kubeconfig)).toEqual(['kubeconfig of before', 'kubeconfig of after']);
  await mothership.stop();
  await inventory.upsert(clusterDocument('late', []), 1);
  await sleep(1000);
  expect(await runs()).toEqual(['after', 'before']);
  expect((await inventory.latest('late')).status.status).toBe('reconcile_pending');
  // It was due.
  expect(await schedule()).toEqual([expect.stringMatching(/^late--/)]);
  await reconciler.close();
  await database.close();
});

test('[R39] an operation whose component has used all attempts ends in an error', async () => {
  await using run = await start(
    (_, earlier) => ({
      // Each time the component reconciler reports an attempt that failed, and then nothing more.
      callbacks: [{ status: 'running' }, { status: 'failed', error: `attempt ${earlier + 1}` }],
    }),
    { settings: { maxOperationRetries: 2, orphanTimeoutMs: 300, bookkeeperIntervalMs: 100 } },
  );
  const { inventory, reconciliations, reconciler } = run;
  await inventory.upsert(clusterDocument('c1', []), 1);
  await statusIs(inventory, 'c1', 'reconcile_error_retryable');
  const { status } = await inventory.latest('c1');
  expect(await reconciliations.failures(status.id)).toEqual([
    { component: 'CRDs', reason: 'operation exceeds max. operation retries limit (maxOperationRetries:2)' },
  ]);
  expect(reconciler.received.map(({ task }) => task.componentConfiguration.maxRetries)).toEqual([2, 1]);
});

test('[R41] without a component reconciler for it, and without base, an operation ends in an error', async () => {
  await using run = await start(undefined, { settings: { reconcilers: { istio: 'http://127.0.0.1:1' } } });
  const { inventory, reconciliations } = run;
  await inventory.upsert(clusterDocument('c1', []), 1);
  await statusIs(inventory, 'c1', 'reconcile_error_retryable');
  const { status } = await inventory.latest('c1');
  expect(await reconciliations.failures(status.id)).toEqual([
    { component: 'CRDs', reason: 'no component reconciler is configured for CRDs, and no base' },
  ]);
});

test.each<{ what: string; behaviour: Behaviour; reason: string }>([
  {
    what: '[R41] 400',
    behaviour: { answer: 400, body: '{"error":"bad task"}' },
    reason: 'answered 400: bad task',
  },
  { what: '[R61] 429', behaviour: { answer: 429 }, reason: 'answered 429: no workers' },
  {
    what: '[R41] 500 with JSON',
    behaviour: { answer: 500, body: '{"error":"boom"}' },
    reason: 'answered 500: boom',
  },
  {
    what: 'a success without JSON',
    behaviour: { body: 'ok', callbacks: [] },
    reason: 'answered 200 without JSON',
  },
  { what: 'a broken connection', behaviour: { answer: 'reset' }, reason: 'POST /run on 127.0.0.1' },
])('$what: a client error, sent again within seconds, then ready', async ({ behaviour, reason }) => {
  let fails = true;
  await using run = await start(() => (fails ? behaviour : {}));
  const { inventory, reconciliations, reconciler } = run;
  await inventory.upsert(clusterDocument('c1', []), 1);
  await eventually(
    async () => {
      const [found] = await reconciliations.list({});
      const [operation] = reconciliationInfo(
        await reconciliations.get(found?.scheduling_id ?? ''),
      ).operations;
      expect(operation).toMatchObject({ state: 'client_error', reason: expect.stringContaining(reason) });
      expect(operation?.nextAttempt).toEqual(expect.any(String));
    },
    { intervalMs: 10, timeoutMs: 10_000 },
  );
  fails = false;
  await statusIs(inventory, 'c1', 'ready');
  const [first, second] = reconciler.received;
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(90);
  expect(reconciler.received[1]?.task.callbackURL).not.toBe(reconciler.received[0]?.task.callbackURL);
});

test('a task that is refused is not in the way of a changed registration, nor of a deletion', async () => {
  await using run = await start(({ version, type }) =>
    version === 'bad' && type === 'reconcile' ? { answer: 400, body: '{"error":"bad task"}' } : {},
  );
  const { inventory, reconciler } = run;
  const bad = (id: string) => {
    const document = clusterDocument(id, ['a']);
    return { ...document, kymaConfig: { ...document.kymaConfig, version: 'bad' } };
  };
  for (const id of ['changed', 'deleted']) await inventory.upsert(bad(id), 1);
  await eventually(() => expect(reconciler.received.length).toBeGreaterThan(3), { intervalMs: 10 });
  await inventory.upsert(clusterDocument('changed', ['a']), 1);
  await inventory.markForDeletion('deleted');
  await statusIs(inventory, 'changed', 'ready');
  await isRemoved(inventory, 'deleted');
});

test('a task that finds no free worker keeps its place in the run of an earlier registration', async () => {
  let isBusy = true;
  await using run = await start(() => (isBusy ? { answer: 429 } : {}));
  const { inventory, reconciliations, reconciler } = run;
  await inventory.upsert(clusterDocument('c1', ['a']), 1);
  await eventually(() => expect(reconciler.received.length).toBeGreaterThan(0), { intervalMs: 10 });
  await inventory.upsert(clusterDocument('c1', ['b']), 1);
  const refused = reconciler.received.length;
  await eventually(() => expect(reconciler.received.length).toBeGreaterThan(refused + 1), { intervalMs: 10 });
  isBusy = false;
  await statusIs(inventory, 'c1', 'ready');
  const runs = await reconciliations.list({ runtimeIds: ['c1'] });
  const operations = await Promise.all(
    runs.map(async ({ scheduling_id }) => (await reconciliations.get(scheduling_id)).operations),
  );
  expect(operations.flat().map(({ component, state }) => `${component} ${state}`)).toEqual([
    'CRDs done',
    'b done',
    'CRDs done',
    'a done',
  ]);
});

test('a task that is refused again and again ends its run, which is repeated after the interval', async () => {
  await using run = await start(() => ({ answer: 400, body: '{"error":"bad task"}' }));
  const { inventory, reconciliations, reconciler, database } = run;
  await inventory.upsert(clusterDocument('c1', []), 1);
  await eventually(() => expect(reconciler.received.length).toBeGreaterThan(1), { intervalMs: 10 });
  await sql`update operations set attempts = 20, next_attempt_at = now()`.execute(database.queries);
  await statusIs(inventory, 'c1', 'reconcile_error_retryable');
  const { status } = await inventory.latest('c1');
  expect(await reconciliations.failures(status.id)).toEqual([
    { component: 'CRDs', reason: 'the component reconciler answered 400: bad task' },
  ]);
});

test('a component reconciler that does not answer frees its worker; its operation is sent once within its lease', async () => {
  await using run = await start((task) => (task.component === 'slow' ? { answer: 'none' } : {}), {
    settings: { workers: 1, callTimeoutMs: 300 },
  });
  const { inventory, reconciliations, reconciler } = run;
  await inventory.upsert(clusterDocument('c1', ['slow']), 1);
  await eventually(() => expect(components(reconciler)).toContain('slow'), { intervalMs: 10 });
  await inventory.upsert(clusterDocument('c2', ['a']), 1);
  await statusIs(inventory, 'c2', 'ready');
  const [slow] = (await reconciliations.list({ runtimeIds: ['c1'] })) ?? [];
  const { operations } = await reconciliations.get(slow?.scheduling_id ?? '');
  expect(operations[1]).toMatchObject({ component: 'slow', state: 'in_progress', attempts: 1 });
  // It answers late, by its callbacks.
  const { task } = reconciler.received.find((received) => received.task.component === 'slow') ?? fail();
  expect(await reconciler.report(task, 'success')).toBe(200);
  await statusIs(inventory, 'c1', 'ready');
});

test('[R44] the result of a remote run is ready, or an error that is retried', async () => {
  await using run = await start(({ component, metadata }) =>
    component === 'a' && metadata.region === 'us' ? { callbacks: [{ status: 'error', error: 'x' }] } : {},
  );
  const { inventory } = run;
  const { metadata } = clusterDocument('c1');
  await inventory.upsert(clusterDocument('good', ['a']), 1);
  await inventory.upsert(clusterDocument('bad', ['a'], { metadata: { ...metadata, region: 'us' } }), 1);
  await statusIs(inventory, 'good', 'ready');
  await statusIs(inventory, 'bad', 'reconcile_error_retryable');
});

test('a cluster is run again and again, never before the interval has passed', async () => {
  const interval = 2000;
  await using run = await start(undefined, { settings: { reconcileIntervalMs: interval } });
  const { inventory, reconciler } = run;
  await inventory.upsert(clusterDocument('c1', []), 1);
  await eventually(() => expect(reconciler.received).toHaveLength(3), { intervalMs: 10 });
  const at = reconciler.received.map((received) => received.at);
  for (const [from, to] of [
    [at[0], at[1]],
    [at[1], at[2]],
  ]) {
    const delay = (to ?? 0) - (from ?? 0);
    // How much later depends on the machine as well.
    expect(delay).toBeGreaterThanOrEqual(interval);
  }
});

test('at most so many operations of a cluster, and of a component over all clusters, run at the same moment', async () => {
  let running = 0;
  const most = { a: 0, all: 0 };
  const byComponent = new Map<string, number>();
  await using run = await start(
    ({ component }) => {
      running++;
      byComponent.set(component, (byComponent.get(component) ?? 0) + 1);
      most.all = Math.max(most.all, running);
      most.a = Math.max(most.a, byComponent.get('a') ?? 0);
      setTimeout(() => {
        running--;
        byComponent.set(component, (byComponent.get(component) ?? 0) - 1);
      }, 90);
      return { workMs: 100, callbacks: [{ status: 'success' }] };
    },
    { settings: { maxParallel: 2, maxParallelByComponent: { a: 1 } } },
  );
  const { inventory } = run;
  for (const id of ['c1', 'c2', 'c3']) await inventory.upsert(clusterDocument(id, ['a', 'b', 'c', 'd']), 1);
  for (const id of ['c1', 'c2', 'c3']) await statusIs(inventory, id, 'ready');
  expect(most.a).toBe(1);
  expect(most.all).toBeLessThanOrEqual(6);
});

test('a cluster without kubeconfig waits for its Secret', async () => {
  let kubeconfig: string | undefined;
  await using run = await start(undefined, {
    kubeconfigs: { read: async (id) => kubeconfig && `${kubeconfig} ${id}` },
  });
  const { inventory, reconciler, reconciliations } = run;
  await inventory.upsert({ ...clusterDocument('c1', []), kubeconfig: '' }, 1);
  await eventually(
    async () => {
      const [found] = await reconciliations.list({});
      const [operation] = (await reconciliations.get(found?.scheduling_id ?? '')).operations;
      expect(operation).toMatchObject({
        state: 'client_error',
        reason: expect.stringContaining('kubeconfig-c1'),
      });
    },
    { intervalMs: 10 },
  );
  kubeconfig = 'from the Secret';
  await statusIs(inventory, 'c1', 'ready');
  expect(reconciler.received[0]?.task.kubeconfig).toBe('from the Secret c1');
});

test('the Secret of a runtime is for operators; a namespace that names its id gets its own kubeconfig used', async () => {
  await using run = await start(undefined, { kubeconfigs: { read: async (id) => `administrator of ${id}` } });
  const { inventory, reconciler } = run;
  const names = { operators: 'shop', controlPlane: 'kcp-system/shop', tenant: 'team-a/shop' };
  for (const [id, name] of Object.entries(names))
    await inventory.upsert({ ...clusterDocument(id, []), runtimeInput: { name, description: '' } }, 1);
  for (const id of Object.keys(names)) await statusIs(inventory, id, 'ready');
  const used = reconciler.received.map(({ task: { kubeconfig } }) => kubeconfig);
  expect([...new Set(used)].sort()).toEqual([
    'administrator of controlPlane',
    'administrator of operators',
    'kubeconfig of tenant',
  ]);
});

test('new clusters come before periodic runs', async () => {
  await using run = await start(({ component }) => ({ workMs: component === 'CRDs' ? 0 : 20 }), {
    settings: { workers: 1, maxParallel: 1 },
  });
  const { inventory, database, reconciler } = run;
  const old = Array.from({ length: 10 }, (_, n) => `old${n}`);
  for (const id of old) await inventory.upsert(clusterDocument(id, ['a']), 1);
  for (const id of old) await statusIs(inventory, id, 'ready');
  const before = reconciler.received.length;
  await sql`
    update runtimes set next_run_at = now(), status_since = status_since - interval '1 day'
  `.execute(database.queries);
  await inventory.upsert(clusterDocument('new', ['a']), 1);
  await statusIs(inventory, 'new', 'ready');
  const order = reconciler.received.slice(before).map(({ task }) => task.correlationID.split('--')[0]);
  expect(order.filter((id) => id === 'new')).toHaveLength(2);
  expect(order.indexOf('new')).toBeLessThan(5);
});

function fail(): never {
  throw new Error('there is no such task');
}
