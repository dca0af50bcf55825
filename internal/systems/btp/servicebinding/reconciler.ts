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

import {
  type ReconcileResult,
  type Reconciler,
  requeueAfter,
  storeFinalizer,
} from '../../../framework/controller/index.ts';
import { wasDeleted } from '../../../framework/kube/index.ts';
import { credentialUserOf, instanceOf, readInstance } from '../credentials/credential-users.ts';
import { finalizer } from '../metadata.ts';
import { deleteResource, finishDeletion, isOrphaned, orphanResource } from '../operations/deletion.ts';
import { poll } from '../operations/poll.ts';
import {
  leftOfMoment,
  mayBeCreated,
  operationTypeOf,
  operationURLOf,
  type ServiceReconcilerOptions,
} from '../operations/run.ts';
import {
  type ServiceKindOptions,
  serviceReconciler,
  withServiceManager,
} from '../operations/service-reconciler.ts';
import type { ServiceInstance } from '../serviceinstance/resource.ts';
import { isReady, succeededOf } from '../status/conditions.ts';
import {
  type BindingMemory,
  type BindingOptions,
  type BindingRun,
  bindingIDOf,
  isEdited,
  isMissingInServiceManager,
  marksOf,
  missingInstance,
  remember,
  type UnconnectedBindingRun,
  unusableInstance,
} from './binding-run.ts';
import { checkName, secretState } from './bound-secret.ts';
import { recoverOrCreate } from './create.ts';
import { cleanUpOf, withBinding } from './external-binding.ts';
import { maintain, maintenanceOf, settled } from './maintain.ts';
import type { ServiceBinding } from './resource.ts';
import { expire } from './rotation/expire.ts';
import { finishRotation, prepareRotation, rotationAction } from './rotation/rotate.ts';
import { rotationStepOf } from './rotation/rotation-policy.ts';
import { secretNamesProblem } from './secret/assemble-content.ts';
import { SecretNameError } from './secret/errors.ts';

export const createBindingReconciler = ({
  secrets,
  names,
  bindings,
  ...options
}: ServiceReconcilerOptions & BindingOptions & Pick<ServiceKindOptions, 'bindings'>): Reconciler<
  ServiceBinding,
  BindingMemory
> =>
  serviceReconciler<ServiceBinding, BindingMemory>(options, (base) => {
    const run: UnconnectedBindingRun = { ...base, secrets, names, bindings };
    return wasDeleted(run.object) ? deleteBinding(run) : reconcileBinding(run);
  });

/** Steps with Service Manager. @returns undefined: nothing is left to do for the binding as it is */
type Steps = (run: BindingRun) => Promise<ReconcileResult | undefined>;

async function reconcileBinding(run: UnconnectedBindingRun): Promise<ReconcileResult> {
  const { object: binding, copy, context } = run;
  if (isReady(binding) && isEdited(run)) remember(run, { isEdited: true });
  // Without it the credentials would stay in Service Manager when the binding is deleted.
  if (bindingIDOf(binding) !== '') await storeFinalizer(copy, finalizer, context);
  const steps = await decide(run);
  if (typeof steps === 'object') return steps;
  const result = (steps && (await inServiceManager(run, steps))) ?? settled(run);
  // After own writes, which are no reason to look.
  remember(run, { marks: marksOf(binding) });
  return result;
}

/** What the binding needs: steps with Service Manager, or nothing; or the result of what was done without it. */
async function decide(run: UnconnectedBindingRun): Promise<Steps | ReconcileResult | undefined> {
  const { object: binding, context } = run;
  const isBound = bindingIDOf(binding) !== '';
  const instance = await readInstance(binding, context);
  const missing = missingInstance(binding, instance);
  if (instance === undefined || missing !== undefined)
    return waitForInstance(run) ?? block(run, missing ?? '');
  if (operationURLOf(binding) !== '') return pollBinding;
  if (isBound && isMissingInServiceManager(instance)) return showNotFound(run);
  const unusable = unusableInstance(instance);
  if (unusable !== undefined) {
    const isNew = !wasDeleted(instance);
    return (
      waitForDeletion(run, instance) ?? (isNew ? waitForInstance(run) : undefined) ?? block(run, unusable)
    );
  }
  const expired = await expire(run);
  if (expired !== undefined) return expired;
  const rotation = rotationAction(run);
  if (rotation === 'prepare' && !(await isSecretOutdated(run))) return prepareRotation;
  if (rotation === 'finish') return finishRotation(run);
  return isBound ? decideForBound(run, instance) : decideForNew(run);
}

