import type { KymaCluster } from '../../../../apis/reconciler.kyma-project.io/v1alpha1/kymacluster.gen.ts';
import { ownMember, ProviderError, WaitingError, type WatchedObject } from '../../../framework/base/index.ts';
import {
  type Cluster,
  decodedData,
  isNotFound,
  type KubeClient,
  keyString,
  type ObjectKey,
  type Secret,
  secrets,
} from '../../../framework/kube/index.ts';
import {
  longKubeconfigText,
  missingKubeconfigKeyText,
  missingKubeconfigText,
  needsKubeconfigText,
} from './messages.ts';

/** The kubeconfig of a KymaCluster. */
export interface FoundKubeconfig {
  readonly text: string;
  /** Its Secret. */
  readonly target: WatchedObject;
}

/** Registrations have the kubeconfig in a body of at most 100,000 bytes. */
const MAX_KUBECONFIG = 90_000;

/** The Secret that a KymaCluster names: that of a namespaced one is always in its own namespace. */
export function kubeconfigSecretOf({ metadata, spec }: KymaCluster): ObjectKey | undefined {
  const { kubeconfigSecretRef: ref } = spec.forProvider;
  return ref && { name: ref.name, namespace: metadata.namespace ?? ref.namespace ?? '' };
}

/**
 * Undefined if the resource names no Secret.
 *
 * @throws WaitingError while the kubeconfig is missing
 */
export async function readKubeconfig(
  { client, cluster }: { readonly client: KubeClient; readonly cluster: Pick<Cluster, 'objectWatcher'> },
  resource: KymaCluster,
  signal: AbortSignal,
): Promise<FoundKubeconfig | undefined> {
  const key = kubeconfigSecretOf(resource);
  if (key === undefined) {
    if (resource.metadata.namespace === undefined) return undefined;
    // The mothership would use the kubeconfig of any runtime that is named.
    throw new ProviderError('terminal', needsKubeconfigText);
  }
  const secret = await client.get<Secret>(secrets, key, { signal }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  const target = cluster.objectWatcher.target(secrets, key, secret?.metadata.resourceVersion ?? 'absent');
  const field = resource.spec.forProvider.kubeconfigSecretRef?.key ?? 'config';
  const text = secret === undefined ? undefined : ownMember(decodedData(secret), field);
  if (text === undefined || text === '') {
    const name = keyString(key);
    const what = secret === undefined ? missingKubeconfigText(name) : missingKubeconfigKeyText(name, field);
    throw new WaitingError(what, { targets: [target] });
  }
  if (text.length <= MAX_KUBECONFIG) return { text, target };
  throw new ProviderError('terminal', longKubeconfigText(keyString(key), field), {
    targets: [target],
  });
}
