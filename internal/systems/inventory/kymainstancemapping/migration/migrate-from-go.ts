/**
 * Migration from SAP's Go provider, which creates two objects for each KymaInstanceMapping: an InstanceMapping that
 * manages the mapping, and a Secret with a copy of the admin credentials. This provider needs neither. Both are deleted
 * before the first reconcile, without a request to HANA Cloud.
 *
 * Only objects that have the resource's uid as owner are deleted. The finalizer of the InstanceMapping is removed
 * before the deletion, so that a Go provider that still runs does not delete the mapping.
 */
import {
  type InstanceMapping,
  instanceMappings,
} from '../../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/instancemapping.gen.ts';
import {
  type KymaInstanceMapping,
  kymaInstanceMappings,
} from '../../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { managedFinalizer } from '../../../../framework/controller/index.ts';
import {
  isForbidden,
  isNotFound,
  type KubeClient,
  type KubeObject,
  keyOf,
  type ObjectKey,
  type ResourceType,
  secrets,
} from '../../../../framework/kube/index.ts';

import { type ReconcileContext, recordedExternalName } from '../../../../framework/managed/index.ts';
import { kymaMappingKind } from '../status.ts';

/** The Go provider's default of `credentialsSecretNamespace`. */
const DEFAULT_NAMESPACE = 'crossplane-system';

/** The Go provider sets metadata.name as the external name, and records its children in the status. */
function isLeftByGoProvider(resource: KymaInstanceMapping): boolean {
  return (
    recordedExternalName(resource) === resource.metadata.name ||
    resource.status?.atProvider?.childResources !== undefined
  );
}

/** Does nothing for a resource that the Go provider never reconciled. */
export async function migrateFromGo(
  client: KubeClient,
  resource: KymaInstanceMapping,
  ctx: ReconcileContext,
): Promise<void> {
  if (!isLeftByGoProvider(resource)) return;
  const { signal } = ctx;
  const child = await findOwn<InstanceMapping>(resource, () =>
    client.get(instanceMappings, { name: `${resource.metadata.name}-mapping` }, { signal }),
  );
  if (child !== undefined) await recordMapping(client, resource, child, signal);
  const secret = await findOwn(resource, () =>
    client.getMetadata(secrets, secretOf(resource, child), { signal }),
  );
  if (secret !== undefined) await remove(client, secrets, secret, signal);
  if (child !== undefined) await removeChild(client, child, ctx);
  delete resource.status?.atProvider?.childResources;
}

/** Records the child's mapping on the resource before the child, the only other record, is deleted. */
async function recordMapping(
  client: KubeClient,
  resource: KymaInstanceMapping,
  { spec, status }: InstanceMapping,
  signal: AbortSignal,
): Promise<void> {
  const known = kymaMappingKind.recordsOf(resource).known !== undefined;
  if (known || status?.atProvider?.mappingExists !== true) return;
  const { serviceInstanceID, platform, primaryID, secondaryID } = spec.forProvider;
  const identity = { serviceInstanceID, platform, primaryID, ...(secondaryID ? { secondaryID } : {}) };
  kymaMappingKind.noteRequested(resource, identity);
  const hana = resource.status?.atProvider?.hana;
  const options = { signal, subresource: 'status' } as const;
  // With the UID a resource that was created anew is a conflict.
  const { uid } = resource.metadata;
  const body = { metadata: { uid }, status: { atProvider: { hana } } };
  await client.mergePatch(kymaInstanceMappings, keyOf(resource), body, options);
}

/** The namespace is that of the child's reference, else that of the status, the spec or the default. */
function secretOf(
  { metadata, spec, status }: KymaInstanceMapping,
  child: InstanceMapping | undefined,
): ObjectKey {
  const namespace =
    child?.spec.forProvider.adminCredentialsSecretRef.namespace ||
    status?.atProvider?.childResources?.credentialsSecretNamespace ||
    spec.forProvider.credentialsSecretNamespace ||
    DEFAULT_NAMESPACE;
  return { namespace, name: `${metadata.name}-admin-creds` };
}

async function removeChild(
  client: KubeClient,
  child: InstanceMapping,
  { signal, log }: ReconcileContext,
): Promise<void> {
  const finalizers = (child.metadata.finalizers ?? []).filter((name) => name !== managedFinalizer);
  const held = finalizers.length !== (child.metadata.finalizers ?? []).length;
  const free = { ...child, metadata: { ...child.metadata, finalizers } };
  try {
    const current = held ? await client.update(instanceMappings, free, { signal }) : child;
    await remove(client, instanceMappings, current, signal);
  } catch (error) {
    if (isNotFound(error)) return;
    // Crossplane does not grant deletion by default. The child without finalizer is deleted with its owner.
    if (!isForbidden(error)) throw error;
    log.info('cannot delete an InstanceMapping left by another provider', { name: child.metadata.name });
  }
}

async function remove(
  client: KubeClient,
  type: ResourceType,
  object: KubeObject,
  signal: AbortSignal,
): Promise<void> {
  const { uid, resourceVersion } = object.metadata;
  const preconditions = {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  try {
    await client.delete(type, keyOf(object), { signal, preconditions });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** The object, if it is there and the resource owns it. */
async function findOwn<T extends KubeObject>(
  { metadata: { uid } }: KymaInstanceMapping,
  get: () => Promise<T>,
): Promise<T | undefined> {
  try {
    const object = await get();
    const owned = object.metadata.ownerReferences?.some((owner) => owner.uid === uid);
    return owned && uid !== undefined ? object : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
