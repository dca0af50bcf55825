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

import { createHash } from 'node:crypto';
import { formatTimestamp, ProviderError, ThrottledError } from '../../../../framework/base/index.ts';
import {
  isNoFailure,
  type ReconcileResult,
  requeue,
  requeueAfter,
  requeueInProgress,
  type ShardLabels,
  withShardLabels,
} from '../../../../framework/controller/index.ts';
import { asController, isAlreadyExists } from '../../../../framework/kube/index.ts';
import { cutName } from '../../../../framework/kube/object/object.ts';
import { bindingsOf } from '../../caches.ts';
import {
  forceRotateAnnotation,
  originalBindingAnnotation,
  rotationOfLabel,
  staleLabel,
} from '../../metadata.ts';
import { isGoneInServiceManager } from '../../operations/delete-own.ts';
import { scrubbed, textOf } from '../../operations/report-failure.ts';
import { setStatus, writeOptions } from '../../operations/run.ts';
import { ServiceManagerError } from '../../service-manager/index.ts';
import { conditionsOf, isReady, replaceConditions, succeededOf } from '../../status/conditions.ts';
import { type BindingRun, bindingIDOf, type UnconnectedBindingRun } from '../binding-run.ts';
import { type ServiceBinding, serviceBindings } from '../resource.ts';
import {
  removeRotation,
  rotatingText,
  rotationDueAt,
  rotationStepOf,
  setRotation,
} from './rotation-policy.ts';

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
  const names = backupNames(binding, bindingID);
  const backup = backupBinding(binding, bindingID, context.shardLabels);
  const record = async (message?: string) => {
    setRotation(binding, 'preparing', context.clock.now(), message);
    await status.store();
  };
  if (rotationStepOf(binding) === undefined) await record();
  try {
    if (!hasBackup(run, bindingID)) {
      await guard.beforeWrite();
      const rename = { name: names.externalName, kubernetesName: names.name };
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

/** The limits of the schema, and of names of objects. */
const MAX_EXTERNAL_NAME = 100;
const MAX_NAME = 253;
const SUFFIX_LENGTH = 6;

/** Names of the binding that keeps the replaced credentials. */
interface BackupNames {
  /** In Service Manager. */
  readonly externalName: string;
  /** Of the object. */
  readonly name: string;
  readonly secretName: string;
}

/**
 * The names of a backup follow from the ID of the replaced binding, so a rotation that was interrupted at any step uses the
 * same ones again. Names that would be too long are cut before the suffix.
 */
export function backupNames({ metadata, spec }: ServiceBinding, bindingID: string): BackupNames {
  const suffix = `-${suffixOf(bindingID)}`;
  const extended = (name: string, limit: number) => `${cutName(name, limit - suffix.length)}${suffix}`;
  return {
    externalName: extended(spec.externalName || metadata.name, MAX_EXTERNAL_NAME),
    name: extended(metadata.name, MAX_NAME),
    secretName: extended(spec.secretName || metadata.name, MAX_NAME),
  };
}

/** Six lower case letters and digits. */
function suffixOf(bindingID: string): string {
  const hash = createHash('sha256').update(bindingID).digest();
  return hash.readBigUInt64BE(0).toString(36).padStart(SUFFIX_LENGTH, '0').slice(-SUFFIX_LENGTH);
}

/**
 * A binding with the replaced credentials. The garbage collector deletes it with its origin.
 *
 * @param shard the labels that the process selects its objects by
 */
export function backupBinding(
  origin: ServiceBinding,
  bindingID: string,
  shard: ShardLabels = {},
): ServiceBinding {
  const { metadata, spec } = origin;
  const { name, externalName, secretName } = backupNames(origin, bindingID);
  const { credentialsRotationPolicy: policy, ...rest } = spec;
  return {
    apiVersion: serviceBindings.apiVersion,
    kind: serviceBindings.kind,
    metadata: {
      name,
      namespace: metadata.namespace,
      labels: withShardLabels(
        { [staleLabel]: bindingID, [rotationOfLabel]: labelValueOf(metadata.name) },
        shard,
      ),
      annotations: { [originalBindingAnnotation]: metadata.name },
      ownerReferences: [asController(origin)],
    },
    spec: {
      ...rest,
      externalName,
      secretName,
      ...(policy === undefined ? {} : { credentialsRotationPolicy: { ...policy, enabled: false } }),
    },
  };
}

/** A label value has at most so many characters. */
const MAX_LENGTH = 63;

/** The name as a label value: cut, and without separators at its end. */
export const labelValueOf = (name: string): string => cutName(name, MAX_LENGTH);
