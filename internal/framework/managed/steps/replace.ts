import { isRefusedByGuard } from '../../controller/reconcile/handle-error.ts';
import type { ReconcileResult } from '../../controller/reconcile-result.ts';
import type { ExternalClient, Observation } from '../kind/external-client.ts';
import {
  differsFromStored,
  reconcileError,
  reconcileSuccess,
  setConditions,
  updateFailed,
  updateRequested,
  updateRestricted,
} from '../resource/conditions.ts';
import type { Managed } from '../resource/managed.ts';
import { createExternal } from './create.ts';
import { deleteExternal } from './delete.ts';
import { failures } from './messages/failures.ts';
import { cannotReplaceText, driftLeftAloneText, reasonCannotReplace } from './messages/messages.ts';
import { conclude, type Reconciliation } from './reconciliation.ts';

type Replaceable = Extract<Observation, { state: 'present' }>;

/**
 * Concludes the reconcile if the policies forbid Delete or Create. Returns `undefined` if they allow both. Without
 * Update a drift is not corrected. The deletion policy concerns the deletion of the managed resource and is ignored
 * here.
 */
export function concludeUnlessReplaceable<R extends Managed>(
  reconciliation: Reconciliation<R>,
  { replace, diff }: Replaceable,
): Promise<ReconcileResult> | undefined {
  const { policies, copy } = reconciliation;
  if (replace === 'drift' && !policies.allows('Update')) {
    return conclude(
      reconciliation,
      reconciliation.poll(),
      reconcileSuccess(driftLeftAloneText(diff)),
      updateRestricted(diff),
    );
  }
  const missing = (['Create', 'Delete'] as const).filter((action) => !policies.allows(action));
  if (missing.length === 0) return undefined;
  const text = cannotReplaceText(missing, diff);
  const synced = reconcileError(text);
  if (differsFromStored(copy.object, synced))
    reconciliation.events.recordWithStatus('Warning', reasonCannotReplace, text);
  return conclude(reconciliation, reconciliation.poll(), synced, updateRestricted(diff));
}

/**
 * Deletes the recorded external resource and creates the desired one. The new name is recorded in between: after a
 * crash before Delete, Delete is repeated; after a crash later, the new resource is created.
 *
 * @returns whether it is created; false: Delete ends later, and an observation then finds nothing
 */
export async function replaceExternal<R extends Managed>(
  reconciliation: Reconciliation<R>,
  client: ExternalClient<R>,
  { externalName, diff, replace }: Replaceable,
): Promise<boolean> {
  const { copy, clock, memory, timings } = reconciliation;
  try {
    const { endsLater } = await deleteExternal(reconciliation, client, failures.deleteToReplace);
    if (endsLater) {
      setConditions(copy.object, clock, updateRequested(diff));
      return false;
    }
    await createExternal(reconciliation, client, externalName);
  } catch (failure) {
    if (!isRefusedByGuard(failure)) setConditions(copy.object, clock, updateFailed(diff));
    throw failure;
  }
  if (replace === 'drift') timings.updated(memory, copy.object);
  setConditions(copy.object, clock, updateRequested(diff));
  return true;
}
