import { findCause, ProviderError } from '../../base/errors/errors.ts';
import { type Failure, handleError, type StepFailure } from '../../controller/reconcile/handle-error.ts';
import { VersionReadError } from '../../controller/reconcile/write-guard.ts';
import { type ReconcileResult, requeueAfter } from '../../controller/reconcile-result.ts';
import type { KubeObject } from '../../kube/object/object.ts';
import {
  conflict,
  creating,
  differsFromStored,
  getCondition,
  type NewCondition,
  reconcileError,
  typeReady,
  typeSynced,
  waiting,
} from '../resource/conditions.ts';
import type { Managed } from '../resource/managed.ts';
import { reconcileRequestFrom, recordedExternalName } from '../resource/meta.ts';
import { type FailureRule, failures } from './messages/failures.ts';
import { reasonConflictEvent, reasonWaitingEvent } from './messages/messages.ts';
import { conclude, type Reconciliation } from './reconciliation.ts';

/** Turns a failed step into a result. The step determines the messages, the kind of the error the effect on the queue. */
export function reportFailure<R extends Managed>(
  reconciliation: Reconciliation<R>,
  failure: StepFailure<FailureRule>,
): Promise<ReconcileResult> {
  const { rule, cause } = ruleOf(failure);
  const sink = {
    poll: reconciliation.poll,
    showsConflicts: rule.onConflict !== 'retry',
    show: async (failure: Failure) => {
      const unshownMs = unchangedFor(reconciliation, failure);
      if (unshownMs > 0) return requeueAfter(unshownMs);
      const synced = showFailure(reconciliation, rule, failure);
      // Nothing was attempted: an existing Ready condition stays, unless the resource is being deleted.
      const keepsReady =
        failure.isPostponed &&
        rule.ready === creating &&
        getCondition(reconciliation.copy.object, typeReady) !== undefined;
      const ready = rule.ready === undefined || keepsReady ? [] : [rule.ready()];
      return conclude(reconciliation, failure.result, ...ready, synced);
    },
  };
  return handleError(cause, sink, reconciliation.log);
}

/** In each step that writes, the check of the newest version can fail. */
function ruleOf({ rule, cause }: StepFailure<FailureRule>): Pick<StepFailure<FailureRule>, 'rule' | 'cause'> {
  return cause instanceof VersionReadError
    ? { rule: failures.checkOwnership, cause: cause.cause }
    : { rule, cause };
}

/** In ms: at least between two messages of one wait. */
const WAIT_MESSAGE_MS = 5000;

/**
 * What a resource waits for is often created with it, one object after the other. Each would change the message of the wait, and each
 * change requests a reconcile of a composite resource, of which Crossplane admits only so many.
 *
 * @returns ms until a new message of the same wait is shown; 0: now
 */
function unchangedFor<R extends Managed>(
  { copy: { object }, clock }: Reconciliation<R>,
  { kind, isPostponed, text, result }: Failure,
): number {
  const shown = getCondition(object, typeSynced);
  if (kind !== 'waiting' || isPostponed || result.type !== 'requeue-after' || shown === undefined) return 0;
  const synced = waiting(text);
  if (isNewWait(object, synced) || !differsFromStored(object, synced)) return 0;
  const elapsedMs = clock.now() - Date.parse(shown.lastTransitionTime);
  return elapsedMs < 0 ? 0 : Math.max(0, WAIT_MESSAGE_MS - elapsedMs);
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
    // No other value is a bug.
    const { stack } = error as Error;
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

/** Records `error` if it is terminal, and nothing but the spec can help. */
export function noteRefusal<R extends Managed>(
  { memory, copy }: Reconciliation<R>,
  verb: string,
  error: unknown,
): void {
  const refusal = findCause(error, ProviderError);
  if (refusal?.kind !== 'terminal' || refusal.targets.length > 0) return;
  memory.set({ ...memory.get(), refusal: { of: writeOf(verb, copy.object), error } });
}

/** The error of the same write; `undefined` if there is none. */
export function recalledRefusal<R extends Managed>(
  { memory, copy }: Reconciliation<R>,
  verb: string,
): unknown {
  const refusal = memory.get()?.refusal;
  return refusal?.of === writeOf(verb, copy.object) ? refusal.error : undefined;
}

function writeOf(verb: string, object: KubeObject): string {
  const { uid, generation } = object.metadata;
  return JSON.stringify([verb, uid, generation, recordedExternalName(object), reconcileRequestFrom(object)]);
}
