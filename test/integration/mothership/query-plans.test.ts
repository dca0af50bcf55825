import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { closeReconciliations } from '../../../internal/mothership/bookkeeper/create-bookkeeper.ts';
import { cleanReconciliations } from '../../../internal/mothership/cleaner/clean-reconciliations.ts';
import { migrate } from '../../../internal/mothership/database/migrations/migrate.ts';
import { COMPONENTS } from '../../../internal/mothership/inventory/cluster-states.ts';
import { defaultSettings } from '../../../internal/mothership/model/settings.ts';
import { createOccupancy } from '../../../internal/mothership/occupancy/create-occupancy.ts';
import { markOrphans } from '../../../internal/mothership/reconciliations/mark-orphans.ts';
import { createRollouts } from '../../../internal/mothership/rollouts/create-rollouts.ts';
import { pauseFailingRollouts, recentSuspects } from '../../../internal/mothership/rollouts/pause-failing.ts';
import { nextDueMs } from '../../../internal/mothership/scheduler/due-clusters.ts';
import { repositorySteps } from '../../environment/mothership/repository-steps.ts';
import { clusterDocument, testKeyring } from '../../environment/mothership/test-mothership.ts';
import {
  leftOut,
  startTestDatabases,
  type TestDatabases,
} from '../../environment/postgres/test-databases.ts';

const CLUSTERS = 10_000;
const RECONCILIATIONS = 400_000;
/** The plans are what is held. This finds a statement that walks over a table in spite of them, also on a machine that runs other tests. */
const LIMIT_MS = 250;
/** Tables that grow with the history. */
const LARGE = ['cluster_statuses', 'reconciliations', 'operations', 'clusters', 'cluster_configs'];

// Most of it is the history that is made.
jest.setTimeout(600_000);

let databases: TestDatabases;
beforeAll(async () => {
  databases = await startTestDatabases();
});
afterAll(() => databases.close());

/** Two weeks of history: each cluster is ready, and has run 40 times with two components. */
async function fill(url: string): Promise<void> {
  // Without the time-outs of the program.
  const pool = new pg.Pool({ connectionString: url, options: '-c search_path=mothership' });
  const queries = new Kysely({ dialect: new PostgresDialect({ pool }) });
  const components = testKeyring.encrypt(
    JSON.stringify(clusterDocument('x', ['a']).kymaConfig.components),
    COMPONENTS,
  );
  const statements = [
    // References are not checked row by row.
    sql`set local session_replication_role = replica`,
    sql`insert into clusters (runtime_id, runtime, metadata, contract)
      select 'c' || n, '{}', '{}', 1 from generate_series(1, ${CLUSTERS}::int) n`,
    sql`insert into cluster_configs (runtime_id, cluster_version, kyma_version, components, components_key, administrators, contract)
      select runtime_id, version, '2.' || version % 3, ${components.text}, ${components.keyId}, '[]', 1 from clusters`,
    sql`insert into cluster_statuses (runtime_id, cluster_version, config_version, status, created)
      select 'c' || v, v, v, case when n % 2 = 0 then 'ready' else 'reconciling' end, now() - (800000 - n) * interval '1.5 s'
      from (select n, 1 + (n / 2) % ${CLUSTERS}::int as v from generate_series(1, 2 * ${RECONCILIATIONS}::int) n) as s`,
    sql`insert into runtimes (runtime_id, cluster_version, config_version, status_id, status, status_since, kyma_version,
        runtime_name, global_account_id, plan_name, components, last_result_at, next_run_at)
      select k.runtime_id, k.cluster_version, k.version, s.id, 'ready', s.created, k.kyma_version, '', '', '', '["a"]', s.created,
        case when k.version <= 50 then now() else now() + interval '1 day' end
      from cluster_configs k join lateral (
        select * from cluster_statuses s where s.config_version = k.version order by id desc limit 1
      ) s on true`,
    sql`insert into reconciliations (scheduling_id, runtime_id, cluster_version, config_version, config_status_id, type,
        kyma_version, status, finished, created, finished_at)
      select 's' || id, runtime_id, cluster_version, config_version, id, 'reconcile', '2',
        case when id % 100 = 0 then 'error' else 'ready' end, true, created, created
      from cluster_statuses where status = 'ready'`,
    sql`insert into operations (scheduling_id, correlation_id, runtime_id, cluster_version, config_version, component, type,
        priority, state, retry_id, created, updated)
      select scheduling_id, scheduling_id || p, runtime_id, cluster_version, config_version,
        case p when 1 then 'CRDs' else 'a' end, 'reconcile', p,
        case when r.status = 'error' and p = 2 then 'error' else 'done' end, 'r', created, created
      from reconciliations r, generate_series(1, 2) p`,
  ];
  await queries.transaction().execute(async (tx) => {
    // Indexes are built at the end, which takes a fraction of the time.
    const indexes = await sql<{ name: string; definition: string }>`
      select indexname as name, indexdef as definition from pg_indexes
      where schemaname = 'mothership' and indexname not like '%_pkey'
    `.execute(tx);
    for (const { name } of indexes.rows) await sql`drop index ${sql.id(name)}`.execute(tx);
    for (const statement of statements) await statement.execute(tx);
    for (const { definition } of indexes.rows) await sql.raw(definition).execute(tx);
  });
  await sql`analyze`.execute(queries);
  await queries.destroy();
}

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Statements that `work` sends to the server. */
async function recorded(work: () => Promise<unknown>): Promise<Statement[]> {
  const statements = new Map<string, Statement>();
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function record(this: pg.Client, ...args: unknown[]) {
    const [config, values] = args;
    const text = typeof config === 'string' ? config : (config as { text: string }).text;
    const found = Array.isArray(values) ? values : ((config as { values?: unknown[] }).values ?? []);
    if (/^\s*(select|with|update|delete)/i.test(text)) statements.set(text, { text, values: found });
    return Reflect.apply(query, this, args);
  } as typeof query;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = query;
  }
  return [...statements.values()];
}

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly Plan[];
}

