import { createHash } from 'node:crypto';
import { wasDeleted } from '../../../framework/kube/index.ts';
import { instanceKey } from '../credentials/credential-users.ts';
import { admitsBindingsOf, type BindingsOfInstances } from '../operations/bindings-of-instances.ts';
import type { Run, RunMemory, UnconnectedRun } from '../operations/run.ts';
import type { ServiceInstance } from '../serviceinstance/resource.ts';
import { isReady, observedGenerationOf, readyOf } from '../status/conditions.ts';
import { reasons } from '../status/messages.ts';
import { deletedInstanceText, missingInstanceText, unreadyInstanceText } from './messages.ts';
import type { ServiceBinding } from './resource.ts';
import type { FreeNames } from './secret/free-names.ts';
import type { SecretRecord } from './secret/secret-record.ts';
import type { SecretRenderer } from './secret/secret-renderer.ts';

/** What is kept of a binding between reconciles of one process. */
export interface BindingMemory extends RunMemory {
  /** When Service Manager was asked for the binding last, by the monotonic clock in ms. */
  readonly observedAt?: number;
  /** The Secret as it was written or checked last. */
  readonly secret?: SecretRecord;
  /** `infoDigest` of the instance in the Secret, as far as this process knows. */
  readonly info?: string;
  /** An edit that is not in the Secret yet, though a condition may have its generation: the binding is blocked or throttled. */
  readonly isEdited?: boolean;
  /** When a new binding was first found without an instance that is ready, by the monotonic clock in ms. */
  readonly blockedAt?: number;
  /** When the name of its Secret was found free, by the monotonic clock in ms. */
  readonly nameFreeAt?: number;
  /** When its instance was first found deleted, by the monotonic clock in ms. */
  readonly instanceDeletedAt?: number;
  /** `marksOf` the object at the end of the last reconcile. */
  readonly marks?: number;
}

/** A digest of labels and annotations. A user who changes one asks for a look at Service Manager. */
export const marksOf = ({ metadata: { labels = {}, annotations = {} } }: ServiceBinding): number =>
  createHash('sha256')
    .update(JSON.stringify([labels, annotations]))
    .digest()
    .readUIntBE(0, 6);

/** What only bindings need. */
export interface BindingOptions {
  readonly secrets: Pick<SecretRenderer, 'render'>;
  /** Names of Secrets. */
  readonly names: FreeNames;
}

export interface UnconnectedBindingRun extends UnconnectedRun<ServiceBinding, BindingMemory>, BindingOptions {
  readonly bindings: Pick<BindingsOfInstances, 'of'>;
}

/** One reconcile of a ServiceBinding. */
export interface BindingRun extends Run<ServiceBinding, BindingMemory>, BindingOptions {
  readonly bindings: Pick<BindingsOfInstances, 'of'>;
  /** Of the binding. Undefined only for a deleted binding. */
  readonly instance: ServiceInstance | undefined;
}

/** The ID in Service Manager; empty: none is known. */
export const bindingIDOf = ({ status }: ServiceBinding): string => status?.bindingID ?? '';

/** Whether the spec was edited since the Secret was written. */
export function isEdited({ object: binding, context }: UnconnectedBindingRun): boolean {
  return (
    observedGenerationOf(binding) !== binding.metadata.generation || context.memory.get()?.isEdited === true
  );
}

export function remember({ context: { memory } }: UnconnectedBindingRun, what: BindingMemory): void {
  memory.set({ ...memory.get(), ...what });
}

// The instance that a binding refers to.

/** Whether Service Manager does not have the instance any more. */
export const isMissingInServiceManager = (instance: ServiceInstance): boolean =>
  readyOf(instance)?.reason === reasons.notFound;

/** An instance that refuses the binding is as good as missing: others must not learn that it exists. */
export function missingInstance(
  binding: ServiceBinding,
  instance: ServiceInstance | undefined,
): string | undefined {
  if (instance !== undefined && admitsBindingsOf(instance, binding.metadata.namespace)) return undefined;
  const { name, namespace } = instanceKey(binding);
  return missingInstanceText(name, namespace);
}

/** Why a binding cannot use the instance at present; undefined: it can. */
export function unusableInstance(instance: ServiceInstance): string | undefined {
  if (wasDeleted(instance)) return deletedInstanceText;
  return isReady(instance) && instance.status?.instanceID ? undefined : unreadyInstanceText;
}
