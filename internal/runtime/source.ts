import type { CacheEvent, CacheProblem, ObjectCache } from '../kube/cache.ts';
import { type KubeObject, keyOf, keyString } from '../kube/object.ts';
import { type AddOptions, LOW_PRIORITY } from './queue/work-queue.ts';

/** Adds a key to a controller's queue. */
export type Enqueue = (key: string, options?: AddOptions) => void;

/** Where a controller's keys come from. */
export interface Source {
  /** Begins to add keys; the returned function ends it. */
  start(enqueue: Enqueue): () => void;
  hasSynced(): boolean;
  /** Resolves once everything that exists has been added; rejects with the signal's reason. */
  whenSynced(signal: AbortSignal): Promise<void>;
  /** Why it may miss something; undefined while all is well, or where nothing can go wrong. */
  problem?(): CacheProblem | undefined;
}

export interface CacheSourceOptions<T extends KubeObject> {
  /** Whether an update is worth a reconcile; default: always. Creations and deletions always are. */
  readonly accepts?: (old: T, object: T) => boolean;
}

/**
 * The objects of a cache under their own keys. What the first list holds and updates that changed nothing (resyncs)
 * may wait for everything else.
 */
export function cacheSource<T extends KubeObject>(
  cache: ObjectCache<T>,
  { accepts = () => true }: CacheSourceOptions<T> = {},
): Source {
  const pass = (event: CacheEvent<T>, enqueue: Enqueue) => {
    const key = keyString(keyOf(event.object));
    switch (event.type) {
      case 'added':
        return enqueue(key, event.initial ? { priority: LOW_PRIORITY } : {});
      case 'updated': {
        if (!accepts(event.old, event.object)) return;
        const resync = event.old.metadata.resourceVersion === event.object.metadata.resourceVersion;
        return enqueue(key, resync ? { priority: LOW_PRIORITY, paced: true } : {});
      }
      case 'deleted':
        return enqueue(key);
      default:
        return event satisfies never;
    }
  };
  return {
    start: (enqueue) => cache.subscribe((event) => pass(event, enqueue)),
    hasSynced: () => cache.hasSynced(),
    whenSynced: (signal) => cache.whenSynced(signal),
    problem: () => cache.problem?.(),
  };
}
