/**
 * Taking over from SAP's Go provider. It makes two objects for each KymaInstanceMapping: an InstanceMapping that keeps
 * the mapping, and a Secret with a copy of the admin credentials. Here the resource keeps its mapping itself, so both
 * have to go, without touching HANA Cloud, before anything else is done.
 *
 * Only what the resource owns by uid is removed. The InstanceMapping loses its finalizer first and is deleted then:
 * whoever else still runs, and would delete the mapping with it, never finds it in deletion.
 * Rule: hana-inventory §6, "Takeover from the Go provider".
 */
import {
  type InstanceMapping,
  instanceMappings,
} from '../../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/instancemapping.gen.ts';
import {
  type KymaInstanceMapping,
  kymaInstanceMappings,
} from '../../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import type { KubeClient } from '../../../../kube/client/client.ts';
import { isForbidden, isNotFound } from '../../../../kube/errors/errors.ts';
import { type KubeObject, keyOf, type ObjectKey } from '../../../../kube/object/object.ts';
import { type ResourceType, secrets } from '../../../../kube/object/resource-type.ts';
import { externalNameFrom, managedFinalizer, type ReconcileContext } from '../../../../runtime/index.ts';
import { mappingKind } from '../status.ts';

/** Where the Go provider puts Secrets unless `credentialsSecretNamespace` says otherwise. */
const DEFAULT_NAMESPACE = 'crossplane-system';

/** Whether the Go provider had the resource: it takes the object's own name for the external name, and names its children. */
function isLeftByGoProvider(resource: KymaInstanceMapping): boolean {
  return (
    externalNameFrom(resource) === resource.metadata.name ||
    resource.status?.atProvider?.childResources !== undefined
  );
}

/** Does nothing for a resource that the Go provider never had. */
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

/** What the child has made is the resource's own from here on; once the child is gone nobody else knows of it. */
async function recordMapping(
  client: KubeClient,
  resource: KymaInstanceMapping,
  { spec, status }: InstanceMapping,
  signal: AbortSignal,
): Promise<void> {
  const known = mappingKind.recordsOf(resource).known !== undefined;
  if (known || status?.atProvider?.mappingExists !== true) return;
  const { serviceInstanceID, platform, primaryID, secondaryID } = spec.forProvider;
  const identity = { serviceInstanceID, platform, primaryID, ...(secondaryID ? { secondaryID } : {}) };
  mappingKind.noteRequested(resource, identity);
  const hana = resource.status?.atProvider?.hana;
  const options = { signal, subresource: 'status' } as const;
  await client.mergePatch(
    kymaInstanceMappings,
    keyOf(resource),
    { status: { atProvider: { hana } } },
    options,
  );
}

/** The child says where it reads its credentials; without it the Go provider's own record or rule does. */
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
    // Crossplane grants no deletion of own kinds by default. Left alone, the child does no harm, and goes with its owner.
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
