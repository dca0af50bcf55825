import type { ConnectionDetails } from '../../connection/connection-publisher.ts';
import { done, type ReconcileResult } from '../../controller/reconcile-result.ts';
import type { Managed } from '../../resource/managed.ts';
import { createIncomplete } from '../../resource/meta.ts';
import { hasFinalizer, managedFinalizer, removeFinalizer } from '../../steps/finalizer.ts';
import type { ExternalClient } from '../kind/external-client.ts';
import { changeExternal } from './change-external.ts';
import { type FailureRule, failures, step } from './failures.ts';
import type { Pass } from './pass.ts';
import { messageCreationUnknown, messageDeleted, reasonCreationUnknown, reasonDeleted } from './words.ts';

/** Has the other side delete the recorded external resource; Observe will tell when it is gone. */
export async function deleteExternal<R extends Managed>(
  pass: Pass<R>,
  client: ExternalClient<R>,
  rule: FailureRule,
): Promise<void> {
  await step(rule, () => pass.guard.beforeWrite({ destructive: true }));
  await step(rule, () => changeExternal(pass, 'delete', (ctx) => client.delete(pass.copy.object, ctx)));
  pass.events.record('Normal', reasonDeleted, messageDeleted);
}

/** Lets the managed resource go; its external resource is gone, or stays on purpose. */
export async function letGo<R extends Managed>(
  pass: Pass<R>,
  details: ConnectionDetails = {},
): Promise<ReconcileResult> {
  const { copy, publisher, signal, kind, timings } = pass;
  const held = hasFinalizer(copy.object, managedFinalizer);
  await step(failures.unpublish, () => publisher.unpublish(copy.object, details, signal));
  await step(failures.removeFinalizer, () => removeFinalizer(copy, managedFinalizer, signal));
  if (held) timings.released(copy.object);
  await step(failures.endConfigUse, () => kind.configUse?.end(copy.object, signal));
  // There is no status to wait for any more.
  pass.events.recordPending();
  return done;
}

/** Says so where a resource goes that may have left something behind, since nobody will look again. */
export function warnOfUnknownCreation<R extends Managed>(pass: Pass<R>): void {
  if (pass.kind.deterministicExternalName || !createIncomplete(pass.copy.object)) return;
  pass.events.record('Warning', reasonCreationUnknown, messageCreationUnknown);
}
