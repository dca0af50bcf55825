import { type KubeObject, keyOf, keyString } from '../../kube/object/object.ts';
import { isOlder } from '../../kube/object/resource-version.ts';
import type { KeyedValues } from '../key-store.ts';

/**
 * Versions that this process has written and that its cache may not have yet. Without them a reconcile that starts before
 * the watch event of a write would use the previous version, and the API server would refuse its own write.
 */
export interface OwnWrites<T extends KubeObject> {
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
