/**
 * A source adds requests to a controller. There are four, as in controller-runtime: objects of the type of the
 * controller, objects that they own, other objects through a map function, and a channel. A fifth is the availability of a
 * cluster. A predicate filters updates; creations and deletions are never filtered.
 */
import type { CacheEvent, CacheProblem, ClusterInfo, ObjectCache } from '../../kube/cache/cache.ts';
import type { Cluster } from '../../kube/cluster/cluster.ts';
import { type KubeObject, keyOf, keyString } from '../../kube/object/object.ts';
import { controllerOf } from '../../kube/object/ownership.ts';
import type { ResourceType } from '../../kube/object/resource-type.ts';
import { type AddOptions, LOW_PRIORITY } from '../queue/work-queue.ts';

export interface EnqueueOptions extends AddOptions {
  /** Milliseconds until the request may be reconciled. Default 0. */
  readonly delayMs?: number;
}

/** Adds a request to a controller's queue. */
export type Enqueue = (key: string, options?: EnqueueOptions) => void;

/** A source of requests of a controller. */
export interface Source {
  /**
   * The cluster of its objects; default: the management cluster. One that is not required does not block readiness, and a start only
   * until its first list is there or has failed.
   */
  readonly cluster?: Pick<ClusterInfo, 'name' | 'required'>;
  /** Starts to add requests; the returned function stops it. */
  start(enqueue: Enqueue): () => void;
  hasSynced(): boolean;
  /** Resolves when all existing objects have been added; rejects with the reason of the signal. */
  whenSynced(signal: AbortSignal): Promise<void>;
  /** Resolves as `whenSynced`, or when that has failed for the first time. Absent for sources that cannot fail. */
  whenTried?(signal: AbortSignal): Promise<void>;
  /** Why it may miss changes; undefined if it misses none. */
  problem?(): CacheProblem | undefined;
}

/** Whether an update needs a reconcile. */
export type Predicate<T> = (old: T, object: T) => boolean;

/**
 * The objects of the type of the controller. Objects of the first list, and updates without a change (resyncs), have
 * low priority.
 *
 * @param predicate default: every update
 */
export function ofType<T extends KubeObject>(
  cache: ObjectCache<T>,
  predicate: Predicate<T> = () => true,
): Source {
  return cacheSource(cache, (event, enqueue) => {
    const key = keyString(keyOf(event.object));
    switch (event.type) {
      case 'added':
        return enqueue(key, event.initial ? { priority: LOW_PRIORITY } : {});
      case 'updated': {
        if (!predicate(event.old, event.object)) return;
        const resync = event.old.metadata.resourceVersion === event.object.metadata.resourceVersion;
        return enqueue(key, resync ? { priority: LOW_PRIORITY, paced: true } : {});
      }
      case 'deleted':
        return enqueue(key);
      default:
        return event satisfies never;
    }
  });
}

/** Maps a changed object to the requests that the change concerns. */
export type MapFunction<T> = (object: T) => Iterable<string>;

export interface MappedOptions<T> {
  /** Default: every update that changed the object. */
  readonly predicate?: Predicate<T>;
  /** Milliseconds until a request may be reconciled; default 0. */
  readonly delayMs?: (key: string) => number;
}

/**
 * Objects of another type, through a map function. An update adds the requests of both versions, because a reference
 * may have changed.
 */
export function mapped<T extends KubeObject>(
  cache: ObjectCache<T>,
  map: MapFunction<T>,
  { predicate = isChange, delayMs = () => 0 }: MappedOptions<T> = {},
): Source {
  return cacheSource(cache, (event, enqueue) => {
    if (event.type === 'updated' && !predicate(event.old, event.object)) return;
    const objects = event.type === 'updated' ? [event.old, event.object] : [event.object];
    const options = event.type === 'added' && event.initial ? { priority: LOW_PRIORITY } : {};
    for (const key of new Set(objects.flatMap((object) => [...map(object)]))) {
      enqueue(key, { ...options, delayMs: delayMs(key) });
    }
  });
}

/**
 * Objects owned by objects of the controller: a change or deletion adds the request of the controlling owner
 * reference.
 *
 * @param owner type of the owners; all its versions match
 */
