import { sql } from 'kysely';
import { inParallel } from '../../../../framework/base/index.ts';

import type { Store } from '../database/store.ts';
import type { ChangeContext } from './context.ts';
import { continueReconciliation } from './continue-reconciliations.ts';
import { lockReconciliations } from './lock-reconciliations.ts';
import { reportEnded } from './report.ts';
import { stateIn } from './rows.ts';

/** Reconciliations of one round; the next one follows at once. */
const BATCH = 200;
const WIDTH = 4;

/** Operations that may be at a component reconciler. */
const atComponent = stateIn('in_progress', 'failed', 'client_error');

/** `claimed`: only those that no process has sent. */
export type Lost = 'claimed' | 'all';

const isLost = (which: Lost) =>
  which === 'all'
    ? sql`${atComponent} and lease_until < now()`
    : sql`state = 'in_progress' and not sent and lease_until < now()`;

/**
 * Operations without a sign of life until the end of their lease are orphans: they may be sent again. Returns how many were
 * marked.
 */
export async function markOrphans(
  store: Store,
  context: ChangeContext,
  which: Lost = 'all',
): Promise<number> {
  let marked = 0;
  for (;;) {
    const { rows } = await sql<{ scheduling_id: string }>`
      select distinct scheduling_id from (
        select scheduling_id from operations where ${isLost(which)} order by lease_until limit ${BATCH}
      ) as lost
    `.execute(store.queries);
    if (rows.length === 0) return marked;
    await inParallel(rows, WIDTH, async ({ scheduling_id }) => {
      const count = await markOf(store, scheduling_id, context, which);
      marked += count;
    });
  }
}

async function markOf(
  store: Store,
  schedulingId: string,
  context: ChangeContext,
  which: Lost,
): Promise<number> {
  const { marked, ended } = await store.transaction(async (tx) => {
    const [locked] = await lockReconciliations(tx, [schedulingId]);
    const { rows } = await sql<{ component: string }>`
      update operations set state = 'orphan', released = false, lease_until = null, updated = clock_timestamp(),
        next_attempt_at = clock_timestamp()
      where scheduling_id = ${schedulingId} and ${isLost(which)}
      returning component
    `.execute(tx);
    const [first] = rows;
    if (locked === undefined || first === undefined) return { marked: 0, ended: undefined };
    return { marked: rows.length, ended: await continueReconciliation(tx, locked, context, first.component) };
  });
  if (marked > 0)
    context.log.info('operations without a sign of life are sent again', { schedulingId, marked });
  if (ended !== undefined) reportEnded(ended, context);
  return marked;
}
