import { describe, expect, jest, test } from '@jest/globals';
import { type RawBuilder, sql } from 'kysely';
import { reconciliationShape } from '../../../../internal/systems/reconciler/mothership/api/shapes.ts';
import type { Database } from '../../../../internal/systems/reconciler/mothership/database/database.ts';
import { migrate } from '../../../../internal/systems/reconciler/mothership/database/migrations.ts';
import { removeCluster } from '../../../../internal/systems/reconciler/mothership/inventory/create-inventory.ts';
import type { Settings } from '../../../../internal/systems/reconciler/mothership/model/settings.ts';
import { removeReconciliations } from '../../../../internal/systems/reconciler/mothership/reconciliations/create-reconciliations.ts';
import {
  createEndAttempt,
  markOrphans,
} from '../../../../internal/systems/reconciler/mothership/reconciliations/end-attempts.ts';
import { closeReconciliations } from '../../../../internal/systems/reconciler/mothership/runnables/bookkeeper.ts';
import {
  nextDueMs,
  type StartInput,
  startReconciliations,
} from '../../../../internal/systems/reconciler/mothership/runnables/scheduler.ts';
import { eventually } from '../../../environment/eventually.ts';
import { repositorySteps } from '../../../environment/mothership/repository-steps.ts';
import { clusterDocument } from '../../../environment/mothership/test-mothership.ts';
import { leftOut, startTestDatabases } from '../../../environment/postgres/test-databases.ts';
import { takeViolations } from '../../../guards/violations.ts';
import { forFile } from '../../harness/for-file.ts';

const databases = forFile(startTestDatabases);

const open = async (settings?: Partial<Settings>) => repositorySteps(await databases.open(), settings);
type Steps = Awaited<ReturnType<typeof open>>;

const refused = (refusal: string) => expect.objectContaining({ refusal });

const startReconciliation = async (database: Database, input: StartInput) => {
  const [started] = await startReconciliations(database, [input]);
  return started;
};

/** What `startReconciliation` needs for a cluster. */
async function startInput({ inventory }: Steps, runtimeId: string) {
  const { cluster, configuration, status } = await inventory.upsert(clusterDocument(runtimeId), 1);
  return {
    runtimeId,
    clusterVersion: cluster.version,
    configVersion: configuration.version,
    statusId: status.id,
    kymaVersion: clusterDocument(runtimeId).kymaConfig.version,
    type: 'reconcile',
    rank: 0,
    operations: [{ component: 'CRDs', priority: 1, parameters: {} }],
    maxParallel: 25,
  } as const;
}

test('the guard of rows finds a statement that lacks the id of its cluster', async () => {
  if (databases.server === undefined) return leftOut('the guard of rows');
  const { begin, database } = await open();
  const remove = (condition: RawBuilder<unknown>) =>
    database.transaction((tx) => removeReconciliations(tx, condition));
  await begin('c1');
  await remove(sql`runtime_id = ${'c1'}`);
  expect(takeViolations()).toEqual([]);
  await begin('c2');
  await remove(sql`type = ${'reconcile'}`);
  expect(takeViolations()).toEqual([
    {
      guard: 'foreign-objects',
      where:
        'internal/systems/reconciler/mothership/reconciliations/create-reconciliations.ts#removeReconciliations',
      what: 'changes rows of another cluster in reconciliations',
    },
  ]);
});

