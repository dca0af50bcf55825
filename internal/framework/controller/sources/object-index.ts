import type { ObjectCache } from '../../kube/cache/cache.ts';
import { type KubeObject, keyOf, keyString } from '../../kube/object/object.ts';
import type { MapFunction, Source } from './source.ts';

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
