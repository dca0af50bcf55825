/**
 * Conditions tell users where a managed resource stands: `Synced` says whether the last reconcile succeeded and
 * belongs to the reconciler; `Ready` says whether the external resource can be used and belongs to the connector
 * and the external client; `UpToDate` says whether the external resource was last seen as the spec asks for, and
 * belongs to the reconciler again: under policies that forbid updates nothing else would show a difference. The words are those of crossplane-runtime, which people and tools know.
 */

import { cutMiddle } from '../../base/text/text.ts';
import type { Clock } from '../../base/time/clock.ts';
import { formatTimestamp } from '../../base/time/timestamp.ts';
import type { KubeObject } from '../../kube/object/object.ts';
import type { Condition } from './managed.ts';

/** A condition as its author states it; when and for which generation it holds is added by `setConditions`. */
export type NewCondition = Readonly<Omit<Condition, 'lastTransitionTime' | 'observedGeneration'>>;

/** Whatever shows conditions: managed resources, and provider configurations. */
export type Conditioned = KubeObject & { status?: { conditions?: Condition[] } };

/** In characters. A longer message is cut in the middle: its beginning states what failed, its end the cause. */
export const maxMessageLength = 1024;
/** What Kubernetes' own conditions may have, in characters. */
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
export const reasonUpdateRequested = 'UpdateRequested';
export const reasonUpdateFailed = 'UpdateFailed';
export const reasonUpdateRestricted = 'UpdateRestricted';

/** Ready=True: the external resource can be used. Only connectors and external clients say so. */
export const available = (): NewCondition => condition(typeReady, 'True', reasonAvailable);
/** Ready=False: it exists but cannot be used, or nobody knows yet. */
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
/** Synced=False, yet nothing failed: what others own is not there yet. */
export const waiting = (message: string): NewCondition =>
  condition(typeSynced, 'False', reasonWaiting, message);
/** Synced=False, since another resource has what this one asks for. */
export const conflict = (message: string): NewCondition =>
  condition(typeSynced, 'False', reasonConflict, message);

/** UpToDate=True: the external resource is as the spec asks for. */
export const observeMatched = (): NewCondition => condition(typeUpToDate, 'True', reasonObserveMatched);
/** UpToDate=False: it differed when it was last seen, and was asked to change. */
export const updateRequested = (diff?: string): NewCondition =>
  condition(typeUpToDate, 'False', reasonUpdateRequested, diff);
/** UpToDate=False: it differs and could not be changed; Synced says why. */
export const updateFailed = (diff?: string): NewCondition =>
  condition(typeUpToDate, 'False', reasonUpdateFailed, diff);
/** UpToDate=False: it differs, and the policies do not allow what would change that. */
export const updateRestricted = (diff?: string): NewCondition =>
  condition(typeUpToDate, 'False', reasonUpdateRestricted, diff);
/** UpToDate=Unknown: nobody looks. */
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

/** Messages quote texts of others. A status that grows with them could not be stored any more. */
function bounded(condition: NewCondition): NewCondition {
  const { reason, message = '' } = condition;
  if (reason.length <= maxReasonLength && message.length <= maxMessageLength) return condition;
  return {
    ...condition,
    reason: cutMiddle(reason, maxReasonLength),
    ...(message === '' ? {} : { message: cutMiddle(message, maxMessageLength) }),
  };
}

export function getCondition(resource: Conditioned, type: string): Condition | undefined {
  return resource.status?.conditions?.find((c) => c.type === type);
}

/** Same statement for the same generation; a generation counts only where both conditions have one. */
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

/** Whether the resource has no condition of this type, or one that states something else. */
export function differsFromStored(resource: Conditioned, condition: NewCondition): boolean {
  const stored = getCondition(resource, condition.type);
  if (stored === undefined) return true;
  const { observedGeneration: _, ...statement } = stored;
  return !sameCondition(statement, condition);
}

/**
 * States conditions on the resource in memory, with messages of at most 1,024 characters. One that says what the stored one says keeps that entry and its
 * time; any other replaces the whole entry. Each names the generation it was made for. Synced comes first in the
 * list, since tools that take the first match would else call a resource healthy that is ready but failing.
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
    const index = list.findIndex((c) => c.type === wanted.type);
    const old = list[index];
    // Most passes find what they found before.
    if (old !== undefined && sameCondition(old, next)) continue;
    const stamped: Condition = { ...next, lastTransitionTime: formatTimestamp(clock.now()) };
    list = old === undefined ? [...list, stamped] : list.with(index, stamped);
  }
  const synced = list.findIndex((c) => c.type === typeSynced);
  if (synced > 0) list = [...list.slice(synced, synced + 1), ...list.toSpliced(synced, 1)];
  if (list !== stored) resource.status = { ...resource.status, conditions: list };
}

/** Takes back what a condition states, where there is nothing left that it could be about. */
export function dropCondition(resource: Conditioned, type: string): void {
  if (resource.status?.conditions === undefined || getCondition(resource, type) === undefined) return;
  resource.status.conditions = resource.status.conditions.filter((c) => c.type !== type);
}
