import { type KubeObject, keyOf, keyString } from '../object/object.ts';
import type { CacheEvent } from './cache.ts';

/** The objects of an informer by key; computes the events for its handlers. */
export interface ObjectStore<T extends KubeObject> {
  get(key: string): T | undefined;
  list(): readonly T[];
  /** Replaces all objects and returns the differences as events. */
  replace(objects: readonly T[], initial: boolean): CacheEvent<T>[];
  /** Undefined if nothing changed: the same version again, or a deletion of an unknown object. */
  apply(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): CacheEvent<T> | undefined;
}

export function createObjectStore<T extends KubeObject>(): ObjectStore<T> {
  let objects = new Map<string, T>();
  return {
    get: (key) => objects.get(key),
    list: () => [...objects.values()],
    replace: (all, initial) => {
      const before = objects;
      const events: CacheEvent<T>[] = [];
      objects = new Map();
      for (const object of all) {
        const key = keyString(keyOf(object));
        const old = before.get(key);
        const same = old !== undefined && sameVersion(old, object);
        objects.set(key, same ? old : object);
        if (old === undefined) events.push({ type: 'added', object, initial });
        else if (!same) events.push(...change(old, object));
      }
      for (const [key, object] of before) if (!objects.has(key)) events.push({ type: 'deleted', object });
      return events;
    },
    apply: (type, object) => {
      const key = keyString(keyOf(object));
      const old = objects.get(key);
      if (type === 'DELETED') return objects.delete(key) ? { type: 'deleted', object } : undefined;
      if (old !== undefined && sameVersion(old, object)) return undefined;
      objects.set(key, object);
      return old === undefined ? { type: 'added', object, initial: false } : { type: 'updated', object, old };
    },
  };
}

/** An object with a new UID was deleted and recreated in between: two events, so that handlers clean up. */
function change<T extends KubeObject>(old: T, object: T): CacheEvent<T>[] {
  if (old.metadata.uid === object.metadata.uid) return [{ type: 'updated', object, old }];
  return [
    { type: 'deleted', object: old },
    { type: 'added', object, initial: false },
  ];
}

function sameVersion(a: KubeObject, b: KubeObject): boolean {
  return a.metadata.resourceVersion === b.metadata.resourceVersion && a.metadata.uid === b.metadata.uid;
}
