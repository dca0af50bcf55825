/**
 * How an attempt of an operation ends, until the next operations are released: by a callback (`applyCallback`), by what the caller knows
 * (`EndAttempt`), or because nothing is heard of it any more (`markOrphans`). In one transaction the operation is changed, and its
 * reconciliation continued or finished (continue-reconciliations.ts); observers get it afterwards.
 */
import { sql } from 'kysely';
import { createScrubber, inParallel } from '../../../../framework/base/index.ts';
import { isHandedBack } from '../../operations/operation.ts';
import { createBatcher } from '../database/create-batcher.ts';
import { isStorable, type Queries, type Store, storable, storableJson } from '../database/database.ts';
import { OPERATION_STATES } from '../database/schema.ts';
import type { Keyring } from '../encryption/keyring.ts';
import { decryptComponents } from '../inventory/cluster-states.ts';
import { secretValuesOf } from '../model/cluster.ts';
import {
  type Callback,
  type CallbackResult,
  type CallbackStatus,
  type EndedOperation,
  isFinal,
  type OperationState,
} from '../model/reconciliation.ts';
import { RefusedError } from '../model/refused-error.ts';
import {
  type ChangeContext,
  continueReconciliation,
  continueReconciliations,
  type Ended,
  type LockedRun,
  lockReconciliations,
  type RunRow,
  type SequencedOperationRow,
  sequence,
  sequencedColumns,
  stateIn,
} from './continue-reconciliations.ts';
import type { OperationTokens } from './operation-tokens.ts';

const STATES = {
  notstarted: 'in_progress',
  running: 'in_progress',
  failed: 'failed',
  success: 'done',
  error: 'error',
} as const satisfies Record<CallbackStatus, OperationState>;

const OPEN_STATES = OPERATION_STATES.filter((state) => !isFinal(state));

/** The longest duration that fits in its column, in ms. */
const MAX_DURATION_MS = 2 ** 31 - 1;

export interface CallbackContext extends ChangeContext {
  readonly tokens: OperationTokens;
}

/** Stores what a component reconciler reports. One of a former attempt, or after the end, changes nothing. */
export async function applyCallback(
  store: Store,
  callback: Callback,
  context: CallbackContext & {
    readonly endAttempt: EndAttempt;
    readonly keyring: Keyring;
  },
): Promise<CallbackResult> {
  const fencingToken = context.tokens.read(callback);
  if (fencingToken !== undefined) {
    const masked = await withoutSecrets(store, callback, context.keyring);
    const change = changeOf(masked, fencingToken, context.settings.orphanTimeoutMs);
    const ends = isFinal(change.state) || change.state === 'orphan';
    // One statement for each that goes on: one for several would lock their rows in another order than the claims that are stored.
    const changed = ends
      ? await context.endAttempt(change)
      : (await changeOperations(store.queries, [change], { others: false }))[0];
    if (changed) return 'applied';
  }
  return explain(store, callback, fencingToken);
}

/** Without values that the registration marks as secret, which the component reconciler has got. They are read for an error alone. */
async function withoutSecrets(store: Store, callback: Callback, keyring: Keyring): Promise<Callback> {
  const { schedulingId, correlationId, error } = callback;
  if (error === '' || ![schedulingId, correlationId].every(isStorable)) return callback;
  const row = await store.queries
    .selectFrom('operations as o')
    .innerJoin('cluster_configs as k', 'k.version', 'o.config_version')
    .select(['o.component', 'k.components', 'k.components_key'])
    .where('o.scheduling_id', '=', schedulingId)
    .where('o.correlation_id', '=', correlationId)
    .executeTakeFirst();
  if (row === undefined) return callback;
  const component = decryptComponents(row, keyring).find((each) => each.component === row.component);
  const secrets = component === undefined ? [] : secretValuesOf(component);
  return secrets.length === 0 ? callback : { ...callback, error: createScrubber(secrets)(error) };
}

