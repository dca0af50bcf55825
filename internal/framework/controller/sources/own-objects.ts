import type { ObjectCache } from '../../kube/cache/cache.ts';
import { isOlder, type KubeObject, keyOf, keyString } from '../../kube/object/object.ts';
import type { KeyedValues, KeyStore } from '../key-store.ts';
import type { OnWritten } from '../reconcile/working-copy.ts';
import { ofType, type Predicate, reported, type Source } from './source.ts';

/**
 * The objects of a controller's own type, which its reconciles both read and write.
 *
 * - A reconcile reads the newest version: that of the cache, or a later one that this process has written.
 * - Updates of an object that arrive during its reconcile are handled after it. A watch may deliver a write before its
 *   response arrives, so only then is it known which updates are expected. No update is lost, because no other reconcile
 *   of that object can start meanwhile.
 */
interface OwnObjects<T extends KubeObject> {
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

interface OwnObjectsOptions<T extends KubeObject> {
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

/**
 * Versions that this process has written and that its cache may not have yet. Without them a reconcile that starts before
 * the watch event of a write would use the previous version, and the API server would refuse its own write.
 */
interface OwnWrites<T extends KubeObject> {
  /** Records the response to a write. An `expected` event needs no reconcile. */
  wrote(object: T, expected: boolean): void;
  /** The newest version known: `cached`, or a later one that this process wrote. */
  newest(key: string, cached: T | undefined): T | undefined;
  /** Whether the event of this version needs no reconcile. */
  isExpected(object: T): boolean;
  /** Called after the event of a version was handled. Drops the record once the cache is as new. */
  onHandled(object: T): void;
}

/** The record of one object. */
export interface WrittenVersions<T> {
  readonly newest: T;
  readonly expected: Set<string>;
}

export function createOwnWrites<T extends KubeObject>(
  written: KeyedValues<WrittenVersions<T>>,
): OwnWrites<T> {
  const isCurrent = (cached: T, own: T) =>
    cached.metadata.uid !== own.metadata.uid ||
    (!isOlder(version(cached), version(own)) && !(version(cached) === version(own) && isLast(own)));
  return {
    wrote: (object, isExpected) => {
      const key = keyString(keyOf(object));
      const { expected } = written.get(key) ?? { expected: new Set<string>() };
      if (isExpected) expected.add(version(object));
      written.set(key, { newest: object, expected });
    },
    newest: (key, cached) => {
      const own = written.get(key)?.newest;
      return own === undefined || cached === undefined || isCurrent(cached, own) ? cached : own;
    },
    isExpected: (object) => written.get(keyString(keyOf(object)))?.expected.has(version(object)) ?? false,
    onHandled: (object) => {
      const key = keyString(keyOf(object));
      const own = written.get(key)?.newest;
      if (own !== undefined && isCurrent(object, own)) written.delete(key);
    },
  };
}

/**
 * Whether nothing keeps the object any more. The API server deletes it then instead of storing the write, and responds with the
 * version before.
 */
const isLast = ({ metadata: { deletionTimestamp, finalizers = [] } }: KubeObject): boolean =>
  deletionTimestamp !== undefined && finalizers.length === 0;

const version = (object: KubeObject) => object.metadata.resourceVersion ?? '';

/** Objects that have left the cache, perhaps for another shard and back. */
interface Departures {
  /** Records them. Adds no requests. */
  readonly source: Source;
  /** Whether the object has left the cache since the last call. */
  hasLeft(key: string): boolean;
}

export function createDepartures(cache: ObjectCache<KubeObject>, keys: KeyStore): Departures {
  const left = keys.values<true>('departures');
  return {
    source: reported(() =>
      cache.subscribe(({ type, object }) => {
        if (type === 'deleted') left.set(keyString(keyOf(object)), true);
      }),
    ),
    hasLeft: (key) => left.delete(key),
  };
}
