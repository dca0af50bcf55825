import { createLruCache, textBytes } from '../../../../framework/base/collections/lru-cache.ts';
import { compoundKey } from '../../../../framework/base/index.ts';
import { keyString, type ObjectKey, type ObjectVersion } from '../../../../framework/kube/index.ts';

import type { KnownCredentials } from '../../hana-cloud/client.ts';
import type { InputCluster } from '../../input/read-input.ts';

/** What was derived from objects of one kind, each in a certain version. */
export interface KnownValues<V> {
  /** Whether something is known of any version of the object. */
  has(cluster: InputCluster, key: ObjectKey): boolean;
  find(cluster: InputCluster, key: ObjectKey, version: ObjectVersion): V | undefined;
  note(cluster: InputCluster, key: ObjectKey, version: ObjectVersion, value: V): void;
}

/**
 * What mappings need of their input objects, for polls: an object whose version is known is not read. Only texts of a bounded length
 * are kept, and no object.
 */
export interface KnownInputs {
  /** `status.instanceID` of ServiceInstances that are ready. */
  readonly instanceIDs: KnownValues<string>;
  /** The name of the Secret, of ServiceBindings that are ready. */
  readonly secretNames: KnownValues<string>;
  /** Of ConfigMaps. */
  readonly clusterIDs: KnownValues<string>;
  /** Which access a Secret gives: endpoints and the keyed hash under which the token is stored, never a credential. */
  readonly access: KnownValues<KnownCredentials>;
}

/** About 10,000 objects of each kind. */
const MAX_BYTES = { text: 3 * 1024 * 1024, access: 8 * 1024 * 1024 };

export function createKnownInputs(): KnownInputs {
  /** A server of a tenant can report any version, of its own objects only. */
  const clusters = new WeakMap<object, number>();
  let count = 0;
  const clusterID = ({ objectWatcher }: InputCluster): number => {
    const id = clusters.get(objectWatcher) ?? ++count;
    clusters.set(objectWatcher, id);
    return id;
  };
  const texts = () => createKnownValues<string>(clusterID, MAX_BYTES.text, (text) => [text]);
  return {
    instanceIDs: texts(),
    secretNames: texts(),
    clusterIDs: texts(),
    access: createKnownValues<KnownCredentials>(
      clusterID,
      MAX_BYTES.access,
      ({ credentialsID, viewer, baseUrl, tokenUrl }) => [credentialsID, viewer, baseUrl, tokenUrl],
    ),
  };
}

function createKnownValues<V>(
  clusterID: (cluster: InputCluster) => number,
  maxBytes: number,
  textsOf: (value: V) => readonly string[],
): KnownValues<V> {
  const known = createLruCache<string, { readonly version: string; readonly value: V }>({
    maxBytes,
    bytesOf: ({ version, value }) => textBytes(version, ...textsOf(value)),
  });
  const idOf = (cluster: InputCluster, key: ObjectKey) => `${clusterID(cluster)} ${keyString(key)}`;
  return {
    has: (cluster, key) => known.get(idOf(cluster, key)) !== undefined,
    find: (cluster, key, version) => {
      const found = known.get(idOf(cluster, key));
      return found?.version === textOf(version) ? found.value : undefined;
    },
    note: (cluster, key, version, value) =>
      void known.set(idOf(cluster, key), { version: textOf(version), value }),
  };
}

const textOf = ({ uid, resourceVersion }: ObjectVersion) => compoundKey(uid, resourceVersion);
