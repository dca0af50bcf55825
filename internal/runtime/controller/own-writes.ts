import { type KubeObject, keyOf, keyString } from '../../kube/object/object.ts';
import { isOlder } from '../../kube/object/resource-version.ts';
import type { Slot } from './key-store.ts';

/**
 * The versions that this process has written and that its cache may not have yet. Without them a reconcile that starts
 * before the watch event of a write would decide by the version before, and be refused when it writes.
 */
export interface OwnWrites<T extends KubeObject> {
  /** Notes what the API server returned for a write. The event of an `echo` needs no reconcile. */
  wrote(object: T, echo: boolean): void;
  /** The newest version known: `cached`, or a later one that the cache does not have yet. */
  newest(key: string, cached: T | undefined): T | undefined;
  /** Whether the version is the echo of an own write. */
  isEcho(object: T): boolean;
  /** Called after the event of a version was handled: what the cache has is not needed here any more. */
  seen(object: T): void;
}

/** What is kept for one object. */
export interface WrittenVersions<T> {
  readonly newest: T;
  readonly echoes: Set<string>;
}

export function createOwnWrites<T extends KubeObject>(written: Slot<WrittenVersions<T>>): OwnWrites<T> {
  const isCurrent = (cached: T, own: T) =>
    cached.metadata.uid !== own.metadata.uid || !isOlder(version(cached), version(own));
  return {
    wrote: (object, echo) => {
      const key = keyString(keyOf(object));
      const { echoes } = written.get(key) ?? { echoes: new Set<string>() };
      if (echo) echoes.add(version(object));
      written.set(key, { newest: object, echoes });
    },
    newest: (key, cached) => {
      const own = written.get(key)?.newest;
      return own === undefined || cached === undefined || isCurrent(cached, own) ? cached : own;
    },
    isEcho: (object) => written.get(keyString(keyOf(object)))?.echoes.has(version(object)) ?? false,
    seen: (object) => {
      const key = keyString(keyOf(object));
      const own = written.get(key)?.newest;
      if (own !== undefined && isCurrent(object, own)) written.delete(key);
    },
  };
}

const version = (object: KubeObject) => object.metadata.resourceVersion ?? '';
