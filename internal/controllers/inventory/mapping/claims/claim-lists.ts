import type { Deps } from '../../../../base/deps.ts';
import { sleep } from '../../../../base/time/clock.ts';
import type { ObjectCache } from '../../../../kube/cache/cache.ts';
import type { KubeObject } from '../../../../kube/object/object.ts';

/** The caches of all kinds whose resources claim mappings. An older claim may be missing until each has its first list. */
export interface ClaimLists {
  /** @param resource names the list in messages: `instancemappings.example.org`. The returned function removes it. */
  add(cache: ListedCache, resource: string): () => void;
  /** The first list that is not complete; undefined once all are. A kind that is not installed has no list. */
  incomplete(): IncompleteList | undefined;
  /** Resolves when all lists are complete, or after a short time: what needs them asks `incomplete`. */
  whenCompleteOrLate(signal: AbortSignal): Promise<void>;
  /** Calls `onChange` when a list is complete or is no longer needed. The returned function ends it. */
  subscribe(onChange: () => void): () => void;
}

export type ListedCache = Pick<ObjectCache<KubeObject>, 'hasSynced' | 'whenSynced' | 'problem'>;

export interface IncompleteList {
  readonly resource: string;
  /** Why it cannot be listed, where that is known. */
  readonly problem?: string;
}

/**
 * How long controllers wait at their start for the lists of other kinds, in ms. It only saves conditions that would
 * change again at once.
 */
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
      // Kinds that begin together add their lists one after another, without a pause.
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
