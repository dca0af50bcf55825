/** The Secret in which the inventory of a component is, with what random functions of its chart made. */
import { isNotFound } from '../../../kube/errors/errors.ts';
import type { Secret } from '../../../kube/object/object.ts';
import { secrets } from '../../../kube/object/resource-type.ts';
import type { ManagedCluster } from '../../model/managed-cluster.ts';
import { objectNameOf } from '../component-name.ts';

/**
 * The namespace of inventories. It is in every cluster and is never deleted, so that an inventory outlives the namespaces of its
 * component; and only administrators of the cluster can write there. An inventory decides what is deleted.
 */
export const INVENTORY_NAMESPACE = 'kube-system';
const TYPE = 'reconciler.kyma-project.io/inventory';
const LABEL = 'reconciler.kyma-project.io/inventory-of';

/** The keys of its data: the inventory, and what random functions made. */
export const INVENTORY_KEYS = { objects: 'objects', random: 'random' } as const;
const KNOWN: readonly string[] = Object.values(INVENTORY_KEYS);

export interface InventoryObjectOptions {
  readonly cluster: Pick<ManagedCluster, 'client'>;
  readonly component: string;
}

/** @returns undefined if there is none */
export async function readInventoryObject(
  { cluster, component }: InventoryObjectOptions,
  signal: AbortSignal,
): Promise<Secret | undefined> {
  const key = { namespace: INVENTORY_NAMESPACE, name: inventoryName(component) };
  try {
    return await cluster.client.get(secrets, key, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/**
 * Stores the data, and keeps that of the other known keys.
 *
 * @param stored as it was read or written last
 * @throws `conflict` if another process has written it in the meantime: it deploys the same component
 */
export async function writeInventoryObject(
  { cluster, component }: InventoryObjectOptions,
  stored: Secret | undefined,
  data: Readonly<Partial<Record<keyof typeof INVENTORY_KEYS, string>>>,
  signal: AbortSignal,
): Promise<Secret> {
  const kept = Object.entries(stored?.data ?? {}).filter(([key]) => KNOWN.includes(key));
  const body: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: inventoryName(component),
      namespace: INVENTORY_NAMESPACE,
      labels: { [LABEL]: inventoryName(component) },
    },
    type: TYPE,
    data: { ...Object.fromEntries(kept), ...data },
  };
  const version = stored?.metadata.resourceVersion;
  if (version === undefined) return await cluster.client.create(secrets, body, { signal });
  const metadata = { ...body.metadata, resourceVersion: version };
  return await cluster.client.update(secrets, { ...body, metadata }, { signal });
}

export const inventoryName = (component: string): string => `component-${objectNameOf(component)}`;
