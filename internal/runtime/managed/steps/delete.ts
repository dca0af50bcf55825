import type { ConnectionDetails } from '../../connection/connection-publisher.ts';
import { done, type ReconcileResult } from '../../controller/reconcile-result.ts';
import type { Managed } from '../../resource/managed.ts';
import { createIncomplete } from '../../resource/meta.ts';
import { hasFinalizer, managedFinalizer, removeFinalizer } from '../../steps/finalizer.ts';
import type { ExternalClient } from '../kind/external-client.ts';
import { changeExternal } from './change-external.ts';
import { type FailureRule, failures, step } from './failures.ts';
import { messageCreationUnknown, messageDeleted, reasonCreationUnknown, reasonDeleted } from './messages.ts';
import type { Reconciliation } from './reconciliation.ts';

/** Has the other side delete the recorded external resource; Observe will tell when it is gone. */
export async function deleteExternal<R extends Managed>(
  reconciliation: Reconciliation<R>,
  client: ExternalClient<R>,
  rule: FailureRule,
): Promise<void> {
  await step(rule, () => reconciliation.guard.beforeWrite({ destructive: true }));
  await step(rule, () =>
    changeExternal(reconciliation, 'delete', (ctx) => client.delete(reconciliation.copy.object, ctx)),
  );
  reconciliation.events.record('Normal', reasonDeleted, messageDeleted);
}

/** Lets the managed resource go; its external resource is gone, or stays on purpose. */
export async function finalize<R extends Managed>(
  reconciliation: Reconciliation<R>,
  details: ConnectionDetails = {},
): Promise<ReconcileResult> {
  const { copy, publisher, signal, kind, timings } = reconciliation;
  const held = hasFinalizer(copy.object, managedFinalizer);
  await step(failures.unpublish, () => publisher.unpublish(copy.object, details, signal));
  await step(failures.removeFinalizer, () => removeFinalizer(copy, managedFinalizer, signal));
  if (held) timings.released(copy.object);
  await step(failures.endConfigUse, () => kind.configUse?.end(copy.object, signal));
  // There is no status to wait for any more.
  reconciliation.events.recordPending();
  return done;
}

/** Says so where a resource goes that may have left something behind, since nobody will look again. */
export function warnOfUnknownCreation<R extends Managed>(reconciliation: Reconciliation<R>): void {
  if (reconciliation.kind.deterministicExternalName || !createIncomplete(reconciliation.copy.object)) return;
  reconciliation.events.record('Warning', reasonCreationUnknown, messageCreationUnknown);
}
