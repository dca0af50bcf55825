/**
 * Where the sources of a KymaInstanceMapping lie. An admin who writes a cluster-scoped one may name any namespace. A
 * namespaced one is written by whoever may write into its namespace, and the provider reads on their behalf with rights
 * that they do not have: so its kubeconfig Secret lies beside it, and on the management cluster its sources do as
 * well. On a remote cluster the kubeconfig decides what may be read.
 * Decision: docs/decisions/0008-a-namespaced-resource-reads-its-own-namespace.md
 */
import { ProviderError } from '../../../../base/errors/errors.ts';
import type { ClusterRef } from '../../../../kube/clusters/cluster-pool.ts';
import type { KubeObject } from '../../../../kube/object/object.ts';
import { secretKeyOf } from '../../input/secret-key.ts';
import { foreignInputs } from '../../mapping/messages.ts';
import type { KymaInstanceMapping } from '../resource.ts';
import type { InputRefs, Ref } from './inputs.ts';

/** Where the kubeconfig lies; undefined: the sources are on the provider's own cluster. */
export function clusterRefOf(resource: KymaInstanceMapping): ClusterRef | undefined {
  const ref = resource.spec.forProvider.kymaConnectionRef;
  if (ref === undefined) return undefined;
  return { secret: secretKeyOf(resource, ref.secretRef), kubeconfigKey: ref.kubeconfigKey ?? 'kubeconfig' };
}

/** The sources as the spec names them, in the namespace of the resource where it names none. */
export function namedInputs(resource: KymaInstanceMapping): InputRefs {
  const { serviceInstanceRef, adminBindingRef, clusterIdConfigMapRef } = resource.spec.forProvider;
  const { namespace: own = '' }: KubeObject['metadata'] = resource.metadata;
  const placed = ({ name, namespace = own }: { name: string; namespace?: string }): Ref => ({
    name,
    namespace,
  });
  return {
    serviceInstanceRef: placed(serviceInstanceRef),
    adminBindingRef: placed(adminBindingRef),
    ...(clusterIdConfigMapRef === undefined ? {} : { clusterIdConfigMapRef: placed(clusterIdConfigMapRef) }),
  };
}

/**
 * The sources, to be read.
 *
 * @throws a terminal error where a namespaced resource names another namespace of the provider's own cluster
 */
export function readableInputs(resource: KymaInstanceMapping): InputRefs {
  const sources = namedInputs(resource);
  const { namespace: own }: KubeObject['metadata'] = resource.metadata;
  if (own === undefined || clusterRefOf(resource) !== undefined) return sources;
  const foreign = Object.entries(sources).filter(([, ref]: [string, Ref]) => ref.namespace !== own);
  if (foreign.length === 0) return sources;
  const fields = foreign.map(([field, ref]: [string, Ref]) => ({ field, namespace: ref.namespace }));
  throw new ProviderError('terminal', foreignInputs(fields, own));
}
