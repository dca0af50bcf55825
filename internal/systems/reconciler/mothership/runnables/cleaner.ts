import { type RawBuilder, sql } from 'kysely';
import { type Clock, type Deps, sleep } from '../../../../framework/base/index.ts';
import type { Runnable } from '../../../../framework/process/index.ts';
import type { Database, Store } from '../database/database.ts';
import type { CleanerSettings } from '../model/settings.ts';
import { removeReconciliations } from '../reconciliations/create-reconciliations.ts';
import { createEventLoop } from './event-loop.ts';

interface CleanerOptions extends Pick<Deps, 'clock' | 'log'> {
  readonly database: Database;
  readonly settings: { readonly cleaner: CleanerSettings };
}

/** Removes what is old: reconciliations, statuses and deleted clusters. */
export function createCleaner(options: CleanerOptions): Runnable {
  const { clock, log, database } = options;
  const { cleaner } = options.settings;
  const { runnable } = createEventLoop({
    ...options,
    name: 'cleaner',
    topics: [],
    intervalMs: cleaner.intervalMs,
    run: async (signal) => {
      const reconciliations = await cleanReconciliations(database, cleaner, signal);
      const isOn = cleaner.maxInventoryAgeDays > 0;
      const batch = { batchSize: cleaner.statusBatchSize, clock };
      const statuses = isOn
        ? await cleanStatuses(database, batch, signal)
        : await limitStatuses(database, cleaner, signal);
      const clusters = isOn ? await cleanDeletedClusters(database, cleaner.maxInventoryAgeDays, signal) : 0;
      log.info('old entries removed', { reconciliations, statuses, clusters });
      return undefined;
    },
  });
  return runnable;
}

/** Reconciliations that one statement removes. */
const BATCH = 200;

/** Removes reconciliations that are too old, or too many. Returns how many. */
export async function cleanReconciliations(
  store: Store,
  { keepLatest, maxReconciliationAgeDays, purgeOlderThanMs }: CleanerSettings,
  signal: AbortSignal,
): Promise<number> {
  if (keepLatest <= 0) {
    return removeBatches(
      store,
      sql`select scheduling_id from reconciliations
        where created < now() - ${purgeOlderThanMs}::float8 * interval '1 ms' order by created`,
      signal,
    );
  }
  let removed = 0;
  for await (const runtimeId of runtimeIdsOf(store, 'reconciliations', signal)) {
    const ofRuntime = sql`select scheduling_id, created, status, finished,
      row_number() over (order by created desc, scheduling_id) as place
      from reconciliations where runtime_id = ${runtimeId}`;
    const midnight = sql`date_trunc('day', now() at time zone 'UTC') at time zone 'UTC'`;
    removed += await removeBatches(
      store,
      sql`select scheduling_id from (${ofRuntime}) as r
        where finished and place > 1 and created < ${midnight} - ${maxReconciliationAgeDays}::int * interval '1 day'`,
      signal,
    );
    removed += await removeBatches(
      store,
      sql`select scheduling_id from (${ofRuntime}) as r
        where finished and place > ${keepLatest} and status in ('ready', 'deleted')`,
      signal,
    );
  }
  return removed;
}

/** Removes what the query finds, in transactions of limited size. */
async function removeBatches(store: Store, query: RawBuilder<unknown>, signal: AbortSignal): Promise<number> {
  let removed = 0;
  while (!signal.aborted) {
    const batch = await store.transaction((tx) =>
      removeReconciliations(tx, sql`scheduling_id in (${query} limit ${BATCH})`),
    );
    removed += batch;
    if (batch < BATCH) break;
  }
  return removed;
}

/** Pause after each batch that removed statuses, in ms, so that others have their turn. */
const PAUSE_MS = 5000;
/** Statuses that one statement looks at, as a multiple of the batch. */
const WINDOW = 5;
/** Deleted clusters that one statement removes, with their history. */
const CLUSTER_BATCH = 20;

interface CleanStatusesOptions {
  readonly batchSize: number;
  readonly clock: Clock;
  readonly pauseMs?: number;
}

