import type { ObjectCache } from '../../kube/cache/cache.ts';
import { type KubeObject, keyOf, keyString } from '../../kube/object/object.ts';
import type { KeyStore } from './key-store.ts';
import { createOwnWrites, type WrittenVersions } from './own-writes.ts';
import { ofType, type Source } from './source.ts';

/**
 * The objects of a controller's own type, which its reconciles both read and write.
 *
 * - A reconcile reads the newest version: that of the cache, or a later one that this process has written.
 * - Updates of an object that arrive during its own reconcile are handled when that ends. A watch may deliver a write before
 *   its response is here; only at the end is it known which updates are echoes of own writes. Nothing is lost: no other
 *   reconcile of that object can begin meanwhile.
 */
export interface OwnObjects<T extends KubeObject> {
  /** The first source of the controller. */
  readonly source: Source;
  /** The newest version known; undefined if there is none. */
  newest(key: string): T | undefined;
  /** Called with the response to each write of a reconcile. The event of an echo needs no reconcile. */
  wrote(stored: T, echo: boolean): void;
  /** Runs the reconcile of the key. Never twice at a time for one key. */
  reconciling<R>(key: string, reconcile: () => Promise<R>): Promise<R>;
}

/**
 * Whether an update is worth a reconcile, unless it is the echo of an own write.
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
  const writes = createOwnWrites<T>(keys.slot<WrittenVersions<T>>('own writes'));
  /** For each object that is being reconciled: its updates, to be handled. */
  const held = keys.slot<(() => void)[]>('held updates');
  const handled: ObjectCache<T> = {
    ...cache,
    subscribe: (handler) =>
      cache.subscribe((event) => {
        const handle = () => {
          handler(event);
          writes.seen(event.object);
        };
        const updates = event.type === 'updated' ? held.get(keyString(keyOf(event.object))) : undefined;
        if (updates === undefined) handle();
        else updates.push(handle);
      }),
  };
  return {
    source: ofType(handled, (old, object) => {
      const known = writes.newest(keyString(keyOf(object)), old) ?? old;
      return !writes.isEcho(object) && predicate(old, object, known);
    }),
    newest: (key) => writes.newest(key, cache.get(key)),
    wrote: writes.wrote,
    reconciling: async (key, reconcile) => {
      const updates: (() => void)[] = [];
      held.set(key, updates);
      try {
        return await reconcile();
      } finally {
        held.delete(key);
        for (const handle of updates) handle();
      }
    },
  };
}
