import { gunzipSync, gzipSync } from 'node:zlib';
import { type Logger, messageOf, parseBoundedJson } from '../../../../framework/base/index.ts';
import {
  getIfExists,
  isNotFound,
  type KubeObject,
  keyOf,
  keyString,
  type ObjectKey,
  type Secret,
  secrets,
} from '../../../../framework/kube/index.ts';
import { isNameOfSomeKind, isNamespaceName } from '../../../../framework/kube/object/object.ts';
import {
  assertPermitted,
  type Owner,
  type OwnershipRule,
  recordedOwnership,
} from '../../../../framework/ownership/ownership.ts';
import type { ManagedCluster } from '../model/component.ts';
import { groupOf, identityOf, objectNameOf } from './prepared-object.ts';

/** An object that a component has applied, or is about to apply. */
export interface InventoryEntry {
  readonly apiVersion: string;
  readonly kind: string;
  readonly key: ObjectKey;
  /** What it was when it was applied last; absent: perhaps it was not. */
  readonly applied?: AppliedState;
}

export interface AppliedState {
  /** Hash of the object as it was sent. */
  readonly sent: string;
  /** Hash of the fields that component reconcilers own since then. A change of one of them by others takes it away. Or `COMPLETE`, or `UNKNOWN`. */
  readonly owned: string;
}

/** In place of `owned`, of a Job with a time to live that was seen complete: it may be gone, and does not run again. */
export const COMPLETE = 'complete';

/** In place of `owned`, of an object that was about to be sent: what the cluster has of it is not known. */
export const UNKNOWN = 'unknown';

/** The objects of a component in a cluster, by identity. */
export type Inventory = ReadonlyMap<string, InventoryEntry>;

export const identityOfEntry = ({
  apiVersion,
  kind,
  key,
}: Pick<InventoryEntry, 'apiVersion' | 'kind' | 'key'>) =>
  identityOf({ group: groupOf(apiVersion), kind }, key);

/** That of an object with its namespace. */
export const identityOfObject = ({ apiVersion, kind, metadata }: KubeObject) =>
  identityOf({ group: groupOf(apiVersion), kind }, metadata);

/** The entry as an object, for messages. */
export const objectOfEntry = ({ apiVersion, kind, key }: InventoryEntry): KubeObject => ({
  apiVersion,
  kind,
  metadata: { ...key },
});

// The Secret in which the inventory of a component is, with what random functions of its chart made.

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

interface InventoryObjectOptions {
  readonly cluster: Pick<ManagedCluster, 'client' | 'name'>;
  readonly component: string;
}

/**
 * @returns undefined if there is none
 * @throws OwnershipError if its name is that of a Secret which is no inventory, or a copy of another one
 */
export async function readInventoryObject(
  { cluster, component }: InventoryObjectOptions,
  signal: AbortSignal,
): Promise<Secret | undefined> {
  const key = { namespace: INVENTORY_NAMESPACE, name: inventoryName(component) };
  const found = await getIfExists(cluster.client, secrets, key, { signal });
  if (found === undefined) return undefined;
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

/** The inventory of a component in a cluster. */
interface StoredInventory {
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
  readonly cluster: Pick<ManagedCluster, 'client' | 'name' | 'keep'>;
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
  // It may be much larger than its Secret.
  options.cluster.keep([...current.values()]);
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

/** Memory for some ten thousand entries. */
const MAX_BYTES = 8 * 1024 * 1024;
const LIMITS = { maxLength: MAX_BYTES, maxDepth: 4, maxValues: 200_000 };

/** apiVersion, kind, namespace, name, hash of what was sent, hash of owned fields. */
type Row = readonly [string, string, string, string, string, string];

/** Gzip of JSON, in base64: a Secret holds some thousand entries of it. */
export function formatInventory(inventory: Inventory): string {
  const rows = [...inventory.values()].map(
    ({ apiVersion, kind, key, applied }): Row => [
      apiVersion,
      kind,
      key.namespace ?? '',
      key.name,
      applied?.sent ?? '',
      applied?.owned ?? '',
    ],
  );
  return gzipSync(JSON.stringify(rows)).toString('base64');
}

/** @throws an error without content of the text if it is not an inventory */
export function parseInventory(base64: string): Inventory {
  const text = gunzipSync(Buffer.from(base64, 'base64'), { maxOutputLength: MAX_BYTES }).toString('utf8');
  const rows = parseBoundedJson(text, LIMITS);
  if (!Array.isArray(rows) || !rows.every(isRow)) throw new Error('it is not a list of objects');
  return new Map(
    rows.filter(mayExist).map(([apiVersion, kind, namespace, name, sent, owned]) => {
      const entry: InventoryEntry = {
        apiVersion,
        kind,
        key: namespace === '' ? { name } : { name, namespace },
        ...(sent === '' || owned === '' ? {} : { applied: { sent, owned } }),
      };
      return [identityOfEntry(entry), entry];
    }),
  );
}

/** Earlier versions stored what a chart named, also if no object can have that name: its deletion would fail for good. */
const mayExist = ([, , namespace, name]: Row): boolean =>
  isNameOfSomeKind(name) && (namespace === '' || isNamespaceName(namespace));

const isRow = (row: unknown): row is Row =>
  Array.isArray(row) && row.length === 6 && row.every((cell) => typeof cell === 'string') && row[3] !== '';