/** The change that the callback asks for. Each new retry id is an attempt of the component reconciler. */
function changeOf(callback: Callback, fencingToken: number, leaseMs: number): OperationChange {
  const { schedulingId, correlationId, error, retryId, processingDurationMs, progress } = callback;
  const state = STATES[callback.status];
  if (state === 'failed' && isHandedBack(error)) return handedBack(callback, fencingToken);
  return {
    schedulingId,
    correlationId,
    from: OPEN_STATES,
    fencingToken,
    state,
    reason: state === 'failed' || state === 'error' ? storable(error) || 'no reason given' : null,
    leaseMs,
    heartbeat: true,
    ...(retryId === '' ? {} : { retryId: storable(retryId) }),
    ...(isFinal(state) && {
      processingDurationMs: Math.min(Math.max(Math.trunc(processingDurationMs), 0), MAX_DURATION_MS),
    }),
    ...(progress === undefined ? {} : { progress: storableJson(progress) }),
  };
}

/** The component reconciler stops: another one gets the task at once, and this attempt does not count. */
function handedBack(
  { schedulingId, correlationId, error, retryId }: Callback,
  fencingToken: number,
): OperationChange {
  return {
    schedulingId,
    correlationId,
    from: OPEN_STATES,
    fencingToken,
    state: 'orphan',
    reason: storable(error),
    uncounted: true,
    ...(retryId === '' ? {} : { retryId: storable(retryId) }),
    nextAttemptMs: 0,
  };
}

/** Why nothing was changed. An unknown operation comes first, whatever the token. */
async function explain(
  { queries }: Store,
  callback: Callback,
  fencingToken: number | undefined,
): Promise<CallbackResult> {
  const { schedulingId, correlationId } = callback;
  const operation = [schedulingId, correlationId].every(isStorable)
    ? await queries
        .selectFrom('operations')
        .selectAll()
        .where('scheduling_id', '=', schedulingId)
        .where('correlation_id', '=', correlationId)
        .executeTakeFirst()
    : undefined;
  const refuse = (refusal: 'not-found' | 'missing-token' | 'stale-token' | 'final', why: string) =>
    new RefusedError(refusal, `cannot update the operation: ${why}`);
  if (operation === undefined) throw refuse('not-found', 'there is none with these ids');
  if (fencingToken === undefined) throw refuse('missing-token', 'the callback has no valid token');
  if (operation.fencing_token !== fencingToken) throw refuse('stale-token', 'it was sent again since');
  if (operation.state === STATES[callback.status]) return 'repeated';
  throw refuse(
    'final',
    isFinal(operation.state) ? `it has ended as ${operation.state}` : 'its reconciliation has ended',
  );
}

/** Ends the attempt of one operation; undefined, with nothing changed, if the condition of the change does not hold. */
export type EndAttempt = (change: OperationChange) => Promise<ReadOperation | undefined>;

/** Ends attempts as `endAttempts` does, those that come at the same time in one transaction. */
export const createEndAttempt = (store: Store, context: ChangeContext): EndAttempt =>
  createBatcher({
    keyOf: ({ correlationId }) => correlationId,
    run: (changes) => endAttempts(store, changes, context),
  });

/**
 * Changes operations that are no longer in progress then, and releases what follows or ends their reconciliations, in one
 * transaction. The operations are different ones.
 *
 * @returns what each change made; undefined, with nothing changed, where its condition does not hold
 */
