import type { InstanceMapping, Platform } from '../../../../clients/hana-cloud/client.ts';

/**
 * What a mapping is known by: one HANA Cloud instance, seen from one place. The external name records it, because
 * the objects it was read from may be gone when the mapping has to be deleted.
 */
export interface MappingIdentity {
  readonly serviceInstanceID: string;
  readonly platform: Platform;
  /** Of the cluster, organisation or subaccount. */
  readonly primaryID: string;
  /** The namespace or space; absent: the mapping holds for all of `primaryID`. */
  readonly secondaryID?: string;
}

/** How the resources of one kind write a mapping as their external name. */
export interface ExternalNames {
  /** The parts of a name, for messages: `serviceInstanceID/clusterID/namespace`. */
  readonly form: string;
  format(identity: MappingIdentity): string;
  /** Undefined for a text that has not this form. */
  parse(externalName: string): MappingIdentity | undefined;
}

export function sameIdentity(a: MappingIdentity, b: MappingIdentity): boolean {
  return a.serviceInstanceID === b.serviceInstanceID && isMappingOf(a, b);
}

/** Whether both are mappings of one place, which has one default mapping. */
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
