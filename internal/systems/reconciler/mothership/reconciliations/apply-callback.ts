import { createScrubber } from '../../../../framework/base/index.ts';

import { isHandedBack } from '../../operations/operation.ts';
import { isStorable, type Store, storable, storableJson } from '../database/database.ts';
import { OPERATION_STATES } from '../database/schema.ts';
import type { Keyring } from '../encryption/keyring.ts';
import { decryptComponents } from '../inventory/cluster-states.ts';
import type { Callback, CallbackResult, CallbackStatus } from '../model/callback.ts';
import { isFinal, type OperationState } from '../model/reconciliation.ts';
import { RefusedError } from '../model/refused-error.ts';
import { changeOperations, type OperationChange } from './change-operations.ts';
import { type ChangeContext, secretValuesOf } from './context.ts';
import type { EndAttempt } from './end-attempts.ts';
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
      : (await changeOperations(store.queries, [change]))[0];
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
