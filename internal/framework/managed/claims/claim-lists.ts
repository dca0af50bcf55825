import type { Deps } from '../../base/deps.ts';
import { sleep } from '../../base/time/clock.ts';
import type { ObjectCache } from '../../kube/cache/cache.ts';
import type { KubeObject } from '../../kube/object/object.ts';

/** The caches of all kinds whose resources claim. Until all have synced, an older claim may be missing. */
export interface ClaimLists {
  /** @param resource for messages: `instancemappings.example.org`. The returned function removes the cache. */
  add(cache: ListedCache, resource: string): () => void;
  /** The first cache that has not synced; undefined if all have. Kinds that are not installed are left out. */
  incomplete(): IncompleteList | undefined;
  /** Resolves when all lists are complete, or after a timeout. Callers then check `incomplete`. */
  whenCompleteOrLate(signal: AbortSignal): Promise<void>;
  /** Calls `onChange` when a list is complete or removed. The returned function ends the subscription. */
  subscribe(onChange: () => void): () => void;
}

export type ListedCache = Pick<ObjectCache<KubeObject>, 'hasSynced' | 'whenSynced' | 'problem'>;

export interface IncompleteList {
  readonly resource: string;
  /** Why the list failed, if known. */
  readonly problem?: string;
}

/** How long a controller waits at its start for the lists of other kinds, in ms. It avoids short-lived conditions. */
const START_TIMEOUT_MS = 1000;

export function createClaimLists({ clock }: Pick<Deps, 'clock'>): ClaimLists {
  const lists = new Map<ListedCache, string>();
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of [...listeners]) listener();
  };
  return {
    add: (cache, resource) => {
      const removed = new AbortController();
      lists.set(cache, resource);
      cache.whenSynced(removed.signal).then(notify, () => undefined);
      return () => {
        if (!lists.delete(cache)) return;
        removed.abort();
        notify();
      };
    },
    incomplete: () => {
      for (const [cache, resource] of lists) {
        if (cache.hasSynced()) continue;
        const problem = cache.problem?.();
        if (problem?.kindMissing) continue;
        return { resource, ...(problem === undefined ? {} : { problem: problem.text }) };
      }
      return undefined;
    },
    whenCompleteOrLate: async (signal) => {
      // Controllers that start together add their caches in the same tick.
      await Promise.resolve();
      const settled = new AbortController();
      const patience = sleep(clock, START_TIMEOUT_MS, AbortSignal.any([signal, settled.signal]));
      const all = Promise.all([...lists.keys()].map((cache) => cache.whenSynced(signal)));
      await Promise.race([all, patience]).finally(() => settled.abort());
    },
    subscribe: (onChange) => {
      const own = () => onChange();
      listeners.add(own);
      return () => {
        listeners.delete(own);
      };
    },
  };
}
