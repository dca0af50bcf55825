import { randomUUID } from 'node:crypto';
import { sql, type Transaction } from 'kysely';
import type { PlannedOperation } from '../../operations/plan-operations.ts';
import { processable } from '../../operations/processable.ts';
import type { Store } from '../database/database.ts';
import { sqlState } from '../database/retry-transaction.ts';
import type { Schema } from '../database/schema.ts';
import type { ClusterStatus } from '../model/cluster-status.ts';
import type { OperationType } from '../model/reconciliation.ts';
import { RefusedError } from '../model/refused-error.ts';

/** A cluster as it was when its run was planned. */
export interface StartInput {
  readonly runtimeId: string;
  readonly clusterVersion: number;
  readonly configVersion: number;
  readonly statusId: number;
  readonly kymaVersion: string;
  readonly type: OperationType;
  /** Place in the queue, small first. */
  readonly rank: number;
  readonly operations: readonly PlannedOperation[];
  readonly maxParallel: number;
}

/** SQLSTATE of a row that exists already. */
const UNIQUE_VIOLATION = '23505';

/**
 * Starts runs of clusters, all or none: they are `reconciling` or `deleting` then, and their first operations can be claimed.
 * Returns the scheduling ids; undefined for a cluster that has changed since, or that another process starts at this moment.
 *
 * @throws RefusedError `running` if one has a run that has not ended
 */
export async function startReconciliations(
  store: Store,
  inputs: readonly StartInput[],
): Promise<(string | undefined)[]> {
  try {
    return await store.transaction(async (tx) => {
      const statusIds = await beginStatuses(tx, inputs);
      const runs = inputs.flatMap((input) => {
        const statusId = statusIds.get(input.runtimeId);
        return statusId === undefined ? [] : [newRun(input, statusId)];
      });
      await addRuns(tx, runs);
      const ids = new Map(runs.map(({ row }) => [row.runtime_id, row.scheduling_id]));
      return inputs.map(({ runtimeId }) => ids.get(runtimeId));
    });
  } catch (error) {
    if (sqlState(error) !== UNIQUE_VIOLATION || inputs.length > 1) throw error;
    throw new RefusedError(
      'running',
      `cannot start: cluster ${inputs[0]?.runtimeId} has a reconciliation that runs`,
      { cause: error },
    );
  }
}

const statusOf = (type: OperationType): ClusterStatus => (type === 'delete' ? 'deleting' : 'reconciling');

/**
 * Adds the status to each cluster that still has the one that its run was planned for, and whose row nothing else has locked.
 * Returns the ids of the statuses by runtime id.
 */
async function beginStatuses(
  tx: Transaction<Schema>,
  inputs: readonly StartInput[],
): Promise<ReadonlyMap<string, number>> {
  const wanted = inputs.map(({ runtimeId, statusId, type }) => ({
    runtimeId,
    statusId,
    status: statusOf(type),
  }));
  const { rows } = await sql<{ id: number; runtime_id: string }>`
    with locked as (
      select r.runtime_id, r.cluster_version, r.config_version, w.status
      from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as w("runtimeId" text, "statusId" bigint, status text)
      join runtimes r on r.runtime_id = w."runtimeId" and r.status_id = w."statusId"
      for update of r skip locked
    ), added as (
      insert into cluster_statuses (runtime_id, cluster_version, config_version, status)
      select runtime_id, cluster_version, config_version, status from locked
      returning id, runtime_id, status, created
    )
    update runtimes r set status_id = added.id, status = added.status, status_since = added.created, next_run_at = null
    from added where r.runtime_id = added.runtime_id
    returning added.id, added.runtime_id
  `.execute(tx);
  return new Map(rows.map(({ id, runtime_id }) => [runtime_id, id]));
}

/** The rows of a run; the operations of the first group are released. */
function newRun(input: StartInput, statusId: number) {
  const { runtimeId, type, maxParallel } = input;
  const common = {
    scheduling_id: `${runtimeId}--${randomUUID()}`,
    runtime_id: runtimeId,
    cluster_version: input.clusterVersion,
    config_version: input.configVersion,
    type,
    rank: input.rank,
  };
  const planned = input.operations.map((operation) => ({ ...operation, state: 'new' as const, type }));
  const released = new Set(processable(planned, maxParallel));
  return {
    row: {
      ...common,
      config_status_id: statusId,
      kyma_version: input.kymaVersion,
      status: statusOf(type),
      max_parallel: maxParallel,
    },
    operations: planned.map((operation) => ({
      ...common,
      correlation_id: `${runtimeId}--${randomUUID()}`,
      component: operation.component,
      priority: operation.priority,
      state: operation.state,
      released: released.has(operation),
      retry_id: randomUUID(),
      parameters: operation.parameters ?? null,
    })),
  };
}

/** As one parameter for all rows: building statements with thousands of parameters costs more than running them. */
async function addRuns(tx: Transaction<Schema>, runs: readonly ReturnType<typeof newRun>[]): Promise<void> {
  if (runs.length === 0) return;
  await sql`
    insert into reconciliations (scheduling_id, runtime_id, cluster_version, config_version, config_status_id, type, rank,
      kyma_version, status, max_parallel)
    select scheduling_id, runtime_id, cluster_version, config_version, config_status_id, type, rank, kyma_version, status,
      max_parallel
    from jsonb_populate_recordset(null::reconciliations, ${JSON.stringify(runs.map(({ row }) => row))}::jsonb)
  `.execute(tx);
  const operations = runs.flatMap((run) => run.operations);
  await sql`
    with added as (
      insert into operations (scheduling_id, correlation_id, runtime_id, cluster_version, config_version, component, type,
        tenant, rank, priority, state, released, retry_id, parameters)
      select scheduling_id, correlation_id, runtime_id, cluster_version, config_version, component, type, tenant,
        ${rankInShare}, priority, state, released, retry_id, nullif(parameters, 'null')
      from (
        select o.*, coalesce(t.open, 0) + row_number() over (partition by r.tenant order by o.rank, o.priority) as place,
          r.tenant
        from jsonb_to_recordset(${JSON.stringify(operations)}::jsonb) as o(scheduling_id text, correlation_id text,
          runtime_id text, cluster_version bigint, config_version bigint, component text, type text, rank integer,
          priority integer, state text, released boolean, retry_id text, parameters jsonb)
        join runtimes r on r.runtime_id = o.runtime_id
        left join ${openByTenant(runs)} t on t.tenant = r.tenant
      ) planned
    ) select pg_notify('mothership_operations', '')
  `.execute(tx);
}

/** Operations of a tenant that have not ended and keep the rank of their run: those of some ten clusters. */
const SHARE = 200;
/** More ranks than causes of runs. */
const BEYOND = 10;

/**
 * The rank in the queue by the place among the open operations of the tenant: beyond its share all others go first, and the more so
 * the more there are. So a tenant with very many delays others by its share at most, whatever its clusters wait for.
 */
const rankInShare = sql`case when place <= ${sql.lit(SHARE)} then rank
  else ${sql.lit(BEYOND)} + ceil(log(2, place / ${sql.lit(SHARE)}.0))::int end`;

/** How many operations of the tenants of runs have not ended. */
const openByTenant = (runs: readonly ReturnType<typeof newRun>[]) => sql`(
  select o.tenant, count(*) as open from operations o
  where o.tenant in (
      select r.tenant from runtimes r where r.runtime_id = any(${runs.map(({ row }) => row.runtime_id)}::text[])
    )
    and o.state in ('new', 'in_progress', 'failed', 'client_error', 'orphan') and not o.finished
  group by o.tenant
)`;
