import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { Database } from '../../../internal/mothership/database/database.ts';
import { migrateGoDatabase } from '../../../internal/mothership/go-migration/migrate-go-database.ts';
import { fillGoDatabase, goKey } from '../../environment/mothership/go-database.ts';
import { repositorySteps } from '../../environment/mothership/repository-steps.ts';
import { clusterDocument, testKeyring } from '../../environment/mothership/test-mothership.ts';
import { startTestDatabases, type TestDatabases } from '../../environment/postgres/test-databases.ts';

let databases: TestDatabases;
beforeAll(async () => {
  databases = await startTestDatabases();
});
afterAll(() => databases.close());

const open = async () => {
  const database = await databases.open();
  await fillGoDatabase(database);
  return repositorySteps(database);
};

const migrateWith = ({ database, context }: ReturnType<typeof repositorySteps>, key = goKey) =>
  migrateGoDatabase({ ...context, database, goKeys: ['ef'.repeat(32), key], keyring: testKeyring });

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
  expect(info).toMatchObject({ finished: true, lock: 'unlock-ended--1', status: 'error' });
  expect(await reconciliations.failures(info.configStatusId)).toEqual([{ component: 'a', reason: 'broken' }]);
  // Its kubeconfig is the same, so that nothing changes when it is registered again.
  const { kymaConfig } = clusterDocument('ready');
  const same = {
    ...clusterDocument('ready'),
    kymaConfig: { ...kymaConfig, components: ready.configuration.components },
  };
  const again = await inventory.upsert(same, 1);
  expect(again.configuration).toEqual(ready.configuration);
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
      correlationId: stale?.correlationId ?? '',
      token: undefined,
      status: 'success',
      error: '',
      retryId: 'r',
      processingDurationMs: 1,
    }),
  ).rejects.toMatchObject({ refusal: 'missing-token' });
  expect((await inventory.latest('running')).status.status).toBe('reconciling');
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
