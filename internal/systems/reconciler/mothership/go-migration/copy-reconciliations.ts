import { sql, type Transaction } from 'kysely';
import type { Logger } from '../../../../framework/base/telemetry/logger.ts';
import { OPERATION_STATES } from '../database/schema/scheduler-tables.ts';
import type { Schema } from '../database/schema/schema.ts';
import type { Store } from '../database/store.ts';
import { CLUSTER_STATUSES } from '../model/cluster-status.ts';
import { insertStatuses } from './copy-statuses.ts';
import { migrationStep, storeProgress } from './go-progress.ts';
import { utc } from './go-tables.ts';

/** Reconciliations of one transaction, with their operations. */
const BATCH = 5000;

/** @param orphanTimeoutMs operations that were sent wait so long for a sign of life */
export async function copyReconciliations(
  store: Store,
  { orphanTimeoutMs, log }: { readonly orphanTimeoutMs: number; readonly log: Logger },
): Promise<void> {
  for (let done = 0; ; done += BATCH) {
    const isLast = await migrationStep(store, async (tx, { reconciliationsUntil }) => {
      const { rows } = await sql<{ id: string }>`
        select scheduling_id as id from public.scheduler_reconciliations where scheduling_id > ${reconciliationsUntil}
        order by scheduling_id limit ${BATCH}
      `.execute(tx);
      const last = rows.at(-1)?.id;
      if (last === undefined) return true;
      const isInBatch = (column: string) =>
        sql`${sql.ref(column)} > ${reconciliationsUntil} and ${sql.ref(column)} <= ${last}`;
      await insertStatuses(
        tx,
        sql`id in (select cluster_config_status from public.scheduler_reconciliations where ${isInBatch('scheduling_id')})`,
      );
      await insertReconciliations(tx, isInBatch('r.scheduling_id'));
      await insertOperations(tx, isInBatch('o.scheduling_id'), orphanTimeoutMs);
      await storeProgress(tx, { reconciliationsUntil: last });
      return rows.length < BATCH;
    });
    if (isLast) return;
    log.info('reconciliations are migrated', { done: done + BATCH });
  }
}

type Condition = ReturnType<typeof sql>;

/** Reconciliations without a status have no cluster any more, and are left out. */
async function insertReconciliations(tx: Transaction<Schema>, condition: Condition): Promise<void> {
  await sql`
    insert into reconciliations (scheduling_id, runtime_id, cluster_version, config_version, config_status_id, type,
      kyma_version, status, finished, created, updated, finished_at)
    select r.scheduling_id, r.runtime_id, s.cluster_version, s.config_version, s.id,
      case when exists (select 1 from public.scheduler_operations o where o.scheduling_id = r.scheduling_id)
        and not exists (
          select 1 from public.scheduler_operations o where o.scheduling_id = r.scheduling_id and o.type <> 'delete'
        ) then 'delete' else 'reconcile' end,
      k.kyma_version, case when r.status = any(${CLUSTER_STATUSES}::text[]) then r.status else 'error' end, coalesce(r.finished, false), ${utc('r.created')}, ${utc('r.updated')},
      case when r.finished then ${utc('r.updated')} end
    from public.scheduler_reconciliations r
    join public.inventory_cluster_config_statuses s on s.id = r.cluster_config_status
    join public.inventory_cluster_configs k on k.version = s.config_version
    where ${condition}
  `.execute(tx);
}

const isAtComponent = sql`o.state in ('in_progress', 'failed', 'client_error')`;

/** The database sets `picked_up` of operations that were not sent, too. An operation of a run that has ended is not open. */
async function insertOperations(
  tx: Transaction<Schema>,
  condition: Condition,
  orphanTimeoutMs: number,
): Promise<void> {
  await sql`
    insert into operations (scheduling_id, correlation_id, runtime_id, cluster_version, config_version, component, type,
      priority, state, reason, finished, sent, picked_up, lease_until, retries, retry_id, processing_duration, parameters, debug,
      created, updated, attempts)
    select o.scheduling_id, o.correlation_id, o.runtime_id, r.cluster_version, r.config_version, o.component, o.type,
      o.priority, case when o.state <> all(${OPERATION_STATES}::text[]) or r.finished and ${isAtComponent} then 'orphan' else o.state end,
      o.reason, r.finished, ${isAtComponent}, case when o.state <> 'new' then ${utc('o.picked_up')} end,
      case when ${isAtComponent}
        then ${utc('o.updated')} + ${orphanTimeoutMs}::float8 * interval '1 ms' end,
      o.retries, o.retry_id, coalesce(o.processing_duration, 0),
      case o.component when 'CRDs' then '{}'::jsonb when 'cleaner' then '{"delete_strategy": "system"}'::jsonb end,
      coalesce(o.debug, false), ${utc('o.created')}, ${utc('o.updated')}, case o.state when 'new' then 0 else 1 end
    from public.scheduler_operations o join reconciliations r on r.scheduling_id = o.scheduling_id
    where ${condition}
  `.execute(tx);
}