describe('reconciliations', () => {
  test('[R15] a cluster has one that runs; another one is refused; it ends once', async () => {
    const steps = await open();
    const { reconciliations, database, inventory, begin, finish } = steps;
    const id = await begin('c1');
    const found = await reconciliations.get(id);
    expect(found).toMatchObject({
      scheduling_id: id,
      runtime_id: 'c1',
      finished: false,
      status: 'reconciling',
    });
    const { status } = await inventory.latest('c1');
    const again = { ...(await startInput(steps, 'c1')), statusId: status.id };
    // The registration in `startInput` made the cluster pending again.
    const pending = await inventory.latest('c1');
    await expect(startReconciliation(database, { ...again, statusId: pending.status.id })).rejects.toEqual(
      refused('running'),
    );
    await expect(reconciliations.get('unknown')).rejects.toEqual(refused('not-found'));
    await finish();
    expect(reconciliationShape(await reconciliations.get(id))).toMatchObject({
      lock: `unlock-${id}`,
      finished: true,
    });
    expect(await closeReconciliations({ ...steps.context, database })).toBe(0);
    await expect(reconciliations.purge('unknown')).rejects.toEqual(refused('not-found'));
    expect(await reconciliations.purge('c1')).toBe(1);
    const { rows } = await sql`select 1 from operations`.execute(database.queries);
    expect(rows).toEqual([]);
  });

  test('[R17] filters hold together, newest first', async () => {
    const { reconciliations, begin, finish } = await open();
    const first = await begin('c1');
    await finish();
    const middle = await reconciliations.get(first);
    const second = await begin('c2');
    const third = await begin('c3');
    const found = async (filter: Parameters<typeof reconciliations.list>[0]) =>
      (await reconciliations.list(filter)).map(({ runtime_id }) => runtime_id).join();
    expect(await found({})).toBe('c3,c2,c1');
    expect(await found({ schedulingIds: [second] })).toBe('c2');
    expect(await found({ runtimeIds: ['c1', 'c3', 'none', '\0'] })).toBe('c3,c1');
    expect(await found({ finished: false })).toBe('c3,c2');
    expect(await found({ statuses: ['ready'] })).toBe('c1');
    expect(await found({ statuses: ['ready', 'reconciling'] })).toBe('c3,c2,c1');
    expect(await found({ createdAfter: middle.created })).toBe('c3,c2');
    expect(await found({ createdBefore: new Date(middle.created.getTime() + 1) })).toBe('c1');
    expect(await found({ limit: 2 })).toBe('c3,c2');
    expect(await found({ runtimeIds: ['c1', 'c2'], finished: true, limit: 5 })).toBe('c1');
    expect(await found({ schedulingIds: [] })).toBe('');
    expect(await found({ schedulingIds: [first, third, 'none', '\0'] })).toBe('c3,c1');
    expect(await found({ runtimeIds: [] })).toBe('');
    expect(await found({ statuses: [] })).toBe('');
    expect(await found({ finished: true })).toBe('c1');
    expect(await found({ limit: 1 })).toBe('c3');
    // All that is asked for holds at once.
    expect(await found({ runtimeIds: ['c1', 'c2'], schedulingIds: [second, third] })).toBe('c2');
    expect(await found({ runtimeIds: ['c1'], schedulingIds: [second] })).toBe('');
    expect(await found({ finished: false, statuses: ['ready'] })).toBe('');
    expect(await found({ finished: false, limit: 1 })).toBe('c3');
    const all = { runtimeIds: ['c1', 'c2', 'c3'], schedulingIds: [first, second], finished: false };
    const since = { createdAfter: middle.created, createdBefore: new Date(Date.now() + 60_000) };
    expect(await found({ ...all, ...since, statuses: ['reconciling'], limit: 5 })).toBe('c2');
    expect(await found({ ...all, ...since, createdBefore: middle.created })).toBe('');
    // A time is that of no run: neither before nor after it.
    expect(await found({ createdBefore: middle.created })).toBe('');
    const later = await reconciliations.get(third);
    expect(await found({ createdAfter: middle.created, createdBefore: later.created })).toBe('c2');
    expect(await found({ createdAfter: later.created })).toBe('');
    expect(later.operations).toHaveLength(4);
  });

  test('[R17] failures are the operations of one run in three states, in the order of the components', async () => {
    const { reconciliations, begin, database } = await open();
    const components = ['istio', 'a', 'b', 'c', 'd', 'e', 'f'];
    const [own, other] = [await begin('c1', components), await begin('c2', components)];
    const states = ['new', 'in_progress', 'client_error', 'failed', 'error', 'orphan', 'done'] as const;
    for (const [index, state] of states.entries())
      await sql`update operations set state = ${state}, reason = ${state}, released = false
        where scheduling_id = ${own} and component = ${components[index]}`.execute(database.queries);
    const failuresOf = async (id: string) =>
      reconciliations.failures((await reconciliations.get(id)).config_status_id);
    expect(await failuresOf(own)).toEqual([
      { component: 'b', reason: 'client_error' },
      { component: 'c', reason: 'failed' },
      { component: 'd', reason: 'error' },
    ]);
    expect(await failuresOf(other)).toEqual([]);
  });

  test('[R23] runs are started together or not at all', async () => {
    const steps = await open();
    const input = await startInput(steps, 'c1');
    const invalid = { ...(await startInput(steps, 'c2')), kymaVersion: '\0' };
    await expect(startReconciliations(steps.database, [input, invalid])).rejects.toThrow(
      'unsupported Unicode',
    );
    expect(await steps.reconciliations.list({})).toEqual([]);
    expect((await steps.inventory.latest('c1')).status.status).toBe('reconcile_pending');
  });

  test('[R24] of 25 starts at the same moment one succeeds, and of 25 equal changes', async () => {
    const steps = await open();
    const input = await startInput(steps, 'c1');
    const started = await Promise.allSettled(
      Array.from({ length: 25 }, () => startReconciliation(steps.database, input)),
    );
    expect(
      started.filter((result) => result.status === 'fulfilled' && result.value !== undefined),
    ).toHaveLength(1);
    const [operation] = await steps.claim();
    if (operation === undefined) throw new Error('nothing was claimed');
    const ids = { schedulingId: operation.scheduling_id, correlationId: operation.correlation_id };
    const change = { ...ids, from: ['in_progress'], state: 'done', reason: null } as const;
    const changed = await Promise.all(
      // Each as another process.
      Array.from({ length: 25 }, () => createEndAttempt(steps.database, steps.context)(change)),
    );
    expect(changed.filter((row) => row !== undefined)).toHaveLength(1);
    expect((await steps.inventory.latest('c1')).status.status).toBe('ready');
    expect(await steps.inventory.statusChanges('c1', 1e9)).toHaveLength(3);
  });

  test('a round of the scheduler ends though many clusters are locked, and starts the others', async () => {
    const { database, inventory, schedule } = await open();
    if (database.kind === 'embedded') return;
    const ids = Array.from({ length: 120 }, (_, n) => `c${String(n).padStart(3, '0')}`);
    for (const id of ids) await inventory.upsert(clusterDocument(id, []), 1);
    const locked = Promise.withResolvers<void>();
    const ending = Promise.withResolvers<void>();
    const locking = database.transaction(async (tx) => {
      await sql`select 1 from runtimes where runtime_id < 'c100' for update`.execute(tx);
      locked.resolve();
      await ending.promise;
    });
    await locked.promise;
    expect(await schedule()).toHaveLength(20);
    ending.resolve();
    await locking;
    expect(await schedule()).toHaveLength(100);
  });

  test('purging a run makes its cluster pending again', async () => {
    const { begin, reconciliations, inventory } = await open();
    await begin('c1');
    await reconciliations.purge('c1');
    expect((await inventory.latest('c1')).status.status).toBe('reconcile_pending');
  });
});