export function ownedBy<T extends KubeObject>(cache: ObjectCache<T>, owner: ResourceType): Source {
  return mapped(cache, (object) => {
    const reference = controllerOf(object);
    if (reference?.kind !== owner.kind || groupOf(reference.apiVersion) !== owner.group) return [];
    const { namespace } = object.metadata;
    const ownNamespace = owner.namespaced && namespace !== undefined ? { namespace } : {};
    return [keyString({ name: reference.name, ...ownNamespace })];
  });
}

/** A source without a list: what it reports from its start on is all that it knows. */
export const reported = (start: Source['start']): Source => ({
  start,
  hasSynced: () => true,
  whenSynced: async () => undefined,
});

/**
 * A cluster: requests that its objects concern, when it has a problem and when that has ended. They are reconciled even if no
 * object changes, so that conditions show whether the cluster responds.
 */
export function availabilityOf(
  { name, required, onProblem }: Pick<Cluster, 'name' | 'required' | 'onProblem'>,
  keys: () => Iterable<string>,
): Source {
  const source = reported((enqueue) =>
    onProblem(() => {
      for (const key of keys()) enqueue(key, { priority: LOW_PRIORITY });
    }),
  );
  return { cluster: { name, required }, ...source };
}

/** A source for other code, like `source.Channel` of controller-runtime. */
export interface Channel extends Source {
  /** Adds a request; no effect before the controller starts and after it stops. */
  readonly send: Enqueue;
}

export function channel(): Channel {
  let target: Enqueue | undefined;
  const source = reported((enqueue) => {
    target = enqueue;
    return () => {
      target = undefined;
    };
  });
  return { send: (key, options) => target?.(key, options), ...source };
}

function cacheSource<T extends KubeObject>(
  cache: ObjectCache<T>,
  handle: (event: CacheEvent<T>, enqueue: Enqueue) => void,
): Source {
  return {
    ...(cache.cluster === undefined ? {} : { cluster: cache.cluster }),
    start: (enqueue) => cache.subscribe((event) => handle(event, enqueue)),
    hasSynced: () => cache.hasSynced(),
    whenSynced: (signal) => cache.whenSynced(signal),
    ...(cache.whenTried === undefined ? {} : { whenTried: cache.whenTried }),
    problem: () => cache.problem?.(),
  };
}

const isChange = (old: KubeObject, object: KubeObject) =>
  old.metadata.resourceVersion !== object.metadata.resourceVersion;

const groupOf = (apiVersion: string) => (apiVersion.includes('/') ? apiVersion.split('/')[0] : '');

/** Objects of a cache by the requests of a map function, like a field index of controller-runtime. */
export interface ObjectIndex<T extends KubeObject> {
  /** In the order of indexing; empty before `start`. */
  of(request: string): readonly T[];
  /** Follows the cache; the returned function stops that and clears the index. */
  start(): () => void;
}

export function createObjectIndex<T extends KubeObject>(
  cache: ObjectCache<T>,
  map: MapFunction<T>,
): ObjectIndex<T> {
  const objects = new Map<string, Map<string, T>>();
  /** By the key of the object, because the last version of a deleted object may map to other requests. */
  const requests = new Map<string, readonly string[]>();
  const remove = (key: string) => {
    for (const request of requests.get(key) ?? []) {
      const mapped = objects.get(request);
      mapped?.delete(key);
      if (mapped?.size === 0) objects.delete(request);
    }
    requests.delete(key);
  };
  const add = (key: string, object: T) => {
    const mappedTo = [...map(object)];
    if (mappedTo.length > 0) requests.set(key, mappedTo);
    for (const request of mappedTo) {
      const mapped = objects.get(request) ?? new Map<string, T>();
      objects.set(request, mapped.set(key, object));
    }
  };
  return {
    of: (request) => [...(objects.get(request)?.values() ?? [])],
    start: () => {
      const stop = cache.subscribe(({ type, object }) => {
        const key = keyString(keyOf(object));
        remove(key);
        if (type !== 'deleted') add(key, object);
      });
      return () => {
        stop();
        objects.clear();
        requests.clear();
      };
    },
  };
}

/** The source, with the indexes that its map function uses: they follow their caches first. */
export const indexed = <S extends Pick<Source, 'start'>>(
  indexes: readonly Pick<ObjectIndex<KubeObject>, 'start'>[],
  source: S,
): S => ({
  ...source,
  start: (enqueue) => {
    const stops = [...indexes.map((index) => index.start()), source.start(enqueue)];
    return () => {
      for (const stop of stops) stop();
    };
  },
});
