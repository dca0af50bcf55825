import type { MappingIdentity } from '../mapping/identity/mapping-identity.ts';
import type { InstanceMapping } from './resource.ts';

/** The mapping of the spec. Its fields are immutable. */
export function specIdentity({ spec }: InstanceMapping): MappingIdentity {
  const { serviceInstanceID, platform, primaryID, secondaryID } = spec.forProvider;
  return { serviceInstanceID, platform, primaryID, ...(secondaryID ? { secondaryID } : {}) };
}
