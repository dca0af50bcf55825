import { sql } from 'kysely';
import type { Deps } from '../../../../framework/base/index.ts';
import type { Runnable } from '../../../../framework/process/index.ts';
import type { Database } from '../database/database.ts';
import type { Settings } from '../model/settings.ts';
import {
  type ChangeContext,
  continueReconciliation,
  lockReconciliations,
} from '../reconciliations/continue-reconciliations.ts';
import { markOrphans, reportEnded } from '../reconciliations/end-attempts.ts';
import { pauseFailingRollouts, recentSuspects } from '../rollouts.ts';
import { createEventLoop } from './event-loop.ts';

export interface BookkeeperOptions extends ChangeContext, Pick<Deps, 'clock'> {
  readonly database: Database;
  readonly settings: ChangeContext['settings'] & Pick<Settings, 'bookkeeperIntervalMs'>;
}

/** Runs that are late by so many intervals follow an outage, or a pause of the process. */
const LATE = 1.5;

/**
 * Finds operations without a sign of life, reconciliations that ended without anything noticing it, and rollouts that fail.
 *
 * An outage must not make orphans of operations whose callbacks could not be stored: they are marked only if the database
 * was usable for a whole interval, which is longer than that of heartbeats.
 */
export function createBookkeeper(options: BookkeeperOptions): Runnable {
  const { clock, settings } = options;
  const { bookkeeperIntervalMs: intervalMs } = settings;
  let usableSince = clock.monotonic();
  let isFirst = true;
  const { runnable } = createEventLoop({
    ...options,
    name: 'bookkeeper',
    topics: [],
    intervalMs,
    delayed: true,
    run: async () => {
      const wasUsable = isFirst || clock.monotonic() - usableSince < intervalMs * LATE;
      isFirst = false;
      await closeReconciliations(options);
      if (wasUsable) await markOrphans(options.database, options);
      const { queries } = options.database;
      await pauseFailingRollouts(queries, await recentSuspects(queries), options);
      usableSince = clock.monotonic();
      return undefined;
    },
  });
  return runnable;
}

/**
 * Ends the reconciliations that have nothing left to do, and releases operations of those that wait for nothing. Returns
 * the number of those it ended.
 */
export async function closeReconciliations(
  options: Pick<BookkeeperOptions, 'database'> & ChangeContext,
): Promise<number> {
  const { database } = options;
  const { rows } = await sql<{ scheduling_id: string }>`
    select scheduling_id from reconciliations r where not finished and (
      select o.scheduling_id from operations o where o.scheduling_id = r.scheduling_id
        and (o.state in ('in_progress', 'failed', 'client_error') or o.released)
      limit 1
    ) is null
  `.execute(database.queries);
  let ended = 0;
  for (const { scheduling_id } of rows) {
    const end = await database.transaction(async (tx) => {
      await lockReconciliations(tx, [scheduling_id]);
      return continueReconciliation(tx, scheduling_id, options);
    });
    if (end === undefined) continue;
    ended++;
    reportEnded(end, options);
  }
  return ended;
}
