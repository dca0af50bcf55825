import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { COMPONENTS } from '../../../internal/systems/reconciler/mothership/inventory/cluster-states.ts';
import { clusterDocument, testKeyring } from './test-mothership.ts';

/** Reconciliations of each cluster. */
const RUNS = 40;

/**
 * Two weeks of history: each cluster is ready, and has run 40 times with two components.
 *
 * @param clusters their number; default 10,000
 */
export async function fillHistory(url: string, clusters = 10_000): Promise<void> {
  const statuses = 2 * RUNS * clusters;
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
      select 'c' || n, '{}', '{}', 1 from generate_series(1, ${clusters}::int) n`,
    sql`insert into cluster_configs (runtime_id, cluster_version, kyma_version, components, components_key, administrators, contract)
      select runtime_id, version, '2.' || version % 3, ${components.text}, ${components.keyId}, '[]', 1 from clusters`,
    sql`insert into cluster_statuses (runtime_id, cluster_version, config_version, status, created)
      select 'c' || v, v, v, case when n % 2 = 0 then 'ready' else 'reconciling' end, now() - (${statuses}::int - n) * ${1_200_000 / statuses}::float * interval '1 s'
      from (select n, 1 + (n / 2) % ${clusters}::int as v from generate_series(1, ${statuses}::int) n) as s`,
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
        priority, state, finished, retry_id, created, updated)
      select scheduling_id, scheduling_id || p, runtime_id, cluster_version, config_version,
        case p when 1 then 'CRDs' else 'a' end, 'reconcile', p,
        case when r.status = 'error' and p = 2 then 'error' else 'done' end, true, 'r', created, created
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
