import type { InstanceMapping, Platform } from '../../hana-cloud/client.ts';

/**
 * The identity of a mapping: one HANA Cloud instance and one environment. The external name records it, because the
 * input objects may be gone when the mapping has to be deleted.
 */
export interface MappingIdentity {
  readonly serviceInstanceID: string;
  readonly platform: Platform;
  /** The ID of the cluster, organization or subaccount. */
  readonly primaryID: string;
  /** The namespace or space; absent: the mapping applies to all of `primaryID`. */
  readonly secondaryID?: string;
}

/** The format of external names of one kind. */
export interface ExternalNames {
  /** The parts of a name, for messages: `serviceInstanceID/clusterID/namespace`. */
  readonly form: string;
  format(identity: MappingIdentity): string;
  /** Undefined if the text does not have this form. */
  parse(externalName: string): MappingIdentity | undefined;
}

export function sameIdentity(a: MappingIdentity, b: MappingIdentity): boolean {
  return a.serviceInstanceID === b.serviceInstanceID && isMappingOf(a, b);
}

/** Whether both mappings are of one environment. An environment has one default mapping. */
export function sameEnvironment(a: MappingIdentity, b: MappingIdentity): boolean {
  return a.platform === b.platform && a.primaryID === b.primaryID;
}

/** Whether an entry of the instance's list is this mapping. */
export function isMappingOf(
  { platform, primaryID, secondaryID }: MappingIdentity,
  listed: Pick<InstanceMapping, 'platform' | 'primaryID' | 'secondaryID'>,
): boolean {
  return platform === listed.platform && primaryID === listed.primaryID && secondaryID === listed.secondaryID;
}
