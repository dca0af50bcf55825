import type { ObjectCache } from '../../kube/cache/cache.ts';
import { type KubeObject, keyOf, keyString } from '../../kube/object/object.ts';
import type { KeyStore } from '../key-store.ts';
import type { Source } from './source.ts';

/** Objects that have left the cache, perhaps for another shard and back. */
export interface Departures {
  /** Records them. Adds no requests. */
  readonly source: Source;
  /** Whether the object has left the cache since the last call. */
  hasLeft(key: string): boolean;
}

export function createDepartures(cache: ObjectCache<KubeObject>, keys: KeyStore): Departures {
  const left = keys.values<true>('departures');
  return {
    source: {
      start: () =>
        cache.subscribe(({ type, object }) => {
          if (type === 'deleted') left.set(keyString(keyOf(object)), true);
        }),
      hasSynced: () => true,
      whenSynced: async () => undefined,
    },
    hasLeft: (key) => left.delete(key),
  };
}
