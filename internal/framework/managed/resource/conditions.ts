/**
 * Conditions of managed resources, those of crossplane-runtime and `UpToDate`:
 *
 * - `Synced`: whether the last reconcile succeeded. Set by the reconciler.
 * - `Ready`: whether the external resource can be used. Set by the connector and the external client.
 * - `UpToDate`: whether the external resource matched the spec when it was last observed. Set by the reconciler. It
 *   shows a difference that the policies do not allow to update.
 */

import { visibleMessage } from '../../base/text/redact.ts';
import { cutMiddle } from '../../base/text/text.ts';
import type { Clock } from '../../base/time/clock.ts';
import { type Condition, findCondition, withCondition } from '../../kube/object/condition.ts';
import type { KubeObject } from '../../kube/object/object.ts';

/** A condition before `setConditions` adds its time and generation. */
export type NewCondition = Readonly<Omit<Condition, 'lastTransitionTime' | 'observedGeneration'>>;

/** An object with conditions: a managed resource or a provider configuration. */
export type Conditioned = KubeObject & { status?: { conditions?: Condition[] } };

/** In characters. A longer message is cut in the middle: it starts with what failed and ends with the cause. */
export const maxMessageLength = 1024;
/** The limit of `metav1.Condition`, in characters. */
const maxReasonLength = 1024;

export const typeReady = 'Ready';
export const typeSynced = 'Synced';
export const typeUpToDate = 'UpToDate';

export const reasonAvailable = 'Available';
export const reasonUnavailable = 'Unavailable';
export const reasonCreating = 'Creating';
export const reasonDeleting = 'Deleting';
export const reasonReconcileSuccess = 'ReconcileSuccess';
export const reasonReconcileError = 'ReconcileError';
export const reasonReconcilePaused = 'ReconcilePaused';
export const reasonWaiting = 'Waiting';
export const reasonConflict = 'Conflict';
export const reasonObserveMatched = 'ObserveMatched';
export const reasonObservePending = 'ObservePending';
export const reasonUpdateRequested = 'UpdateRequested';
export const reasonUpdateFailed = 'UpdateFailed';
export const reasonUpdateRestricted = 'UpdateRestricted';

/** Ready=True: the external resource can be used. Set only by connectors and external clients. */
export const available = (): NewCondition => condition(typeReady, 'True', reasonAvailable);
/** Ready=False: it exists but cannot be used, or this is unknown. */
export const unavailable = (message?: string, reason: string = reasonUnavailable): NewCondition =>
  condition(typeReady, 'False', reason, message);
export const creating = (message?: string): NewCondition =>
  condition(typeReady, 'False', reasonCreating, message);
export const deleting = (message?: string): NewCondition =>
  condition(typeReady, 'False', reasonDeleting, message);
export const reconcileSuccess = (message?: string): NewCondition =>
  condition(typeSynced, 'True', reasonReconcileSuccess, message);
export const reconcileError = (message: string): NewCondition =>
  condition(typeSynced, 'False', reasonReconcileError, message);
export const reconcilePaused = (message?: string): NewCondition =>
  condition(typeSynced, 'False', reasonReconcilePaused, message);
/** Synced=False without a failure: an object of another owner is missing. */
export const waiting = (message: string): NewCondition =>
  condition(typeSynced, 'False', reasonWaiting, message);
/** Synced=False: another resource holds what this one claims. */
export const conflict = (message: string): NewCondition =>
  condition(typeSynced, 'False', reasonConflict, message);

/** UpToDate=True: the external resource matches the spec. */
export const observeMatched = (): NewCondition => condition(typeUpToDate, 'True', reasonObserveMatched);
/** UpToDate=False: it differed, and an update was requested. */
export const updateRequested = (diff?: string): NewCondition =>
  condition(typeUpToDate, 'False', reasonUpdateRequested, diff);
/** UpToDate=False: it differs and the update failed; Synced has the cause. */
export const updateFailed = (diff?: string): NewCondition =>
  condition(typeUpToDate, 'False', reasonUpdateFailed, diff);
/** UpToDate=False: it differs, and the policies do not allow an update. */
export const updateRestricted = (diff?: string): NewCondition =>
  condition(typeUpToDate, 'False', reasonUpdateRestricted, diff);
/** UpToDate=Unknown: the spec has changed, and is not compared while the external API is working. */
export const upToDatePending = (operation: string): NewCondition =>
  condition(typeUpToDate, 'Unknown', reasonObservePending, operation);
/** UpToDate=Unknown: the resource is paused. */
export const upToDatePaused = (): NewCondition => condition(typeUpToDate, 'Unknown', reasonReconcilePaused);

function condition(
  type: string,
  status: Condition['status'],
  reason: string,
  message?: string,
): NewCondition {
  return bounded(
    message === undefined || message === '' ? { type, status, reason } : { type, status, reason, message },
  );
}

/** Messages quote external texts: an unlimited status could not be stored. */
function bounded(condition: NewCondition): NewCondition {
  const { reason, message = '' } = condition;
  return {
    ...condition,
    reason: cutMiddle(reason, maxReasonLength),
    ...(message === '' ? {} : { message: visibleMessage(message, maxMessageLength) }),
  };
}

export function getCondition(resource: Conditioned, type: string): Condition | undefined {
  return resource.status?.conditions?.find((c) => c.type === type);
}

/** Whether both have the same content for the same generation; generations are compared only if both have one. */
export function sameCondition(
  a: NewCondition & { readonly observedGeneration?: number },
  b: NewCondition & { readonly observedGeneration?: number },
): boolean {
  return (
    a.type === b.type &&
    a.status === b.status &&
    a.reason === b.reason &&
    (a.message ?? '') === (b.message ?? '') &&
    (!a.observedGeneration || !b.observedGeneration || a.observedGeneration === b.observedGeneration)
  );
}

/** Whether the resource has no such condition, or one with other content. */
export function differsFromStored(resource: Conditioned, condition: NewCondition): boolean {
  const stored = getCondition(resource, condition.type);
  if (stored === undefined) return true;
  const { observedGeneration: _, ...statement } = stored;
  return !sameCondition(statement, condition);
}

/**
 * Sets conditions in memory, with messages of at most 1,024 characters. A condition with unchanged content stays as it is; otherwise
 * the entry is replaced, by `withCondition`. Each has the generation of the object. Synced comes first, because
 * tools that read only the first condition would report a failing resource as healthy.
 */
export function setConditions(
  resource: Conditioned,
  clock: Clock,
  ...conditions: readonly NewCondition[]
): void {
  const stored = resource.status?.conditions ?? [];
  const { generation } = resource.metadata;
  const made = generation === undefined ? {} : { observedGeneration: generation };
  let list = stored;
  for (const wanted of conditions) {
    const next = { ...bounded(wanted), ...made };
    const old = findCondition(list, wanted.type);
    // Usually nothing has changed.
    if (old !== undefined && sameCondition(old, next)) continue;
    list = withCondition(list, next, clock.now());
  }
  const synced = list.findIndex((c) => c.type === typeSynced);
  if (synced > 0) list = [...list.slice(synced, synced + 1), ...list.toSpliced(synced, 1)];
  if (list !== stored) resource.status = { ...resource.status, conditions: list };
}

/** Removes a condition that no longer applies. */
export function dropCondition(resource: Conditioned, type: string): void {
  if (resource.status?.conditions === undefined || getCondition(resource, type) === undefined) return;
  resource.status.conditions = resource.status.conditions.filter((c) => c.type !== type);
}
