import { createLruCache, textBytes } from '../../../../framework/base/collections/lru-cache.ts';
import type { ObjectVersion } from '../../../../framework/kube/client/polled-reads.ts';
import { keyString, type ObjectKey } from '../../../../framework/kube/object/object.ts';
import type { KnownCredentials } from '../../hana-cloud/client.ts';
import type { InputCluster } from '../../input/read-input.ts';

/**
 * Which access a Secret of a certain version gave: endpoints and the keyed hash under which the token is stored, never a
 * credential. A poll whose Secret has that version reads its content for a new token only.
 */
export interface KnownSecrets {
  find(cluster: InputCluster, secret: ObjectKey, version: ObjectVersion): KnownCredentials | undefined;
  note(cluster: InputCluster, secret: ObjectKey, version: ObjectVersion, known: KnownCredentials): void;
}

/** About 10,000 Secrets. */
const MAX_BYTES = 8 * 1024 * 1024;

export function createKnownSecrets(): KnownSecrets {
  const secrets = createLruCache<string, { readonly version: string; readonly known: KnownCredentials }>({
    maxBytes: MAX_BYTES,
    bytesOf: ({ version, known: { credentialsID, viewer, baseUrl, tokenUrl } }) =>
      textBytes(version, credentialsID, viewer, baseUrl, tokenUrl),
  });
  /** A server of a tenant can report any version, of its own Secrets only. */
  const clusters = new WeakMap<object, number>();
  let count = 0;
  const idOf = ({ objectWatcher }: InputCluster, secret: ObjectKey): string => {
    const cluster = clusters.get(objectWatcher) ?? ++count;
    clusters.set(objectWatcher, cluster);
    return `${cluster} ${keyString(secret)}`;
  };
  const textOf = ({ uid, resourceVersion }: ObjectVersion) => `${uid}/${resourceVersion}`;
  return {
    find: (cluster, secret, version) => {
      const found = secrets.get(idOf(cluster, secret));
      return found?.version === textOf(version) ? found.known : undefined;
    },
    note: (cluster, secret, version, known) =>
      void secrets.set(idOf(cluster, secret), { version: textOf(version), known }),
  };
}