/**
 * Removes statuses that no reconciliation refers to, except for the newest one of each configuration that is not deleted.
 * Returns how many.
 */
export async function cleanStatuses(
  { queries }: Store,
  { batchSize, clock, pauseMs = PAUSE_MS }: CleanStatusesOptions,
  signal: AbortSignal,
): Promise<number> {
  let removed = 0;
  let last = 0;
  while (!signal.aborted) {
    const { rows } = await sql<{ last: number | null; removed: number }>`
      with seen as (
        select id, config_version, deleted from cluster_statuses where id > ${last} order by id limit ${batchSize * WINDOW}
      ), unused as (
        select id from seen s
        where not exists (select 1 from reconciliations r where r.config_status_id = s.id)
          and (s.deleted or exists (
            select 1 from cluster_statuses n where n.config_version = s.config_version and n.id > s.id and not n.deleted
          ))
        order by id limit ${batchSize}
      ), gone as (
        delete from cluster_statuses where id in (select id from unused) returning id
      )
      select (select count(*)::int from gone) as removed,
        case when (select count(*) from gone) = ${batchSize} then (select max(id) from gone) else (select max(id) from seen) end
          as last
    `.execute(queries);
    const batch = rows[0];
    if (batch === undefined || batch.last === null) break;
    last = batch.last;
    removed += batch.removed;
    if (batch.removed > 0) await sleep(clock, pauseMs, signal).catch(() => undefined);
  }
  return removed;
}

/**
 * Removes the statuses of each cluster that are too old, or too many, except the current one, those that reconciliations refer to, and
 * the newest one of each configuration. Returns how many.
 */
export async function limitStatuses(
  store: Store,
  { keepStatuses, maxStatusAgeMs, statusBatchSize }: CleanerSettings,
  signal: AbortSignal,
): Promise<number> {
  let removed = 0;
  for await (const runtimeId of runtimeIdsOf(store, 'cluster_statuses', signal)) {
    for (let batch = statusBatchSize; batch === statusBatchSize && !signal.aborted; removed += batch) {
      const { rows } = await sql`
        delete from cluster_statuses where id in (
          select s.id from cluster_statuses s
          where s.runtime_id = ${runtimeId} and s.created <= greatest(
              now() - ${maxStatusAgeMs}::float8 * interval '1 ms',
              (select created from cluster_statuses where runtime_id = ${runtimeId} order by created desc offset ${keepStatuses} limit 1)
            )
            and not exists (select 1 from reconciliations r where r.config_status_id = s.id)
            and not exists (select 1 from runtimes r where r.status_id = s.id)
            and (s.deleted or exists (
              select 1 from cluster_statuses n where n.config_version = s.config_version and n.id > s.id and not n.deleted
            ))
          order by s.created limit ${statusBatchSize}
        ) returning id
      `.execute(store.queries);
      batch = rows.length;
    }
  }
  return removed;
}

/** Removes deleted clusters that were registered so long ago, with all that belongs to them. Returns how many. */
export async function cleanDeletedClusters(
  { queries }: Store,
  maxAgeDays: number,
  signal: AbortSignal,
): Promise<number> {
  let removed = 0;
  while (!signal.aborted) {
    const { rows } = await sql`
      delete from clusters where version in (
        select version from clusters
        where deleted and created < now() - ${maxAgeDays}::float8 * interval '1 day'
        order by created limit ${CLUSTER_BATCH}
      ) returning version
    `.execute(queries);
    removed += rows.length;
    if (rows.length < CLUSTER_BATCH) break;
  }
  return removed;
}

/** All clusters with rows in the table, each found by the index. */
async function* runtimeIdsOf(
  { queries }: Store,
  table: 'reconciliations' | 'cluster_statuses',
  signal: AbortSignal,
): AsyncGenerator<string> {
  for (let last = ''; !signal.aborted; ) {
    const { rows } = await sql<{ runtime_id: string }>`
      select runtime_id from ${sql.table(table)} where runtime_id > ${last} order by runtime_id limit 1
    `.execute(queries);
    const [row] = rows;
    if (row === undefined) return;
    last = row.runtime_id;
    yield last;
  }
}
