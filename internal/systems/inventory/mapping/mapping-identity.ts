import { kymaInstanceMappings } from '../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { ProviderError } from '../../../framework/base/index.ts';
import type { KubeObject, OwnerReference } from '../../../framework/kube/index.ts';
import type { InstanceMapping, Platform } from '../hana-cloud/client.ts';
import { importMismatch, notAnExternalName, recordsDisagree } from './messages.ts';

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

/** What a resource records of its mapping. */
export interface Records {
  readonly names: ExternalNames;
  readonly metadataName: string;
  /** The value of the annotation; empty counts as absent. */
  readonly externalName?: string | undefined;
  /** From the status: what was observed or requested last. */
  readonly known?: MappingIdentity | undefined;
  /** A create was begun, and its mapping is not in the status: the external name may be that of the mapping that it created. */
  readonly createUnfinished: boolean;
}

/** The recorded identity compared with the described one. */
export type IdentityDecision =
  /** Nothing is recorded: the described mapping is created, or adopted if it exists. */
  | { readonly kind: 'unset' }
  | { readonly kind: 'settled' }
  /** Another mapping is described now; the recorded one belongs to the resource and must be deleted. */
  | { readonly kind: 'changed'; readonly recorded: MappingIdentity };

/**
 * Compares the recorded identity with the described one. An external name equal to `metadata.name`, which the Go
 * provider leaves, counts as none.
 *
 * @throws a terminal error if an imported external name is not the described mapping
 */
export function decideIdentity(records: Records, described: MappingIdentity): IdentityDecision {
  const { names, known } = records;
  const externalName = externalNameIn(records);
  if (externalName === undefined) {
    return known === undefined || sameIdentity(known, described)
      ? { kind: 'unset' }
      : { kind: 'changed', recorded: known };
  }
  if (externalName === names.format(described)) return { kind: 'settled' };
  const recorded = parse(externalName, names);
  if (sameIdentity(recorded, described)) return { kind: 'settled' };
  const isOurs = records.createUnfinished || (known !== undefined && sameIdentity(recorded, known));
  if (isOurs) return { kind: 'changed', recorded };
  throw new ProviderError('terminal', importMismatch(externalName, names.format(described)));
}

/**
 * The mapping that a deletion deletes, from the records alone; undefined if there is none.
 *
 * @throws a terminal error if external name and status are different mappings
 */
export function identityToDelete(records: Records): MappingIdentity | undefined {
  const { names, known, createUnfinished } = records;
  const externalName = externalNameIn(records);
  if (externalName === undefined) return known;
  if (known !== undefined && externalName === names.format(known)) return known;
  const recorded = parse(externalName, names);
  if (known !== undefined && !createUnfinished && !sameIdentity(known, recorded)) {
    throw new ProviderError('terminal', recordsDisagree(externalName, names.format(known)));
  }
  return recorded;
}

function parse(externalName: string, names: ExternalNames): MappingIdentity {
  const identity = names.parse(externalName);
  if (identity === undefined) {
    throw new ProviderError('terminal', notAnExternalName(externalName, names.form));
  }
  return identity;
}

function externalNameIn({ externalName, metadataName }: Records): string | undefined {
  return externalName === '' || externalName === metadataName ? undefined : externalName;
}

/**
 * The KymaInstanceMapping that owns the object, if any. SAP's Go provider created an InstanceMapping for each
 * KymaInstanceMapping. This provider does not, and does not reconcile such a child.
 */
export function kymaParentOf({ metadata }: KubeObject): OwnerReference | undefined {
  const { group, kind } = kymaInstanceMappings;
  return metadata.ownerReferences?.find(
    (owner) => owner.kind === kind && owner.apiVersion.startsWith(`${group}/`),
  );
}
