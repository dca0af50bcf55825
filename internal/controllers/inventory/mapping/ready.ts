import { kindOf, messageOf } from '../../../base/errors.ts';
import type { ReconcileContext } from '../../../runtime/managed/kind/external-client.ts';
import { failures } from '../../../runtime/managed/steps/failures.ts';
import {
  getCondition,
  type NewCondition,
  reasonWaiting,
  setConditions,
  typeReady,
  unavailable,
} from '../../../runtime/resource/conditions.ts';
import type { Managed } from '../../../runtime/resource/managed.ts';
import { wasDeleted } from '../../../runtime/resource/meta.ts';
import type { MappingKind } from './mapping-kind.ts';
import { mappingMissing } from './words.ts';

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
  if (wasDeleted(resource) || wasSeen(kind, resource)) return;
  setConditions(resource, clock, unreadyFor(error, failures[step].prefix));
}

function unreadyFor(error: unknown, prefix: string): NewCondition {
  const message = messageOf(error);
  const kind = kindOf(error);
  if (kind === 'waiting') return unavailable(message, reasonWaiting);
  return unavailable(kind === 'contested' ? message : `${prefix}: ${message}`);
}

/** Ready says what Observe found of the known mapping; nobody else says either. */
function wasSeen<R extends Managed>(kind: MappingKind<R>, resource: R): boolean {
  const ready = getCondition(resource, typeReady);
  const observed = ready?.status === 'True' || ready?.message === mappingMissing;
  return observed && kind.recordsOf(resource).known !== undefined;
}
