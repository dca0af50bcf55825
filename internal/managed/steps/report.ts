import { type Failure, handleError } from '../../controller/reconcile/handle-error.ts';
import type { StepFailure } from '../../controller/reconcile/step.ts';
import type { ReconcileResult } from '../../controller/reconcile-result.ts';
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
import type { FailureRule } from './messages/failures.ts';
import { reasonConflictEvent, reasonWaitingEvent } from './messages/messages.ts';
import { conclude, type Reconciliation } from './reconciliation.ts';

/** Turns a failed step into a result. The step determines the messages, the kind of the error the effect on the queue. */
export function reportFailure<R extends Managed>(
  reconciliation: Reconciliation<R>,
  { rule, cause }: StepFailure<FailureRule>,
): Promise<ReconcileResult> {
  const sink = {
    poll: reconciliation.poll,
    showsConflicts: rule.onConflict !== 'retry',
    show: (failure: Failure) => {
      const synced = showFailure(reconciliation, rule, failure);
      // Nothing was attempted: an existing Ready condition stays, unless the resource is being deleted.
      const keepsReady =
        failure.isPostponed &&
        failure.kind === 'waiting' &&
        rule.ready === creating &&
        getCondition(reconciliation.copy.object, typeReady) !== undefined;
      const ready = rule.ready === undefined || keepsReady ? [] : [rule.ready()];
      return conclude(reconciliation, failure.result, ...ready, synced);
    },
  };
  return handleError(cause, sink, reconciliation.log);
}

/** Records the event and returns the Synced condition. Only failures have a Warning each time. */
function showFailure<R extends Managed>(
  { copy: { object }, events, log }: Reconciliation<R>,
  rule: FailureRule,
  { kind, error, text }: Failure,
): NewCondition {
  if (kind === 'waiting') {
    const synced = waiting(text);
    if (isNewWait(object, synced)) events.recordWithStatus('Normal', reasonWaitingEvent, text);
    log.debug('waiting', { for: text });
    return synced;
  }
  if (kind === 'contested') {
    const synced = conflict(text);
    // One event for each holder.
    if (differsFromStored(object, synced)) events.recordWithStatus('Warning', reasonConflictEvent, text);
    log.debug('contested', { why: text });
    return synced;
  }
  const prefixed = rule.prefix === undefined ? text : `${rule.prefix}: ${text}`;
  const synced = reconcileError(prefixed);
  // A terminal error has one event until it changes.
  const repeated = kind === 'terminal' && !differsFromStored(object, synced);
  const withoutEvent = repeated || (kind === 'conflict' && rule.onConflict === 'report-without-event');
  if (rule.event !== undefined && !withoutEvent) {
    const recordEvent = kind === 'terminal' ? events.recordWithStatus : events.record;
    recordEvent('Warning', rule.event, rule.prefixInEvent ? prefixed : text);
  }
  if (kind === 'bug') {
    const stack = error instanceof Error ? error.stack : '';
    log.error('reconcile failed with a bug', { error: text, stack });
  } else log.debug('reconcile failed', { kind, error: prefixed });
  return synced;
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
