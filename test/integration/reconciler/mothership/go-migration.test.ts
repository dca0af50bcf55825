import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { reconciliationShape } from '../../../../internal/systems/reconciler/mothership/api/shapes.ts';
import type { Database } from '../../../../internal/systems/reconciler/mothership/database/database.ts';
import {
  migrate,
  refuseUnfinishedMigration,
} from '../../../../internal/systems/reconciler/mothership/database/migrations.ts';
import { createGoCipher } from '../../../../internal/systems/reconciler/mothership/go-migration/go-database.ts';
import {
  type GoMigrationOptions,
  migrateGoDatabase,
} from '../../../../internal/systems/reconciler/mothership/go-migration/migrate-from-go.ts';
import { migrateToGoDatabase } from '../../../../internal/systems/reconciler/mothership/go-migration/migrate-to-go.ts';
import { removeCluster } from '../../../../internal/systems/reconciler/mothership/inventory/create-inventory.ts';
import { fillGoDatabase, goKey } from '../../../environment/mothership/go-database.ts';
import { repositorySteps } from '../../../environment/mothership/repository-steps.ts';
import { clusterDocument, testKeyring } from '../../../environment/mothership/test-mothership.ts';
import { startTestDatabases } from '../../../environment/postgres/test-databases.ts';
import { forFile } from '../../harness/for-file.ts';

const databases = forFile(startTestDatabases);

const open = async () => {
  const database = await databases.open();
  await fillGoDatabase(database);
  return repositorySteps(database);
};

type Steps = ReturnType<typeof repositorySteps>;

const migrateWith = (
  { database, context }: Pick<Steps, 'database' | 'context'>,
  key = goKey,
  { cleaner = context.settings.cleaner, ...options }: MigrationBounds = {},
) =>
  migrateGoDatabase({
    ...context,
    ...{ database, keyring: testKeyring, settings: { ...context.settings, cleaner }, ...options },
    goKeys: ['ef'.repeat(32), key],
  });

interface MigrationBounds extends Pick<GoMigrationOptions, 'statusBatchSize'> {
  readonly cleaner?: GoMigrationOptions['settings']['cleaner'];
}

const statuses = async (database: Database) => {
  const { rows } = await sql<{ id: string; status: string }>`
    select runtime_id as id, status from runtimes order by 1
  `.execute(database.queries);
  return Object.fromEntries(rows.map(({ id, status }) => [id, status]));
};

test('all clusters of a Go database are migrated, with versions and statuses', async () => {
  const steps = await open();
  const { database, inventory, reconciliations } = steps;
  expect(await migrateWith(steps)).toEqual({
    clusters: 16,
    configurations: 16,
    statuses: 32,
    reconciliations: 2,
    operations: 9,
  });
  const found = await statuses(database);
  expect(found).toMatchObject({
    ready: 'ready',
    deleted: 'deleted',
    unknown: 'error',
    running: 'reconciling',
  });
  expect(found).toMatchObject({ stuck: 'reconcile_pending', deleting: 'delete_pending' });
  expect(found).not.toHaveProperty('gone');
  const ready = await inventory.latest('ready');
  expect(ready.configuration.components).toEqual([
    { component: 'a', namespace: 'kyma-system', configuration: [], URL: '', version: '' },
  ]);
  const age = Date.now() - ready.cluster.created.getTime();
  expect(Math.abs(age)).toBeLessThan(60_000);
  const info = await reconciliations.get('ended--1');
  expect(reconciliationShape(info)).toMatchObject({
    finished: true,
    lock: 'unlock-ended--1',
    status: 'error',
  });
  expect(await reconciliations.failures(info.config_status_id)).toEqual([
    { component: 'a', reason: 'broken' },
  ]);
  // Its kubeconfig is the same, so that nothing changes when it is registered again.
  const { kymaConfig } = clusterDocument('ready');
  const same = {
    ...clusterDocument('ready'),
    kymaConfig: { ...kymaConfig, components: ready.configuration.components },
  };
  const again = await inventory.upsert(same, 1);
  expect(ready).toMatchObject({ cluster: again.cluster, configuration: again.configuration });
  const added = await inventory.upsert(clusterDocument('new'), 1);
  expect(added.cluster.version).toBeGreaterThan(16);
});

