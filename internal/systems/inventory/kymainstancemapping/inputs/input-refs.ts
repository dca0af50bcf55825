/**
 * References to the input objects of a KymaInstanceMapping. A cluster-scoped resource may refer to any namespace. A
 * namespaced resource may be written by a tenant who cannot read other namespaces, while the provider can. Its
 * kubeconfig Secret must therefore be in its own namespace, and so must its input objects on the management cluster. On
 * a remote cluster the kubeconfig decides what can be read.
 * Decision: docs/decisions/0008-a-namespaced-resource-reads-its-own-namespace.md
 */

import { ProviderError } from '../../../../framework/base/index.ts';
import type { ClusterRef, KubeObject } from '../../../../framework/kube/index.ts';
import { secretKeyOf } from '../../input/read-input.ts';
import type { MappingIdentity } from '../../mapping/mapping-identity.ts';
import { foreignInputs } from '../../mapping/messages.ts';
import type { KymaInstanceMapping } from '../resource.ts';
import type { InputRefs, Inputs, Ref } from './inputs.ts';

/** The kubeconfig Secret; undefined: the input objects are on the management cluster. */
export function clusterRefOf(resource: KymaInstanceMapping): ClusterRef | undefined {
  const ref = resource.spec.forProvider.kymaConnectionRef;
  if (ref === undefined) return undefined;
  return { secret: secretKeyOf(resource, ref.secretRef), kubeconfigKey: ref.kubeconfigKey ?? 'kubeconfig' };
}

/** The references of the spec. Default of their namespaces: that of the resource. */
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
 * The references, checked.
 *
 * @throws a terminal error if a namespaced resource refers to another namespace of the management cluster
 */
export function readableInputs(resource: KymaInstanceMapping): InputRefs {
  const inputs = namedInputs(resource);
  const { namespace: own }: KubeObject['metadata'] = resource.metadata;
  if (own === undefined || clusterRefOf(resource) !== undefined) return inputs;
  const foreign = Object.entries(inputs).filter(([, ref]: [string, Ref]) => ref.namespace !== own);
  if (foreign.length === 0) return inputs;
  const fields = foreign.map(([field, ref]: [string, Ref]) => ({ field, namespace: ref.namespace }));
  throw new ProviderError('terminal', foreignInputs(fields, own));
}

/** The mapping that the input objects describe; undefined while instance ID or cluster ID is missing. */
export function describedIdentity(
  resource: KymaInstanceMapping,
  { instance, clusterID }: Inputs,
): MappingIdentity | undefined {
  if (instance?.id === undefined || clusterID === undefined) return undefined;
  return {
    serviceInstanceID: instance.id,
    platform: 'kubernetes',
    primaryID: clusterID,
    secondaryID:
      resource.spec.forProvider.targetNamespace || namedInputs(resource).serviceInstanceRef.namespace,
  };
}
