import type { ObjectCache } from '../kube/cache/cache.ts';
import { type KubeObject, keyOf, keyString } from '../kube/object/object.ts';
import type { KeyStore } from './key-store.ts';
import { createOwnWrites, type WrittenVersions } from './own-writes.ts';
import { ofType, type Source } from './source.ts';

/**
 * The objects of a controller's own type, which its reconciles both read and write.
 *
 * - A reconcile reads the newest version: that of the cache, or a later one that this process has written.
 * - Updates of an object that arrive during its reconcile are handled after it. A watch may deliver a write before its
 *   response arrives, so only then is it known which updates are expected. No update is lost, because no other reconcile
 *   of that object can start meanwhile.
 */
export interface OwnObjects<T extends KubeObject> {
  /** The first source of the controller. */
  readonly source: Source;
  /** The newest version known; undefined if there is none. */
  newest(key: string): T | undefined;
  /** Called with the response to each write of a reconcile. An `expected` event needs no reconcile. */
  wrote(stored: T, expected: boolean): void;
  /** Runs the reconcile of the key. Never twice at a time for one key. */
  reconciling<R>(key: string, reconcile: () => Promise<R>): Promise<R>;
}

/**
 * Whether an update needs a reconcile. Not called for expected events of own writes.
 *
 * @param known the version that the last reconcile knew, which may be newer than `old`
 */
export type OwnPredicate<T> = (old: T, object: T, known: T) => boolean;

export interface OwnObjectsOptions<T extends KubeObject> {
  readonly cache: ObjectCache<T>;
  readonly keys: KeyStore;
  readonly predicate: OwnPredicate<T>;
}

export function createOwnObjects<T extends KubeObject>({
  cache,
  keys,
  predicate,
}: OwnObjectsOptions<T>): OwnObjects<T> {
  const writes = createOwnWrites<T>(keys.values<WrittenVersions<T>>('own writes'));
  /** Updates of objects whose reconcile is in progress. */
  const postponed = keys.values<(() => void)[]>('postponed updates');
  const handled: ObjectCache<T> = {
    ...cache,
    subscribe: (handler) =>
      cache.subscribe((event) => {
        const handle = () => {
          handler(event);
          writes.onHandled(event.object);
        };
        const updates = event.type === 'updated' ? postponed.get(keyString(keyOf(event.object))) : undefined;
        if (updates === undefined) handle();
        else updates.push(handle);
      }),
  };
  return {
    source: ofType(handled, (old, object) => {
      const known = writes.newest(keyString(keyOf(object)), old) ?? old;
      return !writes.isExpected(object) && predicate(old, object, known);
    }),
    newest: (key) => writes.newest(key, cache.get(key)),
    wrote: writes.wrote,
    reconciling: async (key, reconcile) => {
      const updates: (() => void)[] = [];
      postponed.set(key, updates);
      try {
        return await reconcile();
      } finally {
        postponed.delete(key);
        for (const handle of updates) handle();
      }
    },
  };
}
