import type { ObjectCache } from '../../kube/cache/cache.ts';
import { type KubeObject, keyOf, keyString } from '../../kube/object/object.ts';
import { isOlder } from '../../kube/object/resource-version.ts';
import type { KeyStore } from '../key-store.ts';
import type { OnWritten } from '../reconcile/working-copy.ts';
import { createOwnWrites, type WrittenVersions } from './own-writes.ts';
import { ofType, type Predicate, type Source } from './source.ts';

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
  /** Called with the response to each write of a reconcile. */
  readonly onWritten: OnWritten<T>;
  /** Runs the reconcile of the key. Never twice at a time for one key. */
  reconciling<R>(key: string, reconcile: () => Promise<R>): Promise<R>;
}

/** A write of the version that the reconcile has read: of metadata and spec, or of the status. */
export type OwnWrite = 'object' | 'status';

export interface OwnObjectsOptions<T extends KubeObject> {
  readonly cache: ObjectCache<T>;
  readonly keys: KeyStore;
  /** Whether an update needs a reconcile. Not called for expected events of own writes. */
  readonly predicate: Predicate<T>;
  /**
   * Whether the event of an own write needs no reconcile. A write of a version with changes of others never counts as
   * expected: a watch that lists again reports both as one event.
   */
  readonly expects: (write: OwnWrite) => boolean;
  /** Versions that the API server had replaced when they were reconciled: the next update needs a reconcile. */
  readonly outdated: Pick<WeakSet<object>, 'has'>;
}

export function createOwnObjects<T extends KubeObject>(options: OwnObjectsOptions<T>): OwnObjects<T> {
  const { cache, keys, predicate, expects, outdated } = options;
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
      if (writes.isExpected(object)) return false;
      // The version that the last reconcile knew may be newer than that of the cache.
      const known = writes.newest(keyString(keyOf(object)), old) ?? old;
      const isNewer = isOlder(known.metadata.resourceVersion ?? '', object.metadata.resourceVersion ?? '');
      return predicate(old, object) || outdated.has(known) || (isNewer && predicate(known, object));
    }),
    newest: (key) => writes.newest(key, cache.get(key)),
    onWritten: (stored, what) => writes.wrote(stored, what !== 'merged' && expects(what)),
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
