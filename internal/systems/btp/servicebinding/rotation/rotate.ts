/**
 * Replaces the credentials of a binding. A reconcile that ends between two steps leaves them to the next one:
 *
 * 1. The condition CredRotationInProgress is stored (Preparing).
 * 2. The binding in Service Manager gets another name, and an object of its own, the backup. Both names follow from the ID of
 *    the binding, so repeating the step changes nothing.
 * 3. The ID is removed from the status (Rotating). A binding without an ID is created, under the name that is free now, and
 *    replaces the content of the Secret.
 * 4. With the new credentials, the time of the rotation is stored, and the condition is removed.
 */
import { formatTimestamp, ProviderError, ThrottledError } from '../../../../framework/base/index.ts';

import {
  isNoFailure,
  type ReconcileResult,
  requeue,
  requeueAfter,
  requeueInProgress,
} from '../../../../framework/controller/index.ts';
import { isAlreadyExists } from '../../../../framework/kube/index.ts';
import { bindingsOf } from '../../caches.ts';
import { forceRotateAnnotation, staleLabel } from '../../metadata.ts';
import { isGoneInServiceManager } from '../../operations/delete-own.ts';
import { scrubbed, textOf } from '../../operations/report-failure.ts';
import { setStatus, writeOptions } from '../../operations/run.ts';
import { ServiceManagerError } from '../../service-manager/index.ts';
import { conditionsOf, isReady, replaceConditions, succeededOf } from '../../status/conditions.ts';
import { type BindingRun, bindingIDOf, type UnconnectedBindingRun } from '../binding-run.ts';
import { type ServiceBinding, serviceBindings } from '../resource.ts';
import { backupBinding } from './backup-binding.ts';
import { removeRotation, rotatingText, rotationStepOf, setRotation } from './rotation-conditions.ts';
import { rotationDueAt } from './rotation-policy.ts';

/** More to do at once. */
const again = requeueAfter(0);

/**
 * What a rotation has to do next for a binding without an operation in progress: `prepare` (steps 1 to 3), `finish`, or
 * nothing. Between them, the binding is created as any other.
 */
export function rotationAction({
  object: binding,
  context,
}: UnconnectedBindingRun): 'prepare' | 'finish' | undefined {
  const step = rotationStepOf(binding);
  if (bindingIDOf(binding) === '') return undefined;
  if (step === 'preparing') return 'prepare';
  if (step === 'rotating') return isReady(binding) ? 'finish' : undefined;
  const dueAt = rotationDueAt(binding);
  const isUsable = isReady(binding) && succeededOf(binding)?.status === 'True';
  return isUsable && dueAt !== undefined && dueAt <= context.client.now() ? 'prepare' : undefined;
}

export async function prepareRotation(run: BindingRun): Promise<ReconcileResult> {
  const { object: binding, client, copy, conditions, status, context } = run;
  const { signal, guard } = context;
  const bindingID = bindingIDOf(binding);
  const backup = backupBinding(binding, bindingID, context.shardLabels);
  const record = async (message?: string) => {
    setRotation(binding, 'preparing', context.clock.now(), message);
    await status.store();
  };
  if (rotationStepOf(binding) === undefined) await record();
  try {
    if (!hasBackup(run, bindingID)) {
      await guard.beforeWrite();
      const name = backup.spec.externalName ?? backup.metadata.name;
      const rename = { name, kubernetesName: backup.metadata.name };
      await client.renameBinding(bindingID, rename, writeOptions(run));
      await createBackup(run, backup);
    }
  } catch (error) {
    if (isNoFailure(error) || signal.aborted) throw error;
    const isAbsent = error instanceof ServiceManagerError && error.class === 'not-found';
    if (isAbsent && (await isGoneInServiceManager(run, bindingID))) {
      conditions.notFound(bindingID);
      await status.store();
      return requeue;
    }
    // The credentials are as they were.
    await record(await scrubbed(run, textOf(error)));
    if (error instanceof ThrottledError) return requeueInProgress(error.retryAfterMs);
    throw error;
  }
  if (binding.metadata.annotations?.[forceRotateAnnotation] !== undefined) {
    delete binding.metadata.annotations[forceRotateAnnotation];
    await copy.put(signal);
  }
  setStatus(binding, { bindingID: undefined, operationURL: undefined, operationType: 'create' });
  replaceConditions(binding, conditionsOf(binding), false);
  conditions.inProgress('create', rotatingText);
  setRotation(binding, 'rotating', context.clock.now());
  await status.store();
  return again;
}

/** The Secret has the new credentials. */
export async function finishRotation({
  object: binding,
  status,
  context,
}: UnconnectedBindingRun): Promise<ReconcileResult> {
  setStatus(binding, { lastCredentialsRotationTime: formatTimestamp(context.client.now()) });
  removeRotation(binding);
  await status.store();
  return again;
}

/**
 * Whether the binding was renamed and has a backup, of any name: SAP's operator, which may have begun the rotation, ends names
 * with random characters. The backup is created after the binding was renamed.
 */
const hasBackup = ({ object: { metadata }, context }: BindingRun, bindingID: string): boolean =>
  bindingsOf(context.informers)
    .list()
    .some(
      (other) =>
        other.metadata.namespace === metadata.namespace && other.metadata.labels?.[staleLabel] === bindingID,
    );

async function createBackup({ context }: BindingRun, backup: ServiceBinding): Promise<void> {
  const { client, signal } = context;
  try {
    await client.create(serviceBindings, backup, { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const { metadata } = await client.get(serviceBindings, backup.metadata, { signal });
    if (metadata.labels?.[staleLabel] === backup.metadata.labels?.[staleLabel]) return;
    const text = `cannot keep the replaced credentials: another ServiceBinding ${backup.metadata.name} exists`;
    throw new ProviderError('contested', text, { cause: error });
  }
}
