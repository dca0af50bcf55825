import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { ClusterDocument } from '../../../../internal/systems/reconciler/mothership/model/cluster.ts';
import {
  createRollouts,
  pauseFailingRollouts,
  recentSuspects,
} from '../../../../internal/systems/reconciler/mothership/rollouts.ts';
import { repositorySteps } from '../../../environment/mothership/repository-steps.ts';
import { clusterDocument } from '../../../environment/mothership/test-mothership.ts';
import { leftOut, startTestDatabases } from '../../../environment/postgres/test-databases.ts';
import { forFile } from '../../harness/for-file.ts';

const databases = forFile(startTestDatabases);

const names = (count: number) => Array.from({ length: count }, (_, n) => `c${n}`);

function ofVersion(id: string, version: string, components: readonly string[] = ['a']): ClusterDocument {
  const document = clusterDocument(id, components);
  return { ...document, kymaConfig: { ...document.kymaConfig, version } };
}

/** Clusters that are ready with version 1, then upgraded to version 2, which fails on some of them. */
async function upgrade(options: { readonly clusters: number; readonly failing: number }) {
  const steps = repositorySteps(await databases.open());
  const { inventory, schedule, finish, claim, report, database } = steps;
  for (const id of names(options.clusters)) await inventory.upsert(ofVersion(id, '1'), 1);
  await schedule();
  await finish();
  for (const id of names(options.clusters)) await inventory.upsert(ofVersion(id, '2'), 1);
  await schedule();
  for (const operation of await claim()) {
    const fails = Number(operation.runtime_id.slice(1)) < options.failing;
    await report(operation, fails ? 'error' : 'success', { error: 'broken' });
  }
  await finish();
  await pauseFailingRollouts(database.queries, await recentSuspects(database.queries), steps.context);
  return { ...steps, rollouts: createRollouts(database) };
}

const elapse = async ({ database }: { readonly database: ReturnType<typeof repositorySteps>['database'] }) =>
  sql`update runtimes set next_run_at = now() - interval '1 s', status_since = status_since - interval '10 min'`.execute(
    database.queries,
  );