async function endAttempts(
  store: Store,
  changes: readonly OperationChange[],
  context: ChangeContext,
): Promise<(ReadOperation | undefined)[]> {
  const { operations, ended } = await store.transaction(async (tx) => {
    await lockReconciliations(
      tx,
      changes.map(({ schedulingId }) => schedulingId),
    );
    const read = await changeOperations(tx, changes, { others: true });
    const operations = read.filter(({ changed }) => changed);
    const components = new Set(operations.map(({ component }) => component));
    const runs = [...Map.groupBy(read, ({ scheduling_id }) => scheduling_id).values()].flatMap(
      (all): LockedRun[] => {
        const one = all.find(({ changed }) => changed);
        return one === undefined ? [] : [{ reconciliation: one, operations: all }];
      },
    );
    return { operations, ended: await continueReconciliations(tx, runs, context, components) };
  });
  for (const operation of operations) reportOperation(operation, context);
  for (const end of ended) reportEnded(end, context);
  return changes.map(({ schedulingId, correlationId }) =>
    operations.find((each) => each.scheduling_id === schedulingId && each.correlation_id === correlationId),
  );
}

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
    await lockReconciliations(tx, [schedulingId]);
    const { rows } = await sql<{ component: string }>`
      update operations set state = 'orphan', released = false, lease_until = null, updated = clock_timestamp(),
        next_attempt_at = clock_timestamp()
      where scheduling_id = ${schedulingId} and ${isLost(which)}
      returning component
    `.execute(tx);
    const [first] = rows;
    if (first === undefined) return { marked: 0, ended: undefined };
    const ended = await continueReconciliation(tx, schedulingId, context, first.component);
    return { marked: rows.length, ended };
  });
  if (marked > 0)
    context.log.info('operations without a sign of life are sent again', { schedulingId, marked });
  if (ended !== undefined) reportEnded(ended, context);
  return marked;
}

/* What observers get after a transaction is committed. */

function reportOperation(operation: ReadOperation, { observers }: ChangeContext): void {
  if (!isFinal(operation.state)) return;
  const { reason, claimedMs } = operation;
  const ended = { ...operation, reason: reason ?? undefined, claimedMs: claimedMs ?? undefined };
  for (const { operationEnded } of observers) operationEnded?.(ended);
}

export function reportEnded({ runtimeId, result }: Ended, { observers, log }: ChangeContext): void {
  log.info('reconciliation ended', { runtimeId, result });
  for (const { reconciliationEnded } of observers) reconciliationEnded?.(result);
}

interface OperationKey {
  readonly schedulingId: string;
  readonly correlationId: string;
}

/** What an operation becomes, and what it must be for that. Columns without a value stay as they are. */
interface OperationChange extends OperationKey {
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

/** An operation that was changed, or another one of its run, of which there is nothing to report; with what is read of the run. */
interface ReadOperation
  extends SequencedOperationRow,
    RunRow,
    Pick<EndedOperation, 'retries' | 'processingDurationMs' | 'lifetimeMs'> {
  readonly changed: boolean;
  readonly claimedMs: number | null;
}

/** SQL: as numbers, since times cost more to read. */
const msSince = (column: 'created' | 'picked_up') =>
  sql`(extract(epoch from o.updated - o.${sql.ref(column)}) * 1000)::float8`;

const READ_COLUMNS = sql`${sequencedColumns}, x.runtime_id, x.config_status_id, x.max_parallel`;

/**
 * Changes operations, each at most once, and reads them. Those whose condition does not hold, or whose run has ended, stay as they are, and
 * are not read.
 *
 * @param others whether the other operations of the runs are read too, all in the order in which they are sent
 */
async function changeOperations(
  queries: Queries,
  changes: readonly OperationChange[],
  { others }: { readonly others: boolean },
): Promise<ReadOperation[]> {
  const { rows } = await sql<ReadOperation>`
    with changed as (
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
      returning o.*
    )
    select true as changed, ${READ_COLUMNS}, o.retries, o.processing_duration as "processingDurationMs",
      ${msSince('created')} as "lifetimeMs", ${msSince('picked_up')} as "claimedMs"
    from changed o
    join reconciliations x on x.scheduling_id = o.scheduling_id ${others ? otherOperations(changes) : sql``}
  `.execute(queries);
  return rows;
}

/** SQL: the rest of a statement reads rows as they were before its change. */
const otherOperations = (changes: readonly OperationChange[]) => sql`
  union all
  select false, ${READ_COLUMNS}, 0, 0, 0, null from operations o join reconciliations x on x.scheduling_id = o.scheduling_id
  where o.scheduling_id = any(${changes.map(({ schedulingId }) => schedulingId)}::text[])
    and not exists (
      select 1 from changed c where c.scheduling_id = o.scheduling_id and c.correlation_id = o.correlation_id
    )
  order by ${sequence}`;
