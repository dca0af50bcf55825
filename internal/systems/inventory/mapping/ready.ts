import { findCause, kindOf, ProviderError, type WatchedObject } from '../../../framework/base/index.ts';

import { wasDeleted } from '../../../framework/kube/index.ts';
import {
  failureMessage,
  getCondition,
  type Managed,
  type NewCondition,
  type ReconcileContext,
  reasonWaiting,
  setConditions,
  typeReady,
  unavailable,
} from '../../../framework/managed/index.ts';
import type { MappingKind } from './mapping-kind.ts';
import { mappingMissing } from './messages.ts';

/** HANA Cloud does not show the database to credentials that never saw it: it may be gone. */
export class InstanceNotVisibleError extends ProviderError {
  constructor(message: string, targets: readonly WatchedObject[]) {
    super('auth', message, { targets });
  }
}

/**
 * Sets Ready to False with the message of Synced, until the mapping was first observed. Later errors leave Ready as it
 * is, so that a transient error does not make a composite resource unready, except if the database may be gone.
 */
export function noteFailure<R extends Managed>(
  kind: MappingKind<R>,
  resource: R,
  error: unknown,
  step: 'connect' | 'observe',
  { clock }: ReconcileContext,
): void {
  if (wasDeleted(resource)) return;
  const mayBeGone = findCause(error, InstanceNotVisibleError) !== undefined;
  if (!mayBeGone && wasObserved(kind, resource)) return;
  setConditions(resource, clock, unreadyFor(error, failureMessage(step, error)));
}

const unreadyFor = (error: unknown, message: string): NewCondition =>
  kindOf(error) === 'waiting' ? unavailable(message, reasonWaiting) : unavailable(message);

/** Only Observe sets these values of Ready. */
function wasObserved<R extends Managed>(kind: MappingKind<R>, resource: R): boolean {
  const ready = getCondition(resource, typeReady);
  const observed = ready?.status === 'True' || ready?.message === mappingMissing;
  return observed && kind.recordsOf(resource).known !== undefined;
}
