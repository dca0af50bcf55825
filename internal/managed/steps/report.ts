import { NotLeaderError, PostponedError } from '../../base/concurrency/fence.ts';
import { NotAdmittedError } from '../../base/concurrency/limit-key.ts';
import { findCause, kindOf, messageOf, ProviderError, WaitingError } from '../../base/errors/errors.ts';
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
} from '../resource/conditions.ts';
import type { Managed } from '../resource/managed.ts';
import type { FailureRule, StepFailure } from './messages/failures.ts';
import { reasonConflictEvent, reasonWaitingEvent } from './messages/messages.ts';
import { conclude, type Reconciliation } from './reconciliation.ts';

/** Lower bound for the retry delay that the external API requests, in ms. */
const MIN_RETRY_AFTER_MS = 1000;

/**
 * Turns a failed step into events, conditions and a result for the queue. The step determines the messages, the kind
 * of the error determines the result.
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
  // A terminal error has one event until it changes.
  const repeated = kind === 'terminal' && !differsFromStored(reconciliation.copy.object, synced);
  const withoutEvent = repeated || (kind === 'conflict' && rule.onConflict === 'report-without-event');
  if (rule.event !== undefined && !withoutEvent) {
    const { record, recordWithStatus } = reconciliation.events;
    const recordEvent = kind === 'terminal' ? recordWithStatus : record;
    recordEvent('Warning', rule.event, rule.prefixInEvent ? prefixed : text);
  }
  if (kind === 'bug') {
    reconciliation.log.error('reconcile failed with a bug', {
      error: text,
      stack: cause instanceof Error ? cause.stack : '',
    });
  } else reconciliation.log.debug('reconcile failed', { kind, error: prefixed });
  return conclude(reconciliation, resultOf(reconciliation, cause), ...readyOf(rule), synced);
}

/** Whether the write guard refused the write, which is no failure. */
export function isRefusedByGuard(error: unknown): boolean {
  return findCause(error, NotLeaderError) !== undefined || findCause(error, PostponedError) !== undefined;
}

/**
 * Handles a write that the guard refused. It is retried after the ownership delay, when another shard releases the
 * resource, or with the newest version of the object. Without leadership another replica continues.
 */
function reportRefusedWrite<R extends Managed>(
  reconciliation: Reconciliation<R>,
  rule: FailureRule,
  cause: unknown,
): Promise<ReconcileResult> | ReconcileResult {
  switch (kindOf(cause)) {
    case 'waiting': {
      // No write was attempted: an existing Ready condition stays, unless the resource is being deleted.
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

/** Waiting is no failure: no Warning, no backoff, and one event for each wait. */
function reportWaiting<R extends Managed>(
  reconciliation: Reconciliation<R>,
  rule: FailureRule,
  cause: unknown,
): Promise<ReconcileResult> {
  const text = messageOf(cause);
  const synced = waiting(text);
  if (isNewWait(reconciliation.copy.object, synced))
    reconciliation.events.recordWithStatus('Normal', reasonWaitingEvent, text);
  reconciliation.log.debug('waiting', { for: text });
  const retry = findCause(cause, WaitingError)?.retry ?? false;
  const delayMs = findCause(cause, PostponedError)?.delayMs;
  const again = delayMs === undefined ? reconciliation.poll() : requeueAfter(delayMs);
  return conclude(reconciliation, retry ? requeue : again, ...readyOf(rule), synced);
}

/** Retries when the holder changes. One event for each holder. */
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
      const retryAfterMs = findCause(cause, ProviderError)?.retryAfterMs;
      return retryAfterMs === undefined ? requeue : requeueAfter(Math.max(retryAfterMs, MIN_RETRY_AFTER_MS));
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
 * Whether this is a new wait. The message may change during one wait; only another spec, or the deletion, which also
 * raises the generation, starts a new one.
 */
function isNewWait(resource: Managed, synced: NewCondition): boolean {
  const shown = getCondition(resource, synced.type);
  if (shown?.reason !== synced.reason) return true;
  return shown.observedGeneration !== resource.metadata.generation && differsFromStored(resource, synced);
}

function readyOf(rule: FailureRule): NewCondition[] {
  return rule.ready === undefined ? [] : [rule.ready()];
}
