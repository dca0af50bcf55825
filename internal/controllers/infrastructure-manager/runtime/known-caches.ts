/** What the clusters of Runtimes ask for, as it was read last. */
import { jsonEqual } from '../../../base/json/json-equal.ts';
import type { RegistryCache } from './rendering.ts';

/** Caches of image registries by the key of their Runtime. */
export interface KnownCaches {
  /** Undefined: they have not been read since this process started, or nobody reads them. */
  get(runtime: string): readonly RegistryCache[] | undefined;
  /** Differs when the caches differ. */
  revision(runtime: string): number;
  /** Calls the listener with the key of each Runtime whose caches differ, until the returned function is called. */
  onChange(listener: (runtime: string) => void): () => void;
}

export interface KnownCachesStore extends KnownCaches {
  set(runtime: string, caches: readonly RegistryCache[]): void;
  forget(runtime: string): void;
}

interface Known {
  readonly caches: readonly RegistryCache[];
  readonly revision: number;
}

export function createKnownCaches(): KnownCachesStore {
  const known = new Map<string, Known>();
  const listeners = new Set<(runtime: string) => void>();
  return {
    get: (runtime) => known.get(runtime)?.caches,
    revision: (runtime) => known.get(runtime)?.revision ?? 0,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    set: (runtime, caches) => {
      const before = known.get(runtime);
      if (before !== undefined && jsonEqual(before.caches, caches)) return;
      known.set(runtime, { caches, revision: (before?.revision ?? 0) + 1 });
      for (const listener of listeners) listener(runtime);
    },
    forget: (runtime) => {
      known.delete(runtime);
    },
  };
}