describe('results', () => {
  test('[R29] a started cluster is in progress, and ready at the end', async () => {
    const { begin, inventory, finish, schedule } = await open();
    const before = await begin('c1', ['istio', 'a', 'b']);
    const running = await inventory.latest('c1');
    expect(running.status.status).toBe('reconciling');
    expect(await schedule()).toEqual([]);
    expect(await finish()).toEqual([['CRDs'], ['istio'], ['a', 'b']]);
    const ready = await inventory.latest('c1');
    expect(ready.status.status).toBe('ready');
    expect(ready.status.id).toBeGreaterThan(running.status.id);
    expect(before).toMatch(/^c1--/);
  });

  test('[R30] a status set by hand during a run stays, and its run is stored with it', async () => {
    const { begin, inventory, finish, reconciliations, schedule } = await open();
    const id = await begin('c1');
    const marked = await inventory.markForDeletion('c1');
    expect(await schedule()).toEqual([]);
    await finish();
    expect(await inventory.status('c1')).toEqual(marked);
    expect(await reconciliations.get(id)).toMatchObject({
      status: 'delete_pending',
      config_status_id: marked.status.id,
      finished: true,
    });
    expect(await schedule()).toHaveLength(1);
    expect((await inventory.latest('c1')).status.status).toBe('deleting');
  });

  test('an error ends the run when its siblings have ended, and is retried until there are too many', async () => {
    const steps = await open({ maxReconcileErrors: 2, reconcileIntervalMs: 0 });
    const { begin, inventory, claim, report, reconciliations, schedule, finish } = steps;
    const id = await begin('c1', ['a', 'b', 'c']);
    await report((await claim())[0] ?? fail(), 'success');
    const group = await claim(2);
    await report(group[0] ?? fail(), 'error', { error: 'broken' });
    expect(await claim()).toEqual([]);
    expect((await inventory.latest('c1')).status.status).toBe('reconciling');
    await report(group[1] ?? fail(), 'success');
    const failed = await inventory.latest('c1');
    expect(failed.status.status).toBe('reconcile_error_retryable');
    expect(await reconciliations.failures(failed.status.id)).toEqual([{ component: 'a', reason: 'broken' }]);
    expect(await reconciliations.get(id)).toMatchObject({ reason: 'a: broken' });
    await schedule();
    await finish((component) => (component === 'CRDs' ? 'error' : 'success'));
    expect((await inventory.latest('c1')).status.status).toBe('reconcile_error_retryable');
    await schedule();
    await finish(() => 'error');
    expect((await inventory.latest('c1')).status.status).toBe('error');
    expect(await schedule()).toEqual([]);
  });

  test('operations that were not sent when their run ended are never sent, nor is the older version then', async () => {
    const steps = await open({ reconcileIntervalMs: 1 });
    const { inventory, schedule, claim, report, reconciliations, finish, context } = steps;
    const { kymaConfig } = clusterDocument('c1', ['a', 'b']);
    const register = (version: string) =>
      inventory.upsert({ ...clusterDocument('c1'), kymaConfig: { ...kymaConfig, version } }, 1);
    await register('1.0.0');
    const [run] = await schedule();
    const [crds] = await claim();
    await report(crds ?? fail(), 'success');
    const [a] = await claim(1);
    await report(a ?? fail(), 'failed', { error: 'not yet' });
    // Its lease ends, and the run with it: a second one is an error.
    const [b] = await claim(1);
    await report(b ?? fail(), 'error', { error: 'broken' });
    await sql`update operations set lease_until = now() - interval '1 s'`.execute(steps.database.queries);
    await markOrphans(steps.database, context);
    const ended = await reconciliations.get(run ?? '');
    expect(ended).toMatchObject({ finished: true, status: 'reconcile_error_retryable' });
    expect(ended.operations.map(({ state }) => state)).toEqual(['done', 'orphan', 'error']);
    expect(await claim()).toEqual([]);
    const stopped = reconciliations.stop(run ?? '', a?.correlation_id ?? '', 'why');
    await expect(stopped).rejects.toEqual(refused('not-new'));
    await expect(report(a ?? fail(), 'running')).rejects.toEqual(refused('final'));
    await register('2.0.0');
    await schedule();
    const sent = await claim();
    expect(sent.map(({ kyma_version }) => kyma_version)).toEqual(['2.0.0']);
    await report(sent[0] ?? fail(), 'success');
    expect(await finish()).toEqual([['a', 'b']]);
    expect((await inventory.latest('c1')).status.status).toBe('ready');
  });

  test('an operation that is claimed while its run ends keeps the run open', async () => {
    const steps = await open();
    const { begin, claim, report, reconciliations, database } = steps;
    const id = await begin('c1', ['a', 'b', 'c']);
    await report((await claim())[0] ?? fail(), 'success');
    const [a] = await claim(1);
    const claimed = Promise.withResolvers<void>();
    const ending = Promise.withResolvers<void>();
    // Another process that has claimed, and not committed yet.
    const claiming = database.transaction(async (tx) => {
      await sql`update operations set state = 'in_progress', released = false where component = 'b'`.execute(
        tx,
      );
      claimed.resolve();
      await ending.promise;
    });
    await claimed.promise;
    const reported = report(a ?? fail(), 'error', { error: 'broken' });
    if (database.kind === 'postgres') await waitsForLock(database);
    ending.resolve();
    await Promise.all([claiming, reported]);
    expect((await reconciliations.get(id)).finished).toBe(false);
    expect(await claim()).toEqual([]);
  });

  test('[R33] a deletion that failed before, and finds no host, is done', async () => {
    const { begin, inventory, finish, schedule, claim, report } = await open({ reconcileIntervalMs: 0 });
    await begin('c1', []);
    await finish();
    await inventory.markForDeletion('c1');
    for (const status of ['delete_error_retryable', undefined]) {
      await schedule();
      const [operation] = await claim();
      await report(operation ?? fail(), 'error', { error: 'dial tcp: lookup c1: no such host' });
      if (status) expect((await inventory.latest('c1')).status.status).toBe(status);
    }
    await expect(inventory.latest('c1')).rejects.toEqual(refused('not-found'));
    const { cluster } = await inventory.of(undefined);
    expect(cluster).toMatchObject({ deleted: true });
  });

  test('a deletion is not done by a text of an operation that has not failed', async () => {
    const { begin, inventory, finish, schedule, claim, report, reconciliations } = await open({
      reconcileIntervalMs: 0,
    });
    await begin('c1', ['a', 'b']);
    await finish();
    await inventory.markForDeletion('c1');
    for (let run = 0; run < 2; run++) {
      const [id = ''] = await schedule();
      const [failing, stopped] = (await reconciliations.get(id)).operations.filter(
        ({ released }) => released,
      );
      await reconciliations.stop(id, stopped?.correlation_id ?? '', 'its webhook has no such host any more');
      const [operation] = await claim();
      expect(operation?.correlation_id).toBe(failing?.correlation_id);
      await report(operation ?? fail(), 'error', { error: 'broken' });
      expect((await inventory.latest('c1')).status.status).toBe('delete_error_retryable');
    }
  });

  test('[R37] a cluster that was removed during its run ends without a status', async () => {
    const { begin, database, finish, inventory, reconciliations } = await open();
    const id = await begin('c1', []);
    await database.transaction((tx) => removeCluster(tx, 'c1'));
    await finish();
    expect(await reconciliations.get(id)).toMatchObject({ finished: true });
    await expect(inventory.latest('c1')).rejects.toEqual(refused('not-found'));
  });
});

