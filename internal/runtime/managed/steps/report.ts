import { NotLeaderError, PostponedError } from '../../../base/concurrency/fence.ts';
import { NotAdmittedError } from '../../../base/concurrency/limit-key.ts';
import { findCause, kindOf, messageOf, ProviderError, WaitingError } from '../../../base/errors/errors.ts';
import { type ReconcileResult, requeue, requeueAfter } from '../../controller/reconcile-result.ts';
import {
  conflict,
  creating,
  differsFromStored,
  getCondition,
  type NewCondition,
  reconcileError,
  typeReady,
  waiting,
} from '../../resource/conditions.ts';
import type { Managed } from '../../resource/managed.ts';
import type { FailureRule, StepFailure } from './failures.ts';
import { reasonConflictEvent, reasonWaitingEvent } from './messages.ts';
import { conclude, type Reconciliation } from './reconciliation.ts';

/** The least patience where the other side asks for some, in ms. */
const MIN_RETRY_AFTER_MS = 1000;

/**
 * The one place where a failed step becomes what users see and when it is tried again. The step decides the words,
 * the kind of the cause decides the effect.
 */
export async function reportFailure<R extends Managed>(
  reconciliation: Reconciliation<R>,
  { rule, cause }: StepFailure,
): Promise<ReconcileResult> {
  const notAdmitted = findCause(cause, NotAdmittedError);
  if (notAdmitted !== undefined) throw notAdmitted;
  if (isRefusedByGuard(cause)) return reportRefusedWrite(reconciliation, rule, cause);
  const kind = kindOf(cause);
  reconciliation.targets = findCause(cause, ProviderError)?.targets ?? [];
  if (kind === 'conflict' && rule.onConflict === 'retry') {
    reconciliation.log.debug('the object changed meanwhile', { error: messageOf(cause) });
    return requeue;
  }
  if (kind === 'waiting') return reportWaiting(reconciliation, rule, cause);
  if (kind === 'contested') return reportContested(reconciliation, rule, cause);
  const text = messageOf(cause);
  const prefixed = rule.prefix === undefined ? text : `${rule.prefix}: ${text}`;
  const synced = reconcileError(prefixed);
  // Whoever polls on without trying again has said it once.
  const repeated = kind === 'terminal' && !differsFromStored(reconciliation.copy.object, synced);
  const unspoken = repeated || (kind === 'conflict' && rule.onConflict === 'report-without-event');
  if (rule.event !== undefined && !unspoken) {
    const { record, recordWithStatus } = reconciliation.events;
    const recordEvent = kind === 'terminal' ? recordWithStatus : record;
    recordEvent('Warning', rule.event, rule.prefixInEvent ? prefixed : text);
  }
  if (kind === 'bug') {
    reconciliation.log.error('reconcile met a fault', {
      error: text,
      stack: cause instanceof Error ? cause.stack : '',
    });
  } else reconciliation.log.debug('reconcile failed', { kind, error: prefixed });
  return conclude(reconciliation, resultOf(reconciliation, cause), ...readyOf(rule), synced);
}

/** Whether the write guard refused the write: nothing failed. */
export function isRefusedByGuard(error: unknown): boolean {
  return findCause(error, NotLeaderError) !== undefined || findCause(error, PostponedError) !== undefined;
}

/**
 * A write that the guard refused: it waits for the end of the ownership delay, for the shard that owns the resource, or for
 * a reconcile of the newest version, which needs no messages. Without leadership another replica continues.
 */
function reportRefusedWrite<R extends Managed>(
  reconciliation: Reconciliation<R>,
  rule: FailureRule,
  cause: unknown,
): Promise<ReconcileResult> | ReconcileResult {
  switch (kindOf(cause)) {
    case 'waiting': {
      // Nothing was attempted: a Ready condition stays, unless the resource is being deleted.
      const keepsReady =
        rule.ready === creating && getCondition(reconciliation.copy.object, typeReady) !== undefined;
      return reportWaiting(reconciliation, keepsReady ? { onConflict: rule.onConflict } : rule, cause);
    }
    case 'contested':
      return reportContested(reconciliation, rule, cause);
    default:
      reconciliation.log.debug('external write refused', { why: messageOf(cause) });
      return requeue;
  }
}

/** Waiting is not failing: no Warning, no backoff, and one event until something else is said or asked. */
function reportWaiting<R extends Managed>(
  reconciliation: Reconciliation<R>,
  rule: FailureRule,
  cause: unknown,
): Promise<ReconcileResult> {
  const text = messageOf(cause);
  const synced = waiting(text);
  if (begins(reconciliation.copy.object, synced))
    reconciliation.events.recordWithStatus('Normal', reasonWaitingEvent, text);
  reconciliation.log.debug('waiting', { for: text });
  const retry = findCause(cause, WaitingError)?.retry ?? false;
  const delayMs = findCause(cause, PostponedError)?.delayMs;
  const again = delayMs === undefined ? reconciliation.poll() : requeueAfter(delayMs);
  return conclude(reconciliation, retry ? requeue : again, ...readyOf(rule), synced);
}

/** What another one has is asked for again when whoever knows of that one says so: told once for each rival. */
function reportContested<R extends Managed>(
  reconciliation: Reconciliation<R>,
  rule: FailureRule,
  cause: unknown,
): Promise<ReconcileResult> {
  const text = messageOf(cause);
  const synced = conflict(text);
  if (differsFromStored(reconciliation.copy.object, synced))
    reconciliation.events.recordWithStatus('Warning', reasonConflictEvent, text);
  reconciliation.log.debug('contested', { why: text });
  return conclude(reconciliation, reconciliation.poll(), ...readyOf(rule), synced);
}

function resultOf<R extends Managed>(reconciliation: Reconciliation<R>, cause: unknown): ReconcileResult {
  const kind = kindOf(cause);
  switch (kind) {
    case 'waiting':
    case 'contested':
    case 'terminal':
      return reconciliation.poll();
    case 'throttled': {
      const patience = findCause(cause, ProviderError)?.retryAfterMs;
      return patience === undefined ? requeue : requeueAfter(Math.max(patience, MIN_RETRY_AFTER_MS));
    }
    case 'conflict':
    case 'auth':
    case 'not-found':
    case 'transient':
    case 'bug':
      return requeue;
    default:
      return kind satisfies never;
  }
}

/**
 * What is waited for may change many times, one source after the other, and stands in the condition. Only a wait of
 * another spec, or of the deletion, which raises the generation as well, is another wait.
 */
function begins(resource: Managed, synced: NewCondition): boolean {
  const shown = getCondition(resource, synced.type);
  if (shown?.reason !== synced.reason) return true;
  return shown.observedGeneration !== resource.metadata.generation && differsFromStored(resource, synced);
}

function readyOf(rule: FailureRule): NewCondition[] {
  return rule.ready === undefined ? [] : [rule.ready()];
}
