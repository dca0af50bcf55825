import type { HanaCloudClient, InstanceMapping, MappingList } from '../../../clients/hana-cloud/client.ts';
import type { KubeObject } from '../../../kube/object/object.ts';
import type { VisibilityRecords } from './access/visibility-records.ts';
import { isMappingOf, type MappingIdentity } from './identity/mapping-identity.ts';

/** What a look for one mapping came to. */
export type Lookup =
  | { readonly state: 'present'; readonly mapping: InstanceMapping }
  | { readonly state: 'absent' }
  /** HANA Cloud knows no such instance, to a viewer that never saw it: the mapping may be there or not. */
  | { readonly state: 'unknown' };

export interface LookupOptions {
  readonly visibility: VisibilityRecords;
  readonly resource: KubeObject;
  readonly signal: AbortSignal;
  /** A mapping of which a list of a moment ago may tell. Default: none. */
  readonly isEnough?: (mapping: InstanceMapping) => boolean;
}

/** Looks for the mapping, and takes an answer that it is not there for no more than it is worth. */
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

/** The mapping with this identity, if HANA Cloud shows one. */
export async function findMapping(
  hana: HanaCloudClient,
  identity: MappingIdentity,
  signal: AbortSignal,
): Promise<InstanceMapping | undefined> {
  const { mappings } = await hana.listMappings(identity.serviceInstanceID, { signal });
  return mappings.find((mapping) => isMappingOf(identity, mapping));
}
