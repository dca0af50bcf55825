import type { KubeObject } from '../../../framework/kube/index.ts';

import type { HanaCloudClient, InstanceMapping, MappingList } from '../hana-cloud/client.ts';
import type { VisibilityRecords } from './access/visibility-records.ts';
import { isMappingOf, type MappingIdentity } from './identity/mapping-identity.ts';

/** The result of a lookup. */
export type Lookup =
  | { readonly state: 'present'; readonly mapping: InstanceMapping }
  | { readonly state: 'absent' }
  /** 404 to a client without a visibility record of the instance: the mapping may exist. */
  | { readonly state: 'unknown' };

export interface LookupOptions {
  readonly visibility: VisibilityRecords;
  readonly resource: KubeObject;
  readonly signal: AbortSignal;
  /** Whether a mapping from a recent list suffices. Default: never. */
  readonly isEnough?: (mapping: InstanceMapping) => boolean;
}

/** Finds the mapping. `absent` only if a visibility record shows that the client can see the instance. */
export async function lookUp(
  hana: HanaCloudClient,
  identity: MappingIdentity,
  { visibility, resource, signal, isEnough = () => false }: LookupOptions,
): Promise<Lookup> {
  const { serviceInstanceID } = identity;
  const find = ({ mappings }: MappingList) => mappings.find((each) => isMappingOf(identity, each));
  const list = await hana.listMappings(serviceInstanceID, {
    signal,
    isEnough: (list) => {
      const mapping = find(list);
      return mapping !== undefined && isEnough(mapping);
    },
  });
  if (list.state === 'listed') visibility.note(hana, serviceInstanceID);
  const mapping = find(list);
  if (mapping !== undefined) return { state: 'present', mapping };
  return { state: visibility.has(resource, hana, serviceInstanceID) ? 'absent' : 'unknown' };
}

export async function findMapping(
  hana: HanaCloudClient,
  identity: MappingIdentity,
  signal: AbortSignal,
): Promise<InstanceMapping | undefined> {
  const { mappings } = await hana.listMappings(identity.serviceInstanceID, { signal });
  return mappings.find((mapping) => isMappingOf(identity, mapping));
}
