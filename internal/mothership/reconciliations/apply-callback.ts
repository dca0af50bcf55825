import { sql } from 'kysely';
import { isStorable, storable, storableJson } from '../database/storable.ts';
import type { Store } from '../database/store.ts';
import type { Callback, CallbackResult, CallbackStatus } from '../model/callback.ts';
import { isFinal, type OperationState } from '../model/reconciliation.ts';
import { RefusedError } from '../model/refused-error.ts';
import { changeOperation, settleOperation, stateIn } from './change-operation.ts';
import type { ChangeContext } from './context.ts';
import type { OperationTokens } from './operation-tokens.ts';

const STATES = {
  notstarted: 'in_progress',
  running: 'in_progress',
  failed: 'failed',
  success: 'done',
  error: 'error',
} as const satisfies Record<CallbackStatus, OperationState>;

/** The longest duration that fits in its column, in ms. */
const MAX_DURATION_MS = 2 ** 31 - 1;

export interface CallbackContext extends ChangeContext {
  readonly tokens: OperationTokens;
}

/** Stores what a component reconciler reports. One of a former attempt, or after the end, changes nothing. */
export async function applyCallback(
  store: Store,
  callback: Callback,
  context: CallbackContext,
): Promise<CallbackResult> {
  const fencingToken = context.tokens.read(callback);
  if (fencingToken !== undefined) {
    const state = STATES[callback.status];
    const change = {
      set: changesOf(callback, state, context.settings.orphanTimeoutMs),
      where: sql`fencing_token = ${fencingToken} and not ${stateIn('done', 'error')}`,
    };
    const changed = isFinal(state)
      ? await settleOperation(store, callback, change, context)
      : await changeOperation(store.queries, callback, change);
    if (changed) return 'applied';
  }
  return explain(store, callback, fencingToken);
}

/** The columns that the callback sets. Each new retry id is an attempt of the component reconciler. */
function changesOf(
  { error, retryId: sent, processingDurationMs, progress }: Callback,
  state: OperationState,
  orphanTimeoutMs: number,
) {
  const retryId = storable(sent);
  const reason = state === 'failed' || state === 'error' ? storable(error) || 'no reason given' : null;
  const durationMs = Math.min(Math.max(Math.trunc(processingDurationMs), 0), MAX_DURATION_MS);
  return sql.join([
    sql`state = ${state}`,
    sql`reason = ${reason}`,
    sql`heartbeat_at = clock_timestamp()`,
    sql`lease_until = clock_timestamp() + ${orphanTimeoutMs}::float8 * interval '1 ms'`,
    ...(retryId === ''
      ? []
      : [sql`retries = retries + (retry_id <> ${retryId}::text)::int`, sql`retry_id = ${retryId}::text`]),
    ...(isFinal(state) ? [sql`processing_duration = ${durationMs}::int`] : []),
    ...(progress === undefined ? [] : [sql`progress = ${storableJson(progress)}::jsonb`]),
  ]);
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
  throw refuse('final', `it has ended as ${operation.state}`);
}