test('a run of the Go program goes on: what waited is sent, what was sent is sent again after its lease', async () => {
  const steps = await open();
  const { database, claim, report, reconciliations, inventory } = steps;
  await migrateWith(steps);
  const claimed = await claim();
  expect(claimed.map(({ component }) => component).sort()).toEqual(['c', 'd', 'e']);
  for (const operation of claimed) await report(operation, 'success');
  expect(await claim()).toEqual([]);
  const { rows } = await sql`
    select component from operations where lease_until > now() and state in ('in_progress', 'failed') order by 1
  `.execute(database.queries);
  expect(rows).toEqual([{ component: 'a' }, { component: 'b' }]);
  const stale = (await reconciliations.get('running--1')).operations.find(
    ({ component }) => component === 'a',
  );
  await expect(
    reconciliations.callback({
      schedulingId: 'running--1',
      correlationId: stale?.correlation_id ?? '',
      token: undefined,
      status: 'success',
      error: '',
      retryId: 'r',
      processingDurationMs: 1,
    }),
  ).rejects.toMatchObject({ refusal: 'missing-token' });
  expect((await inventory.latest('running')).status.status).toBe('reconciling');
});

/** The database as a process that dies after so many transactions has it. */
function dyingAfter({ database }: Steps, transactions: number): Database {
  let left = transactions;
  return {
    ...database,
    transaction: (work) =>
      left-- > 0 ? database.transaction(work) : Promise.reject(new Error('the process was killed')),
  };
}

const copied = async ({ database }: Steps) => {
  const { rows } = await sql`
    select id, runtime_id, config_version, status, deleted from cluster_statuses order by id
  `.execute(database.queries);
  return { statuses: rows, clusters: await statuses(database) };
};

test('a migration that is killed in any of its steps goes on, and this program does not start before its end', async () => {
  const [once, killed] = [await open(), await open()];
  const result = await migrateWith(once);
  let attempts = 0;
  for (;;) {
    attempts++;
    // It dies one step later each time.
    const database = dyingAfter(killed, attempts + 1);
    const work = migrateWith({ ...killed, database }, goKey, { statusBatchSize: 5 });
    const ended = await work.catch((error: Error) => error.message);
    if (ended !== 'the process was killed') {
      expect(ended).toEqual(result);
      break;
    }
    await expect(refuseUnfinishedMigration(killed.database.queries)).rejects.toThrow('has not ended');
    expect(await statuses(killed.database)).toEqual({});
  }
  // Clusters, configurations, statuses three times, and the end.
  expect(attempts).toBeGreaterThan(5);
  await refuseUnfinishedMigration(killed.database.queries);
  expect(await copied(killed)).toEqual(await copied(once));
});

test('a migration is begun again when the Go program has written since it was interrupted', async () => {
  const steps = await open();
  const { database } = steps;
  await expect(migrateWith({ ...steps, database: dyingAfter(steps, 5) })).rejects.toThrow('killed');
  await sql`insert into public.inventory_cluster_config_statuses (runtime_id, cluster_version, config_version, status)
    select runtime_id, cluster_version, version, 'ready' from public.inventory_cluster_configs where runtime_id = 'error'`.execute(
    database.queries,
  );
  expect(await migrateWith(steps)).toMatchObject({ clusters: 16, statuses: 33 });
  expect(await statuses(database)).toMatchObject({ error: 'ready' });
});