/** The plan of a statement, run and rolled back. Reports its time in ms: the best of three. */
async function explain(client: pg.Client, { text, values }: Statement) {
  let ms = Number.POSITIVE_INFINITY;
  let plan: Plan | undefined;
  for (let run = 0; run < 3; run++) {
    await client.query('begin');
    const result = await client
      .query(`explain (analyze, format json) ${text}`, [...values])
      .catch((error: unknown) => error);
    await client.query('rollback');
    // A row that is inserted a second time.
    if (result instanceof Error && 'code' in result && result.code === '23505') break;
    if (result instanceof Error) throw result;
    const { rows } = result as pg.QueryResult;
    const [explained] = rows[0]['QUERY PLAN'];
    plan = explained.Plan;
    ms = Math.min(ms, explained['Execution Time']);
  }
  const scans = plan === undefined ? [] : sequentialScans(plan);
  return { ms, scans };
}

const sequentialScans = (plan: Plan): string[] => [
  ...(plan['Node Type'] === 'Seq Scan' && LARGE.includes(plan['Relation Name'] ?? '')
    ? [plan['Relation Name'] ?? '']
    : []),
  ...(plan.Plans ?? []).flatMap(sequentialScans),
];

test('with 10,000 clusters and 400,000 reconciliations no statement reads a large table from end to end', async () => {
  const { server } = databases;
  if (server === undefined) return leftOut('plans of queries');
  const url = await server.createDatabase();
  const database = databases.connect(url);
  await migrate(database.queries);
  await fill(url);
  const steps = repositorySteps(database);
  const { inventory, reconciliations, schedule, claim, report, context } = steps;
  const never = new AbortController().signal;
  const statements = await recorded(async () => {
    await inventory.upsert(clusterDocument('new', ['a']), 1);
    await inventory.upsert(clusterDocument('c5', ['a']), 1);
    await schedule();
    await nextDueMs(database.queries);
    for (const operation of await claim()) {
      await report(operation, 'running');
      await report(operation, operation.runtime_id === 'new' ? 'success' : 'error');
    }
    await reconciliations.list({ runtimeIds: ['c7'] });
    await reconciliations.list({ statuses: ['error'], limit: 100 });
    await reconciliations.list({ limit: 100 });
    await reconciliations.list({ createdAfter: new Date(Date.now() - 60_000), limit: 100 });
    await reconciliations.list({ finished: false });
    const [newest] = await reconciliations.list({ runtimeIds: ['c7'], limit: 1 });
    const info = await reconciliations.get(newest?.schedulingId ?? '');
    await reconciliations.failures(info.configStatusId);
    await inventory.of(undefined);
    await inventory.of({ schedulingId: info.schedulingId });
    await inventory.of({ correlationId: info.operations[0]?.correlationId ?? '' });
    await inventory.latest('c7');
    await inventory.statusChanges('c7', 7 * 24 * 3_600_000);
    await inventory.setStatus('c8', 'reconcile_disabled');
    await inventory.counts();
    await closeReconciliations({ ...context, database });
    await markOrphans(database, context);
    await pauseFailingRollouts(
      database.queries,
      [
        ...(await recentSuspects(database.queries)),
        { kind: 'version', name: '2.1' },
        { kind: 'component', name: 'a' },
      ],
      context,
    );
    await createRollouts(database).list();
    await createOccupancy(database).ratios();
    await reconciliations.purge('c9');
    // One cluster of the cleaner, whose statements are the same for each.
    const stop = new AbortController();
    await Promise.all([
      cleanReconciliations(database, { ...defaultSettings.cleaner, keepLatest: 5 }, stop.signal),
      new Promise((done) => setTimeout(done, 200)).then(() => stop.abort()),
    ]);
    await cleanReconciliations(database, { ...defaultSettings.cleaner, purgeOlderThanMs: 1e12 }, never);
  });
  const client = new pg.Client({ connectionString: url, options: '-c search_path=mothership' });
  await client.connect();
  const slow: string[] = [];
  const scanning: string[] = [];
  for (const statement of statements) {
    const { ms, scans } = await explain(client, statement);
    if (Number.isFinite(ms) && ms > LIMIT_MS) slow.push(`${Math.round(ms)} ms: ${statement.text}`);
    if (scans.length > 0) scanning.push(`${scans.join()}: ${statement.text}`);
    if (ms > 5)
      process.stderr.write(`${ms.toFixed(1)} ms: ${statement.text.replace(/\s+/g, ' ').slice(0, 120)}\n`);
  }
  await client.end();
  expect(statements.length).toBeGreaterThan(40);
  expect(scanning).toEqual([]);
  expect(slow).toEqual([]);
});