/** Waits until a statement waits for the lock of another one. */
const waitsForLock = ({ queries }: Database) =>
  eventually(async () => {
    const { rows } = await sql`
      select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    `.execute(queries);
    expect(rows).not.toEqual([]);
  });

function fail(): never {
  throw new Error('nothing was claimed');
}

jest.setTimeout(180_000);

const CLUSTERS = 12;
const INTERVAL_S = 300;
const SIMULATED_S = 1500;
/** The backstop of the scheduler. */
const WATCH_MS = 60_000;

/** A database whose times are those of the test: its schema has functions of the same names, found before those of Postgres. */
async function openSimulated() {
  // The search path is that of a connection.
  const database = await databases.openEmpty(1);
  const { queries } = database;
  await sql`create schema mothership`.execute(queries);
  await sql`create table mothership.simulated (time timestamptz)`.execute(queries);
  await sql`insert into mothership.simulated values ('2026-01-01T00:00:00Z')`.execute(queries);
  for (const name of ['now', 'clock_timestamp']) {
    await sql`create function mothership.${sql.id(name)}() returns timestamptz language sql stable
      as 'select time from mothership.simulated'`.execute(queries);
  }
  await sql`set search_path = mothership, pg_catalog`.execute(queries);
  await migrate(queries);
  return database;
}

