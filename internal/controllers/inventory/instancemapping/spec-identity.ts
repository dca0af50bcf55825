import type { MappingIdentity } from '../mapping/identity/mapping-identity.ts';
import type { InstanceMapping } from './resource.ts';

/** The mapping that the spec names. None of its parts can change. */
export function specIdentity({ spec }: InstanceMapping): MappingIdentity {
  const { serviceInstanceID, platform, primaryID, secondaryID } = spec.forProvider;
  return { serviceInstanceID, platform, primaryID, ...(secondaryID ? { secondaryID } : {}) };
}
