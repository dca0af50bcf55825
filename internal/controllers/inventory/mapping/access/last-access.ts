import { createLruCache, textBytes } from '../../../../base/collections/lru-cache.ts';
import { kindOf } from '../../../../base/errors/errors.ts';
import type { HanaCloud, HanaCloudClient, RememberedAccess } from '../../../../clients/hana-cloud/client.ts';
import type { KubeClient } from '../../../../kube/client/client.ts';
import { namespaceIsEnding } from '../../../../kube/client/namespace-ending.ts';
import type { KubeObject } from '../../../../kube/object/object.ts';

/**
 * The way back to HANA Cloud for a mapping whose namespace is deleted. Such a deletion takes everything away at the
 * same time, in no order: Secrets have nothing to keep them, so often the credentials are gone before the mapping was
 * looked at, and nobody can bring them back into that namespace. A token that they were granted is good for some more
 * time, and is in memory as all tokens are; with it the mapping can still be deleted. In any other deletion missing
 * credentials are waited for.
 */
export interface LastAccess {
  /** The resource's credentials lead to this client. */
  note(resource: KubeObject, hana: HanaCloudClient): void;
  /** A client without credentials, where `error` says that they are not there and the namespace is being deleted. */
  afterwards(resource: KubeObject, error: unknown, signal: AbortSignal): Promise<HanaCloudClient | undefined>;
}

export interface LastAccessOptions {
  /** Of the management cluster. */
  readonly client: KubeClient;
  readonly hanaCloud: Pick<HanaCloud, 'resume'>;
}

/** Of what is remembered: about 10,000 resources. */
const MAX_BYTES = 8 * 1024 * 1024;

export function createLastAccess({ client, hanaCloud }: LastAccessOptions): LastAccess {
  const known = createLruCache<string, RememberedAccess>({
    maxBytes: MAX_BYTES,
    bytesOf: ({ credentialsID, viewer, baseUrl }) => textBytes(credentialsID, viewer, baseUrl),
  });
  return {
    note: ({ metadata: { uid, namespace } }, { access }) => {
      if (uid === undefined || namespace === undefined) return;
      if (access === undefined) known.delete(uid);
      else known.set(uid, access);
    },
    afterwards: async ({ metadata: { uid = '', namespace } }, error, signal) => {
      const access = known.get(uid);
      if (access === undefined || namespace === undefined || kindOf(error) !== 'waiting') return undefined;
      return (await namespaceIsEnding(client, namespace, signal)) ? hanaCloud.resume(access) : undefined;
    },
  };
}
