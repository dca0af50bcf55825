import { sql, type Transaction } from 'kysely';
import type { Logger } from '../../../../framework/base/telemetry/logger.ts';
import type { Schema } from '../database/schema/schema.ts';
import type { Store } from '../database/store.ts';
import { CLUSTER_STATUSES } from '../model/cluster-status.ts';
import type { CleanerSettings } from '../model/settings.ts';
import { migrationStep, STATUSES_OF_CLUSTERS, storeProgress } from './go-progress.ts';
import { utc } from './go-tables.ts';

export interface StatusBounds extends Pick<CleanerSettings, 'keepStatuses' | 'maxStatusAgeMs'> {
  /** Statuses that one transaction looks at, and copies at most. */
  readonly batchSize: number;
}

/** The batches between two lines of the log. */
const LOGGED = 20;
/** After a batch of which nothing is kept, the next one is so many times as large: it is only read. */
const GROWTH = 10;

/**
 * Copies the statuses that the cleaner would keep, from the newest to the oldest: as many of each cluster as it keeps, and the
 * newest one of each configuration. What is older stays in the table of the Go program.
 */
export async function copyStatuses(store: Store, bounds: StatusBounds, log: Logger): Promise<void> {
  let size = bounds.batchSize;
  for (let batch = 1; ; batch++) {
    const { from, all } = await migrationStep(store, async (tx, { statusesFrom: until, statuses: all }) => {
      const range = { until, after: Math.max(0, until - size) };
      const isEmpty = !(await copyBatch(tx, range, bounds));
      await storeProgress(tx, { statusesFrom: range.after });
      size = isEmpty ? bounds.batchSize * GROWTH : bounds.batchSize;
      return { from: range.after, all };
    });
    if (batch % LOGGED === 0 || from === 0) log.info('statuses are migrated', { done: all - from, all });
    if (from === 0) return;
  }
}

/** Ids, the first one not included. */
interface Range {
  readonly after: number;
  readonly until: number;
}

/** @returns whether it has copied any */
async function copyBatch(
  tx: Transaction<Schema>,
  { after, until }: Range,
  { keepStatuses, maxStatusAgeMs }: StatusBounds,
): Promise<boolean> {
  const isYoung = sql`g.created > (now() - ${maxStatusAgeMs}::float8 * interval '1 ms') at time zone 'UTC'`;
  const isInRange = sql`id > ${after} and id <= ${until}`;
  // Most batches of a large table have nothing to copy: numbers of configurations are grouped at the speed of a scan.
  const { rows } = await sql<Group>`
    select g.config_version as version, k.runtime_id as cluster, g.id as newest,
      case when ${isYoung} then ${keepStatuses} - coalesce(n.copied, 0) else 0 end as free,
      not exists (select 1 from cluster_statuses s where s.config_version = g.config_version) as first
    from (
      select max(id) as id from public.inventory_cluster_config_statuses where ${isInRange} group by config_version
    ) as newest
    join public.inventory_cluster_config_statuses g on g.id = newest.id
    join cluster_configs k on k.version = g.config_version
    left join ${sql.table(STATUSES_OF_CLUSTERS)} n on n.runtime_id = k.runtime_id
  `.execute(tx);
  const places = new Map<string, number>();
  const wanted = rows.flatMap(({ version, cluster, free }) => {
    if (free <= 0) return [];
    const place = places.get(cluster) ?? places.size;
    places.set(cluster, place);
    return [{ version, cluster: place, free }];
  });
  if (wanted.length > 0) {
    await insertStatuses(
      tx,
      sql`id in (
        select id from (
          select g.id, w.free, row_number() over (partition by w.cluster order by g.id desc) as place
          from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as w(version bigint, cluster int, free int)
          join public.inventory_cluster_config_statuses g on g.config_version = w.version
          where ${isInRange} and ${isYoung}
        ) as placed where place <= ${keepStatuses} and place <= free
      )`,
    );
  }
  const firsts = rows.flatMap(({ first, newest }) => (first ? [newest] : []));
  if (firsts.length > 0) await insertStatuses(tx, sql`id = any(${firsts}::bigint[])`);
  return wanted.length > 0 || firsts.length > 0;
}

/** What a batch has of one configuration. */
interface Group {
  readonly version: number;
  /** Runtime id. */
  readonly cluster: string;
  /** Id of the newest status. */
  readonly newest: number;
  /** Statuses that its cluster may still have; 0 if all of these are too old. */
  readonly free: number;
  /** Whether the configuration has no status yet. */
  readonly first: boolean;
}

/** The Go program stores any text that a client sends as status; those without a meaning count as an error. */
export async function insertStatuses(
  tx: Transaction<Schema>,
  condition: ReturnType<typeof sql>,
): Promise<void> {
  await sql`
    with added as (
      insert into cluster_statuses (id, runtime_id, cluster_version, config_version, status, deleted, created)
      select id, runtime_id, cluster_version, config_version,
        case when status = any(${CLUSTER_STATUSES}::text[]) then status else 'error' end,
        coalesce(deleted, false), ${utc('created')}
      from public.inventory_cluster_config_statuses where ${condition}
      on conflict (id) do nothing
      returning runtime_id
    )
    insert into ${sql.table(STATUSES_OF_CLUSTERS)} as n (runtime_id, copied)
    select runtime_id, count(*) from added group by runtime_id
    on conflict (runtime_id) do update set copied = n.copied + excluded.copied
  `.execute(tx);
}