test('periodic runs start after the interval, at most 20 % later, and spread over it', async () => {
  const database = await openSimulated();
  const { inventory, schedule, claim, report } = repositorySteps(database, {
    reconcileIntervalMs: INTERVAL_S * 1000,
  });
  for (let n = 0; n < CLUSTERS; n++) await inventory.upsert(clusterDocument(`c${n}`, []), 1);
  const results = new Map<string, number>();
  const gaps: number[] = [];
  const starts: number[] = [];
  let seconds = 0;
  while (seconds < SIMULATED_S) {
    for (const schedulingId of await schedule()) {
      const [id = ''] = schedulingId.split('--');
      const before = results.get(id);
      if (before !== undefined) gaps.push(seconds - before);
      starts.push(seconds);
    }
    for (const operation of await claim()) {
      await report(operation, 'success');
      results.set(operation.runtime_id, seconds);
    }
    // As the scheduler waits.
    const delayMs = Math.min(Math.max((await nextDueMs(database.queries)) ?? WATCH_MS, 100), WATCH_MS);
    await sql`update simulated set time = time + ${delayMs}::float8 * interval '1 ms'`.execute(
      database.queries,
    );
    seconds += delayMs / 1000;
  }
  expect(gaps.length).toBeGreaterThan(CLUSTERS * 3);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(INTERVAL_S - 0.001);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(INTERVAL_S * 1.2);
  const last = starts.filter((at) => at > SIMULATED_S - INTERVAL_S);
  const buckets = Map.groupBy(last, (at) => Math.floor(at / (INTERVAL_S / 20)));
  expect(Math.max(...[...buckets.values()].map(({ length }) => length))).toBeLessThan(CLUSTERS);
});