/** A rotation that cannot begin may be tried for long: programs still need the Secret as it is, with the edits of users. */
const isSecretOutdated = async (run: UnconnectedBindingRun): Promise<boolean> =>
  rotationStepOf(run.object) === 'preparing' &&
  isReady(run.object) &&
  (isEdited(run) || (await secretState(run)) !== 'current');

async function decideForBound(
  run: UnconnectedBindingRun,
  instance: ServiceInstance,
): Promise<Steps | ReconcileResult | undefined> {
  const maintenance = await maintenanceOf(run, instance);
  if (maintenance !== undefined) return (connected) => maintain(connected, maintenance);
  await run.status.store();
  return undefined;
}

async function decideForNew(run: UnconnectedBindingRun): Promise<Steps | undefined> {
  const problem = secretNamesProblem(run.object.spec);
  if (problem !== undefined) return block(run, problem);
  try {
    await checkName(run);
  } catch (error) {
    if (error instanceof Error && error.cause instanceof SecretNameError) await block(run, error.message);
    throw error;
  }
  return recoverOrCreate;
}

const pollBinding: Steps = (run) => poll(run, { afterChange: () => undefined });

async function inServiceManager<T>(
  run: UnconnectedBindingRun,
  steps: (run: BindingRun) => Promise<T>,
): Promise<T | ReconcileResult> {
  const { object: binding, context } = run;
  const instance = await readInstance(binding, context);
  const user = credentialUserOf(binding, instance);
  return withServiceManager(run, user, (client) => withBinding(run, instance, client), steps);
}

/** A change of the instance requests the next reconcile. */
async function block(run: UnconnectedBindingRun, message: string): Promise<undefined> {
  run.conditions.blocked(message);
  await run.status.store();
}

/**
 * Both are mostly created together: a new binding says nothing for a moment, so that it needs two writes and not four. Crossplane
 * admits only so many changes of what one composite resource is composed of. Undefined: the moment is over.
 */
function waitForInstance(run: UnconnectedBindingRun): ReconcileResult | undefined {
  const { object: binding, context } = run;
  if (succeededOf(binding) !== undefined || bindingIDOf(binding) !== '') return undefined;
  const { blockedAt = context.clock.monotonic() } = context.memory.get() ?? {};
  remember(run, { blockedAt });
  return untilMomentIsOver(run, blockedAt);
}

/**
 * Both are mostly deleted together, the instance first: a binding that is in use says nothing about that for a moment, so that
 * its deletion does not meet another write. Undefined: the moment is over.
 */
function waitForDeletion(run: UnconnectedBindingRun, instance: ServiceInstance): ReconcileResult | undefined {
  const { object: binding, context } = run;
  if (!wasDeleted(instance) || !isReady(binding)) return undefined;
  const { instanceDeletedAt = context.clock.monotonic() } = context.memory.get() ?? {};
  remember(run, { instanceDeletedAt });
  return untilMomentIsOver(run, instanceDeletedAt);
}

function untilMomentIsOver({ context }: UnconnectedBindingRun, since: number): ReconcileResult | undefined {
  const leftMs = leftOfMoment(context.clock, since);
  return leftMs > 0 ? requeueAfter(leftMs) : undefined;
}

/** With the instance, its bindings are gone. */
async function showNotFound(run: UnconnectedBindingRun): Promise<undefined> {
  run.conditions.notFound(bindingIDOf(run.object));
  await run.status.store();
}

/** The state of the instance does not matter. If it never existed, nothing was ever sent. */
async function deleteBinding(run: UnconnectedBindingRun): Promise<ReconcileResult> {
  const { object: binding, context } = run;
  const cleanUp = cleanUpOf(run);
  if (isOrphaned(binding)) return orphanResource(run, { id: bindingIDOf(binding), cleanUp });
  const isDeleting = operationURLOf(binding) !== '' && operationTypeOf(binding) === 'delete';
  const isMissing = instanceOf(binding, context.informers) === undefined;
  const isUnsent = bindingIDOf(binding) === '' && !mayBeCreated(binding);
  if (!isDeleting && isMissing && isUnsent) return finishDeletion(run, { cleanUp });
  return (await inServiceManager(run, isDeleting ? pollBinding : deleteResource)) ?? settled(run);
}
