import { kindOf } from '../../../base/errors/errors.ts';
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
  wasDeleted,
} from '../../../runtime/index.ts';
import type { MappingKind } from './mapping-kind.ts';
import { mappingMissing } from './messages.ts';

/**
 * Ready is never absent, and says the same as Synced, until the mapping was first observed. After that a failure
 * leaves it as it was, so that a passing fault does not flap what is composed on the mapping.
 */
export function noteFailure<R extends Managed>(
  kind: MappingKind<R>,
  resource: R,
  error: unknown,
  step: 'connect' | 'observe',
  { clock }: ReconcileContext,
): void {
  if (wasDeleted(resource) || wasObserved(kind, resource)) return;
  setConditions(resource, clock, unreadyFor(error, failureMessage(step, error)));
}

const unreadyFor = (error: unknown, message: string): NewCondition =>
  kindOf(error) === 'waiting' ? unavailable(message, reasonWaiting) : unavailable(message);

/** Ready says what Observe found of the known mapping; nobody else says either. */
function wasObserved<R extends Managed>(kind: MappingKind<R>, resource: R): boolean {
  const ready = getCondition(resource, typeReady);
  const observed = ready?.status === 'True' || ready?.message === mappingMissing;
  return observed && kind.recordsOf(resource).known !== undefined;
}
