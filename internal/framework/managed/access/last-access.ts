import { createLruCache, textBytes } from '../../base/collections/lru-cache.ts';
import { kindOf } from '../../base/errors/errors.ts';
import type { SessionAccess } from '../../http/session/api-sessions.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { isNamespaceTerminating } from '../../kube/errors/errors.ts';
import type { ConfigMap, KubeObject } from '../../kube/object/object.ts';
import { configMaps } from '../../kube/object/resource-type.ts';

/**
 * Access to the external API for a resource in a namespace that is being deleted. Kubernetes deletes the objects of a
 * namespace in no defined order, so the Secret with the credentials may be gone before the resource is reconciled, and
 * it cannot be created again. The external resource is then deleted with the access that is still in memory. In any other
 * deletion the reconcile waits for the credentials.
 */
export interface LastAccess<A extends SessionAccess, C> {
  /** Remembers the access that was opened with the resource's credentials; `undefined`: none that can be resumed. */
  note(resource: KubeObject, access: A | undefined): void;
  /** What is left if a deletion failed with `error`. */
  afterwards(resource: KubeObject, error: unknown, signal: AbortSignal): Promise<AccessLeft<C>>;
}

export interface AccessLeft<C> {
  /** Whether `error` is `waiting` and the namespace of the resource is being deleted: nothing can be created in it. */
  readonly isTerminating: boolean;
  /** A client for the remembered access, in such a namespace. */
  readonly client?: C | undefined;
}

export interface LastAccessOptions<A extends SessionAccess, C> {
  /** Of the cluster of the resources. It needs the right to create ConfigMaps, for a dry run. */
  readonly client: KubeClient;
  /** As `ApiSessions.resume`. */
  readonly resume: (access: A) => C | undefined;
}

/** About 10,000 resources. */
const MAX_BYTES = 8 * 1024 * 1024;

export function createLastAccess<A extends SessionAccess, C>({
  client,
  resume,
}: LastAccessOptions<A, C>): LastAccess<A, C> {
  const known = createLruCache<string, A>({
    maxBytes: MAX_BYTES,
    bytesOf: (access) => textBytes(...Object.values(access).map(String)),
  });
  return {
    note: ({ metadata: { uid, namespace } }, access) => {
      if (uid === undefined || namespace === undefined) return;
      if (access === undefined) known.delete(uid);
      else known.set(uid, access);
    },
    afterwards: async ({ metadata: { uid = '', namespace } }, error, signal) => {
      if (namespace === undefined || kindOf(error) !== 'waiting') return { isTerminating: false };
      if (!(await probeNamespaceTerminating(client, namespace, signal))) return { isTerminating: false };
      const access = known.get(uid);
      return { isTerminating: true, client: access && resume(access) };
    },
  };
}

/**
 * Whether a namespace is terminating. It creates a ConfigMap in a dry run, which an API server refuses in such a namespace,
 * because providers usually have no permission to read namespaces.
 */
async function probeNamespaceTerminating(
  client: KubeClient,
  namespace: string,
  signal: AbortSignal,
): Promise<boolean> {
  const probe: ConfigMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'provider-kyma-probe', namespace },
  };
  try {
    await client.create(configMaps, probe, { dryRun: true, signal });
    return false;
  } catch (error) {
    return isNamespaceTerminating(error);
  }
}
