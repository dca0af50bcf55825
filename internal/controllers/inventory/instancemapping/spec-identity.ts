import type { InstanceMapping } from '../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/instancemapping.gen.ts';
import type { MappingIdentity } from '../mapping/mapping-identity.ts';

/** The mapping that the spec names. None of its parts can change. */
export function specIdentity({ spec }: InstanceMapping): MappingIdentity {
  const { serviceInstanceID, platform, primaryID, secondaryID } = spec.forProvider;
  return { serviceInstanceID, platform, primaryID, ...(secondaryID ? { secondaryID } : {}) };
}
