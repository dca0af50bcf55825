import { type RawBuilder, sql } from 'kysely';
import type { Deps } from '../../../../framework/base/index.ts';
import type { Runnable } from '../../../../framework/process/index.ts';
import type { Database, Store } from '../database/database.ts';
import type { CleanerSettings } from '../model/settings.ts';
import { removeReconciliations } from '../reconciliations/remove-reconciliations.ts';
import { createEventLoop } from '../triggers/event-loop.ts';
import { cleanDeletedClusters, cleanStatuses, limitStatuses } from './clean-inventory.ts';

export interface CleanerOptions extends Pick<Deps, 'clock' | 'log'> {
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
  for await (const runtimeId of runtimeIds(store, signal)) {
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

/** All clusters with reconciliations, each found by the index. */
async function* runtimeIds({ queries }: Store, signal: AbortSignal): AsyncGenerator<string> {
  let last = '';
  while (!signal.aborted) {
    const row = await queries
      .selectFrom('reconciliations')
      .select('runtime_id')
      .where('runtime_id', '>', last)
      .orderBy('runtime_id')
      .limit(1)
      .executeTakeFirst();
    if (row === undefined) return;
    last = row.runtime_id;
    yield last;
  }
}
