import { randomUUID } from 'node:crypto';
import { jsonEqual } from '../../base/json/json-equal.ts';
import { formatTimestamp } from '../../base/time/timestamp.ts';
import type { DeleteOptions, WatchEvent } from '../client/client.ts';
import { type KubeObject, keyOf, keyString, type ObjectMeta } from '../object/object.ts';

/** An object with any fields beside metadata. */
export type AnyObject = KubeObject & Record<string, unknown>;

/** Refuses a request with a reason of the API server. */
export type Refuse = (status: number, reason: string, message: string) => never;

export interface StoredEvent extends WatchEvent<AnyObject> {
  readonly version: number;
  /** Before the event; absent: the object did not exist. */
  readonly old?: AnyObject;
}

/**
 * The objects of one kind as an API server stores them: resource versions, generations, UIDs, finalizers and the status
 * subresource. Without a schema: nothing is defaulted, pruned or validated.
 */
export interface MemoryStore {
  readonly history: readonly StoredEvent[];
  get(key: string): AnyObject | undefined;
  list(): readonly AnyObject[];
  insert(key: string, object: AnyObject): AnyObject;
  /** `part` says whether the status or everything else is taken from `object`. */
  replace(key: string, object: AnyObject, part: 'status' | 'object', refuse: Refuse): AnyObject;
  remove(key: string, options: DeleteOptions, refuse: Refuse): void;
  subscribe(onEvent: () => void): () => void;
}

export interface MemoryStoreOptions {
  readonly now: () => number;
  /** The next resourceVersion; one counter for all kinds of a cluster. */
  readonly nextVersion: () => number;
  /** Whether the kind has generations and a status of its own. */
  readonly hasStatus: boolean;
}

export function createMemoryStore({ now, nextVersion, hasStatus }: MemoryStoreOptions): MemoryStore {
  const objects = new Map<string, AnyObject>();
  const history: StoredEvent[] = [];
  const listeners = new Set<() => void>();
  const publish = (type: StoredEvent['type'], object: AnyObject, version: number) => {
    const old = objects.get(keyString(keyOf(object)));
    history.push({ type, object, version, ...(old === undefined ? {} : { old }) });
    for (const listener of listeners) listener();
  };
  const write = (key: string, object: AnyObject, type: 'ADDED' | 'MODIFIED') => {
    const version = nextVersion();
    object.metadata.resourceVersion = String(version);
    publish(type, object, version);
    objects.set(key, object);
    return object;
  };
  const drop = (key: string, object: AnyObject) => {
    const version = nextVersion();
    const last = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
    publish('DELETED', last, version);
    objects.delete(key);
    return object;
  };
  return {
    history,
    get: (key) => objects.get(key),
    list: () => [...objects.values()],
    insert: (key, object) => {
      const metadata = { ...object.metadata };
      metadata.uid ??= randomUUID();
      metadata.creationTimestamp ??= formatTimestamp(now());
      if (hasStatus) metadata.generation ??= 1;
      return write(key, { ...object, metadata }, 'ADDED');
    },
    replace: (key, wanted, part, refuse) => {
      const old = objects.get(key);
      if (old === undefined) return refuse(404, 'NotFound', 'not found');
      const { resourceVersion, uid } = wanted.metadata;
      if (resourceVersion !== undefined && resourceVersion !== old.metadata.resourceVersion) {
        return refuse(
          409,
          'Conflict',
          'the object has been modified; apply your changes to the latest version',
        );
      }
      if (uid !== undefined && uid !== old.metadata.uid)
        return refuse(409, 'Conflict', 'the UID does not match');
      const next =
        part === 'status' ? { ...old, status: wanted.status } : mergeObject(old, wanted, hasStatus, refuse);
      if (jsonEqual(next, old)) return old;
      const { deletionTimestamp, finalizers = [] } = next.metadata;
      if (deletionTimestamp !== undefined && finalizers.length === 0) return drop(key, next);
      return write(key, structuredClone(next), 'MODIFIED');
    },
    remove: (key, { preconditions, propagationPolicy }, refuse) => {
      const old = objects.get(key);
      if (old === undefined) return refuse(404, 'NotFound', 'not found');
      const { uid, resourceVersion } = preconditions ?? {};
      if ((uid ?? old.metadata.uid) !== old.metadata.uid) refuse(409, 'Conflict', 'the UID does not match');
      if ((resourceVersion ?? old.metadata.resourceVersion) !== old.metadata.resourceVersion) {
        refuse(409, 'Conflict', 'the resourceVersion does not match');
      }
      const finalizers = [
        ...(old.metadata.finalizers ?? []),
        ...garbageCollectionFinalizer(propagationPolicy),
      ];
      if (finalizers.length === 0) drop(key, old);
      else if (old.metadata.deletionTimestamp === undefined) {
        const generation = hasStatus ? { generation: (old.metadata.generation ?? 0) + 1 } : {};
        const metadata = {
          ...old.metadata,
          ...generation,
          finalizers,
          deletionTimestamp: formatTimestamp(now()),
        };
        write(key, { ...old, metadata }, 'MODIFIED');
      }
    },
    subscribe: (onEvent) => {
      listeners.add(onEvent);
      return () => {
        listeners.delete(onEvent);
      };
    },
  };
}

/** The object that a PUT stores: all fields except those that the server sets. */
function mergeObject(old: AnyObject, wanted: AnyObject, hasStatus: boolean, refuse: Refuse): AnyObject {
  const metadata: ObjectMeta = { ...wanted.metadata };
  for (const name of [
    'uid',
    'creationTimestamp',
    'deletionTimestamp',
    'generation',
    'resourceVersion',
  ] as const) {
    delete metadata[name];
  }
  const { uid, creationTimestamp, deletionTimestamp, generation, resourceVersion } = old.metadata;
  Object.assign(metadata, { uid, creationTimestamp, deletionTimestamp, generation, resourceVersion });
  const added = (metadata.finalizers ?? []).filter((name) => !old.metadata.finalizers?.includes(name));
  if (deletionTimestamp !== undefined && added.length > 0) {
    refuse(422, 'Invalid', 'no new finalizers can be added if the object is being deleted');
  }
  const next: AnyObject = { ...wanted, metadata };
  if (!hasStatus) return next;
  delete next.status;
  if (old.status !== undefined) next.status = old.status;
  const { metadata: _a, ...content } = next;
  const { metadata: _b, ...before } = old;
  if (!jsonEqual(content, before)) metadata.generation = (generation ?? 0) + 1;
  return next;
}

function garbageCollectionFinalizer(policy: DeleteOptions['propagationPolicy']): string[] {
  if (policy === 'Foreground') return ['foregroundDeletion'];
  return policy === 'Orphan' ? ['orphan'] : [];
}
