import { messageOf } from '../../../base/errors/errors.ts';
import {
  assertPermitted,
  type Owner,
  type OwnershipRule,
  recordedOwnership,
} from '../../../base/ownership/ownership.ts';
import type { Logger } from '../../../base/telemetry/logger.ts';
import { isNotFound } from '../../../kube/errors/errors.ts';
import { keyString, type Secret } from '../../../kube/object/object.ts';
import { secrets } from '../../../kube/object/resource-type.ts';
import type { ManagedCluster } from '../../model/managed-cluster.ts';
import { objectNameOf } from '../component-name.ts';
import type { Inventory } from './inventory.ts';
import { formatInventory, parseInventory } from './inventory-format.ts';

/**
 * The namespace of inventories. It is in every cluster and is never deleted, so that an inventory outlives the namespaces of its
 * component; and only administrators of the cluster can write there. An inventory decides what is deleted.
 */
export const INVENTORY_NAMESPACE = 'kube-system';
const TYPE = 'reconciler.kyma-project.io/inventory';
const LABEL = 'reconciler.kyma-project.io/inventory-of';
const KEY = 'objects';

/** The inventory of a component in a cluster. */
export interface StoredInventory {
  /** As it was read or written last. */
  readonly current: Inventory;
  /**
   * Stores it, unless it is the same.
   *
   * @throws `conflict` if another process has written it in the meantime: it deploys the same component
   */
  write(inventory: Inventory, signal: AbortSignal): Promise<void>;
  delete(signal: AbortSignal): Promise<void>;
}

export interface InventoryOptions {
  readonly cluster: Pick<ManagedCluster, 'client' | 'name'>;
  readonly component: string;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/**
 * Reads the inventory of a component. One that is missing or unreadable is empty.
 *
 * @throws OwnershipError if its name is that of a Secret which is no inventory, or a copy of another one
 */
export async function openInventory(options: InventoryOptions): Promise<StoredInventory> {
  const { cluster, component } = options;
  const { client } = cluster;
  const key = { namespace: INVENTORY_NAMESPACE, name: inventoryName(component) };
  let stored = await read(options, key);
  let current = inventoryOf(stored, options);
  let text = stored?.data?.[KEY];
  return {
    get current() {
      return current;
    },
    write: async (inventory, signal) => {
      const next = formatInventory(inventory);
      if (next !== text) {
        const body = secretOf(component, next);
        const version = stored?.metadata.resourceVersion;
        stored =
          version === undefined
            ? await client.create(secrets, body, { signal })
            : await client.update(
                secrets,
                { ...body, metadata: { ...body.metadata, resourceVersion: version } },
                { signal },
              );
        text = next;
      }
      current = inventory;
    },
    delete: async (signal) => {
      try {
        const uid = stored?.metadata.uid;
        if (uid !== undefined) await client.delete(secrets, key, { signal, preconditions: { uid } });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
      stored = undefined;
      text = undefined;
      current = new Map();
    },
  };
}

async function read(
  { cluster, signal }: InventoryOptions,
  key: { readonly namespace: string; readonly name: string },
): Promise<Secret | undefined> {
  let found: Secret;
  try {
    found = await cluster.client.get(secrets, key, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
  const { [LABEL]: recorded } = found.metadata.labels ?? {};
  const own = ownerOf(key.name);
  const ownership = recordedOwnership(own, recorded === undefined ? undefined : ownerOf(recorded));
  assertPermitted(ownership, 'update', RULE, {
    resource: `Secret ${keyString(key)} on ${cluster.name}`,
    own,
    remedy: 'rename or delete it',
  });
  return found;
}

/** A label of the Secret names its component. */
const ownerOf = (name: string): Owner => ({ kind: 'component inventory', name });
const RULE: OwnershipRule = { unrecorded: [], abandoned: [] };

/** Objects that are only in an unreadable one are not pruned; the next write replaces it. */
function inventoryOf(stored: Secret | undefined, { cluster, component, log }: InventoryOptions): Inventory {
  const text = stored?.data?.[KEY];
  if (text === undefined) return new Map();
  try {
    return parseInventory(text);
  } catch (error) {
    log.info('cannot read the inventory of a component: objects that left its chart stay', {
      cluster: cluster.name,
      component,
      error: messageOf(error),
    });
    return new Map();
  }
}

const secretOf = (component: string, text: string): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: inventoryName(component),
    namespace: INVENTORY_NAMESPACE,
    labels: { [LABEL]: inventoryName(component) },
  },
  type: TYPE,
  data: { [KEY]: text },
});

export const inventoryName = (component: string): string => `component-${objectNameOf(component)}`;
