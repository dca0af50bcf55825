import { kindOf, messageOf } from '../../base/errors/errors.ts';
import { jitter } from '../../base/random.ts';
import { sleep } from '../../base/time/clock.ts';
import { hasFinalizer, managedFinalizer, removeFinalizer } from '../../controller/reconcile/finalizer.ts';
import { done, type ReconcileResult } from '../../controller/reconcile-result.ts';
import type { ConnectionDetails } from '../connection/connection-publisher.ts';
import type { ExternalClient } from '../kind/external-client.ts';
import type { Managed } from '../resource/managed.ts';
import { createIncomplete } from '../resource/meta.ts';
import { changeExternal } from './change-external.ts';
import { type FailureRule, failures, step } from './messages/failures.ts';
import {
  messageCreationUnknown,
  messageDeleted,
  reasonCreationUnknown,
  reasonDeleted,
} from './messages/messages.ts';
import type { Reconciliation } from './reconciliation.ts';

/** Attempts to delete an external resource without a managed resource, and the pause between them. */
const ABANDONED_ATTEMPTS = 5;
const ABANDONED_PAUSE_MS = 500;

/** Deletes the recorded external resource. A later Observe finds whether it is gone. */
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

/**
 * Deletes what this reconcile has created, or may have created, for a resource that is gone: the API server can begin a
 * deletion before it stores our finalizer, and complete it afterwards. Nothing else remembers the external resource.
 * A failure is repeated a few times; then the log names what may be left.
 */
export async function deleteAbandoned<R extends Managed>(
  reconciliation: Reconciliation<R>,
  client: ExternalClient<R>,
): Promise<void> {
  const { copy, policies, createSent, clock, random, signal, log } = reconciliation;
  if (!createSent || !policies.deletesExternal) return;
  for (let attempt = 1; ; attempt++) {
    try {
      await changeExternal(reconciliation, 'delete', (ctx) => client.delete(copy.object, ctx));
      return;
    } catch (error) {
      // Another resource describes it, and keeps it.
      if (kindOf(error) === 'contested') return;
      if (attempt === ABANDONED_ATTEMPTS || signal.aborted) {
        log.error('an external resource may be left without its managed resource', {
          error: messageOf(error),
        });
        return;
      }
    }
    await sleep(clock, jitter(ABANDONED_PAUSE_MS, 0.1, random), signal);
  }
}

/** Removes the connection details and the finalizer. The external resource is deleted or orphaned. */
export async function finalize<R extends Managed>(
  reconciliation: Reconciliation<R>,
  details: ConnectionDetails = {},
): Promise<ReconcileResult> {
  const { copy, publisher, signal, kind, timings } = reconciliation;
  const hadFinalizer = hasFinalizer(copy.object, managedFinalizer);
  await step(failures.unpublish, () => publisher.unpublish(copy.object, details, signal));
  await step(failures.removeFinalizer, () => removeFinalizer(copy, managedFinalizer, signal));
  if (hadFinalizer) timings.released(copy.object);
  await step(failures.endConfigUse, () => kind.configUse?.end(copy.object, signal));
  // The object is gone, so no status write follows.
  reconciliation.events.recordPending();
  return done;
}

/** Records a Warning if the outcome of a create was never recorded: an external resource may be left. */
export function warnOfUnknownCreation<R extends Managed>(reconciliation: Reconciliation<R>): void {
  if (reconciliation.kind.deterministicExternalName || !createIncomplete(reconciliation.copy.object)) return;
  reconciliation.events.record('Warning', reasonCreationUnknown, messageCreationUnknown);
}
