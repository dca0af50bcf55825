import { type Logger, messageOf } from '../../../../../framework/base/index.ts';
import { isNotFound, keyOf, type Secret, secrets } from '../../../../../framework/kube/index.ts';

import type { ManagedCluster } from '../../model/component.ts';
import { INVENTORY_KEYS, type Inventory, readInventoryObject, writeInventoryObject } from './inventory.ts';
import { formatInventory, parseInventory } from './inventory-format.ts';

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
  /** With what random functions of the chart made. */
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
  const { client } = options.cluster;
  let stored = await readInventoryObject(options, options.signal);
  let current = inventoryOf(stored, options);
  let text = stored?.data?.[INVENTORY_KEYS.objects];
  return {
    get current() {
      return current;
    },
    write: async (inventory, signal) => {
      const next = formatInventory(inventory);
      if (next !== text) {
        stored = await writeInventoryObject(options, stored, { objects: next }, signal);
        text = next;
      }
      current = inventory;
    },
    delete: async (signal) => {
      try {
        const uid = stored?.metadata.uid;
        if (stored !== undefined && uid !== undefined)
          await client.delete(secrets, keyOf(stored), { signal, preconditions: { uid } });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
      stored = undefined;
      text = undefined;
      current = new Map();
    },
  };
}

/** Objects that are only in an unreadable one are not pruned; the next write replaces it. */
function inventoryOf(stored: Secret | undefined, { cluster, component, log }: InventoryOptions): Inventory {
  const text = stored?.data?.[INVENTORY_KEYS.objects];
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
