import type { KymaInstanceMapping } from '../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import type { MappingIdentity } from '../mapping/mapping-identity.ts';
import type { Sources } from './sources.ts';

/** The mapping that the sources describe: undefined while they do not say of which instance, or on which cluster. */
export function describedIdentity(
  { spec }: KymaInstanceMapping,
  { instance, clusterID }: Sources,
): MappingIdentity | undefined {
  if (instance?.id === undefined || clusterID === undefined) return undefined;
  const { targetNamespace, serviceInstanceRef } = spec.forProvider;
  return {
    serviceInstanceID: instance.id,
    platform: 'kubernetes',
    primaryID: clusterID,
    secondaryID: targetNamespace || serviceInstanceRef.namespace,
  };
}