test('a Go program that writes meanwhile is found', async () => {
  const steps = await open();
  const writing: Database = {
    ...steps.database,
    transaction: async (work) => {
      const result = await steps.database.transaction(work);
      await sql`insert into public.inventory_cluster_config_statuses (runtime_id, cluster_version, config_version, status)
        select runtime_id, cluster_version, version, 'ready' from public.inventory_cluster_configs limit 1`.execute(
        steps.database.queries,
      );
      return result;
    },
  };
  await expect(migrateWith({ ...steps, database: writing })).rejects.toThrow('stop its motherships');
});

test('of the statuses of a cluster, those that would be deleted soon are left out', async () => {
  const steps = await open();
  const { database, inventory } = steps;
  const add = (runtimeId: string, days: number) => sql`
    insert into public.inventory_cluster_config_statuses (runtime_id, cluster_version, config_version, status, created)
    select runtime_id, cluster_version, version, 'ready', now() at time zone 'UTC' - ${days}::int * interval '1 day'
    from public.inventory_cluster_configs, generate_series(1, 10) where runtime_id = ${runtimeId}`;
  await sql`update public.inventory_cluster_config_statuses set created = created - interval '30 days'
    where runtime_id in ('deleting', 'error')`.execute(database.queries);
  await add('ready', 0).execute(database.queries);
  await add('ended', 0).execute(database.queries);
  await add('error', 20).execute(database.queries);
  await migrateWith(steps, goKey, { cleaner: { keepStatuses: 4, maxStatusAgeMs: 7 * 24 * 3_600_000 } });
  const { rows } = await sql<{ id: string; count: number }>`
    select runtime_id as id, count(*) from cluster_statuses where runtime_id in ('ready', 'error', 'deleting', 'ended')
    group by runtime_id order by runtime_id`.execute(database.queries);
  expect(Object.fromEntries(rows.map(({ id, count }) => [id, count]))).toEqual({
    // The newest one of a configuration stays, however old it is; its run is gone, so that it is pending again.
    deleting: 2,
    // One is that of a reconciliation.
    ended: 5,
    error: 1,
    ready: 4,
  });
  const { status } = await inventory.setStatus('ready', 'reconcile_disabled');
  const last = await sql<{ id: number }>`
    select max(id)::int as id from public.inventory_cluster_config_statuses`.execute(database.queries);
  expect(status.id).toBeGreaterThan(last.rows[0]?.id ?? 0);
});

test('tables of the Go program stay, and a second migration is refused', async () => {
  const steps = await open();
  await migrateWith(steps);
  await expect(migrateWith(steps)).rejects.toThrow('has clusters of this program already');
  const { rows } = await sql`
    select (select count(*) from public.inventory_clusters) as clusters, (select count(*) from public.config_keys) as keys
  `.execute(steps.database.queries);
  expect(rows).toEqual([{ clusters: 16, keys: 1 }]);
});

test.each([
  { what: 'another key', key: 'cd'.repeat(32), change: sql`select 1`, message: 'encrypted with another key' },
  {
    what: 'a changed text',
    key: goKey,
    change: sql`
      update public.inventory_clusters set kubeconfig = left(kubeconfig, -1)
        || translate(right(kubeconfig, 1), '0123456789abcdef', '123456789abcdef0')
      where runtime_id = 'ready'
    `,
    message: 'the text was changed',
  },
  {
    what: 'an older schema',
    key: goKey,
    change: sql`update public.schema_migrations set version = 16`,
    message: 'must have version 17, found 16',
  },
  {
    what: 'a migration that failed',
    key: goKey,
    change: sql`update public.schema_migrations set dirty = true`,
    message: 'found 17, dirty',
  },
  { what: 'no schema', key: goKey, change: sql`drop table public.schema_migrations`, message: 'found none' },
])('with $what nothing is migrated', async ({ key, change, message }) => {
  const steps = await open();
  await change.execute(steps.database.queries);
  await expect(migrateWith(steps, key)).rejects.toThrow(message);
  expect(await statuses(steps.database)).toEqual({});
});

const backTo = ({ database }: Steps, key = goKey) =>
  migrateToGoDatabase({ database, keyring: testKeyring, goKey: key });

