import { createLruCache, textBytes } from '../../../../framework/base/collections/lru-cache.ts';
import { kindOf } from '../../../../framework/base/errors/errors.ts';
import type { KubeClient } from '../../../../framework/kube/client/client.ts';
import { probeNamespaceTerminating } from '../../../../framework/kube/client/namespace-terminating.ts';
import type { KubeObject } from '../../../../framework/kube/object/object.ts';
import type { HanaCloud, HanaCloudClient, RememberedAccess } from '../../hana-cloud/client.ts';

/**
 * Access to HANA Cloud for a mapping in a namespace that is being deleted. Kubernetes deletes the objects of a
 * namespace in no defined order, so the Secret with the credentials may be gone before the mapping is reconciled, and
 * it cannot be created again. The mapping is then deleted with an access token that is still in memory. In any other
 * deletion the reconcile waits for the credentials.
 */
export interface LastAccess {
  /** Remembers the access of a client that was opened with the resource's credentials. */
  note(resource: KubeObject, hana: HanaCloudClient): void;
  /** What is left if a deletion failed with `error`. */
  afterwards(resource: KubeObject, error: unknown, signal: AbortSignal): Promise<AccessLeft>;
}

export interface AccessLeft {
  /** Whether `error` is `waiting` and the namespace of the resource is being deleted: nothing can be created in it. */
  readonly isTerminating: boolean;
  /** A client for the remembered token, in such a namespace. */
  readonly hana?: HanaCloudClient | undefined;
}

export interface LastAccessOptions {
  /** Of the management cluster. */
  readonly client: KubeClient;
  readonly hanaCloud: Pick<HanaCloud, 'resume'>;
}

/** About 10,000 resources. */
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
      if (namespace === undefined || kindOf(error) !== 'waiting') return { isTerminating: false };
      if (!(await probeNamespaceTerminating(client, namespace, signal))) return { isTerminating: false };
      const access = known.get(uid);
      return { isTerminating: true, hana: access && hanaCloud.resume(access) };
    },
  };
}
