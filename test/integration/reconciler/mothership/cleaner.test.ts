import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { defaultSettings } from '../../../../internal/systems/reconciler/mothership/model/settings.ts';
import {
  cleanReconciliations,
  limitStatuses,
} from '../../../../internal/systems/reconciler/mothership/runnables/cleaner.ts';
import { repositorySteps } from '../../../environment/mothership/repository-steps.ts';
import { clusterDocument } from '../../../environment/mothership/test-mothership.ts';
import { startTestDatabases } from '../../../environment/postgres/test-databases.ts';
import { forFile } from '../../harness/for-file.ts';

const databases = forFile(startTestDatabases);

const never = new AbortController().signal;
const { cleaner } = defaultSettings;

/** A cluster with finished reconciliations, so many days old, by name. */
async function history(records: readonly { readonly days: number; readonly status: string }[]) {
  const steps = repositorySteps(await databases.open());
  const { database, inventory } = steps;
  const { cluster, configuration, status } = await inventory.upsert(clusterDocument('c1'), 1);
  for (const [index, record] of records.entries()) {
    await sql`
      insert into reconciliations (scheduling_id, runtime_id, cluster_version, config_version, config_status_id, type,
        kyma_version, status, finished, created)
      values (${String(index)}, 'c1', ${cluster.version}, ${configuration.version}, ${status.id}, 'reconcile', '2',
        ${record.status}, true, now() - ${record.days}::int * interval '1 day')
    `.execute(database.queries);
  }
  const left = async () =>
    (await steps.reconciliations.list({}))
      .map(({ scheduling_id }) => Number(scheduling_id))
      .sort((a, b) => a - b);
  return { ...steps, left };
}

test('[R35] the latest 4 stay and failed ones, but none that is older than 6 days', async () => {
  const records = Array.from({ length: 11 }, (_, days) => ({ days, status: days === 5 ? 'error' : 'ready' }));
  const { database, left } = await history(records);
  const byAge = { ...cleaner, keepLatest: 100, maxReconciliationAgeDays: 6 };
  expect(await cleanReconciliations(database, byAge, never)).toBe(4);
  expect(await left()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(await cleanReconciliations(database, { ...byAge, keepLatest: 4 }, never)).toBe(2);
  expect(await left()).toEqual([0, 1, 2, 3, 5]);
});

test('[R35] without a number to keep, all that are older are removed, and runs too', async () => {
  const { database, left, inventory, schedule } = await history([
    { days: 1, status: 'ready' },
    { days: 15, status: 'error' },
  ]);
  const [running] = await schedule();
  expect(await cleanReconciliations(database, cleaner, never)).toBe(1);
  expect(await left()).toEqual([Number.NaN, 0]);
  await sql`
    update reconciliations set created = created - interval '20 days' where scheduling_id = ${running}
  `.execute(database.queries);
  expect(await cleanReconciliations(database, cleaner, never)).toBe(1);
  expect((await inventory.latest('c1')).status.status).toBe('reconcile_pending');
});

test.each([0, 1, 199, 200, 201, 450])('[R22] %d old reconciliations: the newest stays', async (count) => {
  const { database, left } = await history(
    Array.from({ length: count }, (_, index) => ({ days: 10 + index, status: 'error' })),
  );
  const settings = { ...cleaner, keepLatest: 1, maxReconciliationAgeDays: 1 };
  expect(await cleanReconciliations(database, settings, never)).toBe(Math.max(0, count - 1));
  expect(await left()).toEqual(count > 0 ? [0] : []);
});

test('statuses of a cluster are limited by their number and their age, except those that are in use', async () => {
  const { database, inventory } = await history([{ days: 1, status: 'ready' }]);
  const other = await inventory.upsert(clusterDocument('c2'), 1);
  const first = await inventory.status('c1');
  // The first ones are current, that of c1 has a reconciliation too; the newest ones are 400 minutes old.
  for (const { cluster, configuration } of [first, other]) {
    await sql`
      insert into cluster_statuses (runtime_id, cluster_version, config_version, status, created)
      select ${cluster.runtimeId}, ${cluster.version}, ${configuration.version}, 'ready', now() - (1000 - n) * interval '1 minute' from generate_series(1, 600) n
    `.execute(database.queries);
  }
  await sql`update cluster_statuses set created = now() - interval '20 hours' where id <= 2`.execute(
    database.queries,
  );
  const count = async () => {
    const { rows } =
      await sql`select runtime_id, count(*)::int as n from cluster_statuses group by 1 order by 1`.execute(
        database.queries,
      );
    return rows;
  };
  const hour = 3_600_000;
  expect(
    await limitStatuses(database, { ...cleaner, keepStatuses: 100, maxStatusAgeMs: 500 * hour }, never),
  ).toBe(1000);
  expect(await count()).toEqual([
    { runtime_id: 'c1', n: 101 },
    { runtime_id: 'c2', n: 101 },
  ]);
  expect(await limitStatuses(database, { ...cleaner, keepStatuses: 1000, maxStatusAgeMs: hour }, never)).toBe(
    198,
  );
  expect(await count()).toEqual([
    { runtime_id: 'c1', n: 2 },
    { runtime_id: 'c2', n: 2 },
  ]);
});
