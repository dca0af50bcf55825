import { type KubeObject, keyOf, keyString } from '../../kube/object.ts';
import { isOlder } from '../../kube/resource-version.ts';

/**
 * Bridges the moment between a write and its arrival in the cache: a reconcile that starts in between would decide
 * by an object that this very process has already changed, and be refused when it writes.
 */
export interface OwnWrites<T extends KubeObject> {
  /** Notes what the API server answered to a write of ours. An `echo` is a write whose event is no news. */
  wrote(object: T, echo: boolean): void;
  /** The newest version known: `cached`, or a later one that the cache has not seen yet. */
  newest(key: string, cached: T | undefined): T | undefined;
  /** Notes what the cache has seen; says whether it is nothing but the echo of a write of ours. */
  saw(object: T): boolean;
}

interface Entry<T> {
  readonly newest: T;
  readonly echoes: Set<string>;
}

export function createOwnWrites<T extends KubeObject>(): OwnWrites<T> {
  const entries = new Map<string, Entry<T>>();
  const isCurrent = (cached: T, own: T) =>
    cached.metadata.uid !== own.metadata.uid || !isOlder(version(cached), version(own));
  return {
    wrote: (object, echo) => {
      const key = keyString(keyOf(object));
      const { echoes } = entries.get(key) ?? { echoes: new Set<string>() };
      if (echo) echoes.add(version(object));
      entries.set(key, { newest: object, echoes });
    },
    newest: (key, cached) => {
      const entry = entries.get(key);
      if (entry === undefined) return cached;
      if (cached !== undefined && !isCurrent(cached, entry.newest)) return entry.newest;
      entries.delete(key);
      return cached;
    },
    saw: (object) => {
      const key = keyString(keyOf(object));
      const entry = entries.get(key);
      if (entry === undefined) return false;
      if (isCurrent(object, entry.newest)) entries.delete(key);
      return entry.echoes.has(version(object));
    },
  };
}

const version = (object: KubeObject) => object.metadata.resourceVersion ?? '';
