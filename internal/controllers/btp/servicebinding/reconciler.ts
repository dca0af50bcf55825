/**
 * The reconcile of a ServiceBinding, from top to bottom. Everything that must survive a restart is in the object:
 *
 * - `bindingID`: the binding in Service Manager
 * - `operationURL` and `operationType`: the operation to poll. `operationType: create` alone, or the finalizer without any
 *   condition: a create is sent, or was sent and its result is unknown; the binding is looked up in Service Manager
 * - `secretVersion`: the version of the Secret that has the content of this binding
 *
 * Credentials are only in the Secret. A binding that is settled makes no request.
 */

import { ThrottledError } from '../../../base/errors/errors.ts';
import {
  done,
  hasFinalizer,
  type ReconcileResult,
  type Reconciler,
  requeueInProgress,
  requeueOnConflict,
  storeFinalizer,
} from '../../../controller/index.ts';
import { wasDeleted } from '../../../kube/index.ts';
import { credentialUserOf, instanceOf } from '../credentials/credential-users.ts';
import { finalizer } from '../metadata.ts';
import { connecting } from '../operations/connect.ts';
import { deleteResource, finishDeletion, isOrphaned, orphanResource } from '../operations/deletion.ts';
import { poll } from '../operations/poll.ts';
import {
  beginRun,
  mayBeCreated,
  operationTypeOf,
  operationURLOf,
  type ServiceReconcilerOptions,
} from '../operations/run.ts';
import { isReady } from '../status/conditions.ts';
import {
  type BindingMemory,
  type BindingRun,
  bindingIDOf,
  isEdited,
  remember,
  type UnconnectedBindingRun,
} from './binding-run.ts';
import { isMissingInServiceManager, missingInstance, unusableInstance } from './bound-instance.ts';
import { checkName } from './bound-secret.ts';
import { recoverOrCreate } from './create.ts';
import { cleanUpOf, withBinding } from './external-binding.ts';
import { maintain, maintenanceOf } from './maintain.ts';
import type { ServiceBinding } from './resource.ts';
import { expire } from './rotation/expire.ts';
import { finishRotation, prepareRotation, rotationAction } from './rotation/rotate.ts';
import { SecretNameError } from './secret/errors.ts';
import { settled } from './settled.ts';

export function createBindingReconciler(
  options: ServiceReconcilerOptions,
): Reconciler<ServiceBinding, BindingMemory> {
  return (copy, context) =>
    requeueOnConflict(async () => {
      const { object: binding } = copy;
      const isDeleted = wasDeleted(binding);
      if (isDeleted && !hasFinalizer(binding, finalizer)) return done;
      await context.guard.acquireOwnership();
      const run = beginRun(copy, context, options);
      try {
        return await (isDeleted ? deleteBinding(run) : reconcileBinding(run));
      } catch (error) {
        if (error instanceof ThrottledError) return requeueInProgress(error.retryAfterMs);
        throw error;
      }
    });
}

async function reconcileBinding(run: UnconnectedBindingRun): Promise<ReconcileResult> {
  const { object: binding, copy, context } = run;
  const isBound = bindingIDOf(binding) !== '';
  if (isReady(binding) && isEdited(run)) remember(run, { isEdited: true });
  // Without it the credentials would stay in Service Manager when the binding is deleted.
  if (isBound) await storeFinalizer(copy, finalizer, context.signal);
  const instance = instanceOf(binding, context.informers);
  const missing = missingInstance(binding, instance);
  if (instance === undefined || missing !== undefined) return blocked(run, missing ?? '');
  if (operationURLOf(binding) !== '') return inServiceManager(run, pollBinding);
  if (isBound && isMissingInServiceManager(instance)) return notFound(run);
  const unusable = unusableInstance(instance);
  if (unusable !== undefined) return blocked(run, unusable);
  const rotation = rotationAction(run);
  if (rotation === 'prepare') return inServiceManager(run, prepareRotation);
  if (rotation === 'finish') return finishRotation(run);
  if (isBound) {
    const expired = isReady(binding) ? await expire(run) : undefined;
    if (expired !== undefined) return expired;
    const maintenance = await maintenanceOf(run);
    if (maintenance !== undefined)
      return inServiceManager(run, (connected) => maintain(connected, maintenance));
    await run.status.store();
    return settled(run);
  }
  try {
    await checkName(run);
  } catch (error) {
    if (!(error instanceof Error && error.cause instanceof SecretNameError)) throw error;
    await blocked(run, error.message);
    throw error;
  }
  return inServiceManager(run, recoverOrCreate);
}

const pollBinding = (run: BindingRun) => poll(run, { afterChange: () => settled(run) });

async function inServiceManager(
  run: UnconnectedBindingRun,
  use: (run: BindingRun) => Promise<ReconcileResult>,
): Promise<ReconcileResult> {
  const { object: binding, context } = run;
  const instance = instanceOf(binding, context.informers);
  return connecting(run, credentialUserOf(binding, instance), (client) =>
    use(withBinding(run, instance, client)),
  );
}

/** A change of the instance requests the next reconcile. */
async function blocked(run: UnconnectedBindingRun, message: string): Promise<ReconcileResult> {
  run.conditions.blocked(message);
  await run.status.store();
  return settled(run);
}

/** With the instance, its bindings are gone. */
async function notFound(run: UnconnectedBindingRun): Promise<ReconcileResult> {
  run.conditions.notFound(bindingIDOf(run.object));
  await run.status.store();
  return settled(run);
}

/** The state of the instance does not matter. If it never existed, nothing was ever sent. */
async function deleteBinding(run: UnconnectedBindingRun): Promise<ReconcileResult> {
  const { object: binding, context } = run;
  if (isOrphaned(binding)) return orphanResource(run, { id: bindingIDOf(binding), cleanUp: cleanUpOf(run) });
  if (operationURLOf(binding) !== '' && operationTypeOf(binding) === 'delete')
    return inServiceManager(run, pollBinding);
  const isMissing = instanceOf(binding, context.informers) === undefined;
  const isUnsent = bindingIDOf(binding) === '' && !mayBeCreated(binding);
  if (isMissing && isUnsent) return finishDeletion(run, { cleanUp: cleanUpOf(run) });
  return inServiceManager(run, deleteResource);
}
