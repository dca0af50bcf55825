import { sql } from 'kysely';
import type { Queries } from '../database/database.ts';
import { PENDING } from '../model/cluster-status.ts';
import type { FailureGroup } from '../model/overview.ts';
import { foldedReason } from './fold-reason.ts';

/** Failed clusters whose reasons are compared: the newest. */
const MAX_FAILED = 2000;
/** Failed operations that are compared, and characters of each reason: component reconcilers, and charts of others, choose both. */
const MAX_OPERATIONS = 4000;
const MAX_REASON = 1024;
/** Groups of a list, and clusters that each names. */
const MAX_GROUPS = 200;
const MAX_NAMED = 50;

/** Clusters with the same component, version and reason, before reasons are folded. */
interface Row extends Omit<FailureGroup, 'since' | 'nextRun'> {
  readonly since: Date | null;
  readonly nextRun: Date | null;
}

const retried = sql.join([...PENDING, 'ready', 'reconcile_error_retryable', 'delete_error_retryable']);

/** What failed in the last runs, and the attempts that fail now: those of a run in progress count in place of those of the run before. */
export async function failureGroups(queries: Queries): Promise<FailureGroup[]> {
  const { rows } = await sql<Row>`
    with current as (
      select r.runtime_id, r.runtime_name, r.kyma_version, o.component, left(o.reason, ${sql.lit(MAX_REASON)}) as reason, true as retrying,
        x.created as since, o.next_attempt_at as next_run
      from operations o join reconciliations x on x.scheduling_id = o.scheduling_id
        join runtimes r on r.runtime_id = o.runtime_id
      where o.state in ('failed', 'client_error') and o.reason is not null and not o.finished
      limit ${sql.lit(MAX_FAILED)}
    ), past as (
      select r.runtime_id, r.runtime_name, r.kyma_version, o.component,
        coalesce(left(o.reason, ${sql.lit(MAX_REASON)}), '') as reason, false as retrying,
        first.since, case when r.status in (${retried}) then coalesce(r.next_run_at, clock_timestamp()) end as next_run
      from (
        select runtime_id, runtime_name, kyma_version, status, next_run_at from runtimes
        where last_failed order by last_result_at desc nulls last limit ${sql.lit(MAX_FAILED)}
      ) r
      cross join lateral (
        select scheduling_id from reconciliations
        where runtime_id = r.runtime_id and finished order by created desc limit 1
      ) run
      cross join lateral (
        select min(created) as since from reconciliations
        where runtime_id = r.runtime_id and finished and created > coalesce(
          (select max(created) from reconciliations where runtime_id = r.runtime_id and status = 'ready'), '-infinity')
      ) first
      join operations o on o.scheduling_id = run.scheduling_id and o.state = 'error'
      where not exists (select 1 from current c where c.runtime_id = r.runtime_id and c.component = o.component)
      limit ${sql.lit(MAX_OPERATIONS)}
    ), failing as (select * from current union all select * from past)
    select component, kyma_version as "kymaVersion", reason, count(*)::int as clusters,
      (count(*) filter (where retrying))::int as retrying,
      (jsonb_agg(jsonb_build_object('runtimeId', runtime_id, 'runtimeName', runtime_name) order by runtime_name, runtime_id)) as named,
      min(since) as since, min(next_run) as "nextRun"
    from failing group by 1, 2, 3
  `.execute(queries);
  const groups = new Map<string, Row>();
  for (const row of rows.toSorted((one, other) => other.clusters - one.clusters)) {
    const key = JSON.stringify([row.component, row.kymaVersion, foldedReason(row.reason)]);
    const known = groups.get(key);
    groups.set(key, known === undefined ? row : joined(known, row));
  }
  return [...groups.values()]
    .sort((one, other) => other.clusters - one.clusters || (one.component < other.component ? -1 : 1))
    .slice(0, MAX_GROUPS)
    .map((row) => ({
      ...row,
      named: row.named.slice(0, MAX_NAMED),
      since: row.since ?? undefined,
      nextRun: row.nextRun ?? undefined,
    }));
}

const joined = (one: Row, other: Row): Row => ({
  ...one,
  clusters: one.clusters + other.clusters,
  retrying: one.retrying + other.retrying,
  named: [...one.named, ...other.named],
  since: earlier(one.since, other.since),
  nextRun: earlier(one.nextRun, other.nextRun),
});

function earlier(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}
