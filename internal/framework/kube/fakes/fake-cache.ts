import type { CacheEvent, ObjectCache } from '../cache/cache.ts';
import { type KubeObject, keyOf, keyString } from '../object/object.ts';

/** A cache with the objects of a test. Handlers are called synchronously. */
export interface FakeCache<T extends KubeObject> extends ObjectCache<T> {
  put(object: T): void;
  remove(object: T): void;
  /** As if the first list were complete, or not yet. */
  setSynced(synced: boolean): void;
}

/** @param objects of the first list */
export function createFakeCache<T extends KubeObject>(objects: readonly T[] = []): FakeCache<T> {
  const nameOf = (object: T) => keyString(keyOf(object));
  const held = new Map(objects.map((object) => [nameOf(object), object]));
  const handlers = new Set<(event: CacheEvent<T>) => void>();
  const waiting = new Set<() => void>();
  let synced = true;
  const notify = (event: CacheEvent<T>) => {
    for (const handler of [...handlers]) handler(event);
  };
  return {
    get: (key) => held.get(key),
    list: () => [...held.values()],
    hasSynced: () => synced,
    whenSynced: (signal) =>
      new Promise((resolve, reject) => {
        if (synced) return resolve();
        waiting.add(resolve);
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
    subscribe: (handler) => {
      const own = (event: CacheEvent<T>) => handler(event);
      for (const object of held.values()) own({ type: 'added', object, initial: true });
      handlers.add(own);
      return () => {
        handlers.delete(own);
      };
    },
    put: (object) => {
      const old = held.get(nameOf(object));
      held.set(nameOf(object), object);
      notify(
        old === undefined ? { type: 'added', object, initial: false } : { type: 'updated', object, old },
      );
    },
    remove: (object) => {
      if (held.delete(nameOf(object))) notify({ type: 'deleted', object });
    },
    setSynced: (now) => {
      synced = now;
      if (!now) return;
      for (const resolve of waiting) resolve();
      waiting.clear();
    },
  };
}
