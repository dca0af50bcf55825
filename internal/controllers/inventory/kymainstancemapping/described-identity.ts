import type { MappingIdentity } from '../mapping/mapping-identity.ts';
import type { KymaInstanceMapping } from './resource.ts';
import { namedSources } from './source-refs.ts';
import type { Sources } from './sources.ts';

/** The mapping that the sources describe: undefined while they do not say of which instance, or on which cluster. */
export function describedIdentity(
  resource: KymaInstanceMapping,
  { instance, clusterID }: Sources,
): MappingIdentity | undefined {
  if (instance?.id === undefined || clusterID === undefined) return undefined;
  return {
    serviceInstanceID: instance.id,
    platform: 'kubernetes',
    primaryID: clusterID,
    secondaryID:
      resource.spec.forProvider.targetNamespace || namedSources(resource).serviceInstanceRef.namespace,
  };
}