async function heldRows({ database }: Pick<ReturnType<typeof repositorySteps>, 'database'>): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from runtimes where held`.execute(
    database.queries,
  );
  return rows[0]?.n ?? 0;
}

test.each([
  { what: 'too few clusters', clusters: 19, failing: 19, paused: 0 },
  { what: 'exactly 15 %', clusters: 20, failing: 3, paused: 0 },
  { what: 'more than 15 %', clusters: 20, failing: 4, paused: 1 },
])('a rollout pauses above 15 % of at least 20 clusters: $what', async ({ clusters, failing, paused }) => {
  const { rollouts } = await upgrade({ clusters, failing });
  expect(await rollouts.list()).toHaveLength(paused);
});

test('a paused version holds back periodic runs and upgrades of ready clusters, and nothing else', async () => {
  const steps = await upgrade({ clusters: 20, failing: 4 });
  const { rollouts, inventory, schedule } = steps;
  const [paused] = await rollouts.list();
  expect(paused).toMatchObject({ kind: 'version', name: '2', resumedAt: undefined });
  expect(paused?.reason).toContain('clusters with a result in the last hour failed');
  expect(await rollouts.pausedCounts()).toEqual({ version: 1, component: 0 });
  for (const id of ['ready', 'other']) await inventory.upsert(ofVersion(id, '1'), 1);
  await schedule();
  await steps.finish();

  await inventory.upsert(ofVersion('ready', '2'), 1);
  await inventory.upsert(ofVersion('new', '2'), 1);
  await inventory.markForDeletion('c10');
  await inventory.setStatus('c11', 'reconcile_pending');
  await elapse(steps);
  const started = (await schedule()).map((id) => id.split('--')[0]).sort();
  // Retries of the clusters that failed go on, and runs of the version that works.
  expect(started).toEqual(['c0', 'c1', 'c10', 'c11', 'c2', 'c3', 'new', 'other']);
  const [held] = await rollouts.list();
  expect(held?.heldClusters).toBe(15);
  // Further rounds do not read them: they are in no index of due clusters.
  expect(await heldRows(steps)).toBe(15);

  const resumed = await rollouts.resume(paused?.id ?? '', 'operator@example.com');
  expect(resumed).toMatchObject({ resumedBy: 'operator@example.com', resumedAt: expect.any(Date) });
  expect(await heldRows(steps)).toBe(0);
  expect((await schedule()).map((id) => id.split('--')[0])).toContain('ready');
  await expect(rollouts.resume(paused?.id ?? '', 'x')).rejects.toMatchObject({ refusal: 'final' });
  await expect(rollouts.resume('unknown', 'x')).rejects.toMatchObject({ refusal: 'not-found' });
});

test('a rollout that is resumed while a round of the scheduler begins holds no cluster any more', async () => {
  const steps = await upgrade({ clusters: 20, failing: 4 });
  const { rollouts, inventory, schedule, database } = steps;
  if (databases.server === undefined) return leftOut('transactions at the same time');
  const [paused] = await rollouts.list();
  await inventory.upsert(ofVersion('c10', '3'), 1);
  await elapse(steps);
  const [resumed, committing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  // As `resume` does it, and as slow as a busy server.
  const resuming = database.transaction(async (tx) => {
    await sql`update rollouts set resumed_at = clock_timestamp(), resumed_by = 'x' where id = ${paused?.id}`.execute(
      tx,
    );
    await sql`update runtimes set held = false where held`.execute(tx);
    resumed.resolve();
    await committing.promise;
  });
  await resumed.promise;
  const round = schedule();
  await sleep(500);
  committing.resolve();
  await resuming;
  await round;
  expect(await heldRows(steps)).toBe(0);
});

test('clusters of one tenant that fail pause the version for that tenant alone', async () => {
  const steps = await upgrade({ clusters: 21, failing: 20 });
  const { inventory, schedule, rollouts } = steps;
  expect(await rollouts.list()).toMatchObject([
    {
      kind: 'version',
      name: '2',
      reason: expect.stringContaining('account global, for which alone it is paused'),
    },
  ]);
  const honest = (version: string): ClusterDocument => {
    const document = ofVersion('honest', version);
    return { ...document, metadata: { ...document.metadata, globalAccountID: 'honest' } };
  };
  await inventory.upsert(honest('1'), 1);
  await schedule();
  await steps.finish();

  await inventory.upsert(honest('2'), 1);
  await inventory.upsert(ofVersion('c20', '2', ['a', 'b']), 1);
  expect((await schedule()).map((id) => id.split('--')[0])).toEqual(['honest']);
});

test('failures before the resume do not pause it again', async () => {
  const steps = await upgrade({ clusters: 20, failing: 4 });
  const { rollouts, schedule, finish, database } = steps;
  const [paused] = await rollouts.list();
  await rollouts.resume(paused?.id ?? '', 'operator');
  expect(await rollouts.pausedCounts()).toEqual({ version: 0, component: 0 });
  await elapse(steps);
  await schedule();
  await finish();
  await pauseFailingRollouts(database.queries, await recentSuspects(database.queries), steps.context);
  expect((await rollouts.list()).filter(({ resumedAt }) => resumedAt === undefined)).toEqual([]);
});

test('results of the version before do not count for the new one', async () => {
  const { rollouts, database, inventory, context } = await upgrade({ clusters: 24, failing: 0 });
  for (const id of names(24)) await inventory.upsert(ofVersion(id, '3'), 1);
  // The first results of version 3: all of them are failures, of too few clusters.
  await sql`update runtimes set last_result_at = now(), last_failed = true where runtime_id in ('c0', 'c1', 'c2', 'c3')`.execute(
    database.queries,
  );
  await pauseFailingRollouts(database.queries, await recentSuspects(database.queries), context);
  expect(await rollouts.list()).toEqual([]);
});

test('a rollout that is resumed for one tenant is paused for another one, whose failures are as old', async () => {
  const { rollouts, database, context } = await upgrade({ clusters: 21, failing: 20 });
  await database.queries.deleteFrom('rollouts').execute();
  await sql`insert into rollouts (id, kind, name, tenant, reason, clusters, failed_clusters, resumed_at, resumed_by)
    values ('other', 'version', '2', 'another tenant', '', 20, 20, clock_timestamp(), 'x')`.execute(
    database.queries,
  );
  await pauseFailingRollouts(database.queries, await recentSuspects(database.queries), context);
  expect((await rollouts.list()).map(({ resumedAt }) => resumedAt === undefined)).toEqual([true, false]);
});

test('a component that fails on many clusters pauses for those that have it', async () => {
  const steps = repositorySteps(await databases.open());
  const { inventory, schedule, finish, database } = steps;
  for (const id of names(25)) await inventory.upsert(ofVersion(id, id, id === 'c24' ? ['b'] : ['a', 'b']), 1);
  await schedule();
  await finish();
  await elapse(steps);
  await schedule();
  await finish((component) => (component === 'a' ? 'error' : 'success'));
  const rollouts = createRollouts(database);
  expect(await rollouts.list()).toMatchObject([{ kind: 'component', name: 'a', clusters: 24 }]);
  await sql`update runtimes set status = 'ready', status_since = now() - interval '1 h', next_run_at = now()`.execute(
    database.queries,
  );
  expect((await schedule()).map((id) => id.split('--')[0])).toEqual(['c24']);
});
