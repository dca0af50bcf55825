import { sql } from 'kysely';
import type { Queries } from '../database/database.ts';
import type { EndedOperation, OperationState } from '../model/reconciliation.ts';

export interface OperationKey {
  readonly schedulingId: string;
  readonly correlationId: string;
}

/** What an operation becomes, and what it must be for that. Columns without a value stay as they are. */
export interface OperationChange extends OperationKey {
  /** States it must have. */
  readonly from: readonly OperationState[];
  /** The attempt that the change is about; undefined: any. */
  readonly fencingToken?: number;
  /** Whether the change is void when the component reconciler has called back about this attempt. Default false. */
  readonly unheard?: boolean;
  readonly state: OperationState;
  /** Storable text. */
  readonly reason: string | null;
  /** Extends the lease by so many ms. */
  readonly leaseMs?: number;
  /** Whether it comes from the component reconciler: a sign of life. Default false. */
  readonly heartbeat?: boolean;
  /** Id of the attempt of the component reconciler: another one than before counts as a further attempt. */
  readonly retryId?: string;
  /** Whether the attempt does not count, since it did not end: what comes from it later changes nothing. Default false. */
  readonly uncounted?: boolean;
  readonly processingDurationMs?: number;
  /** JSON text. */
  readonly progress?: string;
  /** Delay before it may be sent again, in ms. */
  readonly nextAttemptMs?: number;
}

/** An operation that was changed. */
export interface ChangedOperation extends OperationKey, Omit<EndedOperation, 'reason' | 'claimedMs'> {
  readonly reason: string | null;
  readonly claimedMs: number | null;
}

/**
 * Changes operations, each at most once, in one statement. Returns those whose condition holds and whose run has
 * not ended; all others stay as they are.
 */
export async function changeOperations(
  queries: Queries,
  changes: readonly OperationChange[],
): Promise<ChangedOperation[]> {
  const { rows } = await sql<ChangedOperation>`
    update operations o set state = c.state, reason = c.reason, updated = clock_timestamp(),
      heartbeat_at = case when c.heartbeat then clock_timestamp() else o.heartbeat_at end,
      sent = o.sent or coalesce(c.heartbeat, false), fencing_token = o.fencing_token + coalesce(c.uncounted, false)::int,
      lease_until = coalesce(clock_timestamp() + c."leaseMs" * interval '1 ms', o.lease_until),
      retries = greatest(0, o.retries + coalesce(c."retryId" <> o.retry_id, false)::int - coalesce(c.uncounted, false)::int),
      retry_id = coalesce(c."retryId", o.retry_id),
      processing_duration = coalesce(c."processingDurationMs", o.processing_duration),
      progress = coalesce(c.progress::jsonb, o.progress),
      next_attempt_at = coalesce(clock_timestamp() + c."nextAttemptMs" * interval '1 ms', o.next_attempt_at)
    from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) as c(
      "schedulingId" text, "correlationId" text, "from" jsonb, "fencingToken" bigint, unheard boolean, state text,
      reason text, "leaseMs" float8, heartbeat boolean, "retryId" text, uncounted boolean, "processingDurationMs" int, progress text, "nextAttemptMs" float8
    )
    where o.scheduling_id = c."schedulingId" and o.correlation_id = c."correlationId" and c."from" ? o.state
      and (c."fencingToken" is null or o.fencing_token = c."fencingToken")
      and (c.unheard is not true or o.heartbeat_at is null) and not o.finished
    returning o.scheduling_id as "schedulingId", o.correlation_id as "correlationId", o.component, o.state,
      o.reason, o.retries,
      o.processing_duration as "processingDurationMs", ${msSince('created')} as "lifetimeMs",
      ${msSince('picked_up')} as "claimedMs"
  `.execute(queries);
  return rows;
}

/** SQL: as numbers, since times cost more to read. */
const msSince = (column: 'created' | 'picked_up') =>
  sql`(extract(epoch from o.updated - o.${sql.ref(column)}) * 1000)::float8`;