/** The state of all clusters, as this program shows it, without the moments of later statuses. */
async function statesOf({ database, inventory }: Steps) {
  const found = await statuses(database);
  const states = [];
  for (const id of Object.keys(found)) {
    const { cluster, configuration, status } = await inventory.latest(id);
    states.push({ cluster, configuration, status: status.status });
  }
  return states;
}

test('the way back: what was registered, changed, deleted and set since then is in the tables of the Go program', async () => {
  const steps = await open();
  const { database, inventory } = steps;
  await migrateWith(steps);
  await inventory.upsert(clusterDocument('new'), 1);
  await inventory.upsert({ ...clusterDocument('ready'), kubeconfig: 'rotated' }, 1);
  const { kymaConfig } = clusterDocument('error');
  await inventory.upsert({ ...clusterDocument('error'), kymaConfig: { ...kymaConfig, version: '9.9.9' } }, 1);
  await inventory.setStatus('reconcile_error_retryable', 'reconcile_disabled');
  await database.transaction((tx) => removeCluster(tx, 'delete_error'));

  const counts = await backTo(steps);
  expect(counts).toMatchObject({ clusters: 2, deleted: 1, endedReconciliations: 1 });
  // A second time adds nothing: nothing has changed.
  expect(await backTo(steps)).toEqual({
    clusters: 0,
    configurations: 0,
    statuses: 0,
    deleted: 0,
    endedReconciliations: 0,
  });

  const { rows } = await sql<{ id: string; kubeconfig: string; deleted: boolean }>`
    select distinct on (runtime_id) runtime_id as id, kubeconfig, deleted from public.inventory_clusters
    order by runtime_id, version desc
  `.execute(database.queries);
  const decrypt = createGoCipher([goKey]);
  const kubeconfigOf = (id: string) => decrypt(rows.find((row) => row.id === id)?.kubeconfig ?? '', id);
  expect([kubeconfigOf('ready'), kubeconfigOf('new')]).toEqual([
    'rotated',
    clusterDocument('new').kubeconfig,
  ]);
  expect(rows.filter(({ id }) => /^deleted_\d+_delete_error$/.test(id))).toMatchObject([{ deleted: true }]);
  const unfinished = await sql`
    select 1 from public.scheduler_reconciliations where not finished or lock not like 'unlock-%'
  `.execute(database.queries);
  expect(unfinished.rows).toEqual([]);

  // The Go program finds the same clusters as this one does after it has migrated its database again.
  const before = await statesOf(steps);
  await sql`drop schema mothership cascade`.execute(database.queries);
  await migrate(database.queries);
  await migrateWith(steps);
  expect(await statesOf(steps)).toEqual(before);
  const found = await statuses(database);
  expect(found).toMatchObject({
    running: 'reconcile_pending',
    deleting: 'delete_pending',
    reconcile_error_retryable: 'reconcile_disabled',
  });
  expect(found).not.toHaveProperty('delete_error');
});

test.each([
  {
    what: 'a status that the Go program has added since',
    change: sql`insert into public.inventory_cluster_config_statuses (runtime_id, cluster_version, config_version, status)
      select runtime_id, cluster_version, config_version, 'ready' from public.inventory_cluster_config_statuses limit 1`,
    key: goKey,
    message: 'the Go program has changed its tables since they were migrated',
  },
  {
    what: 'another key than that of the Go program',
    change: sql`select 1`,
    key: 'ef'.repeat(32),
    message: 'the Go program has encrypted with another key',
  },
])('with $what there is no way back, and nothing is changed', async ({ change, key, message }) => {
  const steps = await open();
  await migrateWith(steps);
  await steps.inventory.upsert(clusterDocument('new'), 1);
  await change.execute(steps.database.queries);
  await expect(backTo(steps, key)).rejects.toThrow(message);
  const { rows } = await sql`select 1 from public.inventory_clusters where runtime_id = 'new'`.execute(
    steps.database.queries,
  );
  expect(rows).toEqual([]);
});
