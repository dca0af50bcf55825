import { expect, jest, test } from '@jest/globals';
import { sql } from 'kysely';
import { migrate } from '../../../../internal/systems/reconciler/mothership/database/migrations.ts';
import { nextDueMs } from '../../../../internal/systems/reconciler/mothership/runnables/scheduler.ts';
import { repositorySteps } from '../../../environment/mothership/repository-steps.ts';
import { clusterDocument } from '../../../environment/mothership/test-mothership.ts';
import { startTestDatabases } from '../../../environment/postgres/test-databases.ts';
import { forFile } from '../../harness/for-file.ts';

jest.setTimeout(180_000);

const CLUSTERS = 12;
const INTERVAL_S = 300;
const SIMULATED_S = 1500;
/** The backstop of the scheduler. */
const WATCH_MS = 60_000;

const databases = forFile(startTestDatabases);

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
