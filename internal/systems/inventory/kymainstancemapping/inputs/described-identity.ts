import type { MappingIdentity } from '../../mapping/identity/mapping-identity.ts';
import type { KymaInstanceMapping } from '../resource.ts';
import { namedInputs } from './input-refs.ts';
import type { Inputs } from './inputs.ts';

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
