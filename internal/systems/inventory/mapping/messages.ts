/** The messages for users about mappings, besides those of the framework. docs/errors.md explains them. */

import type { KubeObject } from '../../../framework/kube/index.ts';
import {
  contestedClaim,
  type IncompleteList,
  claimsIncomplete as incompleteClaims,
  claimUnconfirmed as unconfirmedClaim,
} from '../../../framework/managed/index.ts';

export const mappingMissing = 'HANA Cloud has no such instance mapping';

/** Appended if credentials are missing for a deletion, and their namespace, that of the resource, is being deleted. */
export const adviceOnNamespace =
  'the namespace is being deleted, so they cannot be created again: take Delete out of spec.managementPolicies, then delete the mapping, which stays, by an InstanceMapping outside of the namespace';

/** Appended if credentials are missing for a deletion. A namespaced resource has no deletionPolicy. */
export function adviceToOrphan({ metadata }: KubeObject): string {
  const orphan = metadata.namespace === undefined ? 'set spec.deletionPolicy to Orphan or ' : '';
  return `the mapping stays until they are back; to give it up instead, ${orphan}take Delete out of spec.managementPolicies`;
}

/** @param fields of `spec.forProvider` with a namespace other than `own`, the resource's */
export function foreignInputs(
  fields: readonly { readonly field: string; readonly namespace: string }[],
  own: string,
): string {
  const named = fields.map(({ field, namespace }) => `${field} names the namespace ${quote(namespace)}`);
  return `${named.join(', ')}: a resource of the namespace ${quote(own)} reads from that one alone, except on another cluster by kymaConnectionRef`;
}

export function importMismatch(externalName: string, described: string): string {
  return `the external name ${quote(externalName)} is not the mapping ${quote(described)} that this resource describes: correct the annotation crossplane.io/external-name, or what it refers to`;
}

export function recordsDisagree(externalName: string, status: string): string {
  return `the external name ${quote(externalName)} is not the mapping ${quote(status)} recorded in the status: correct the annotation crossplane.io/external-name`;
}

export function notAnExternalName(externalName: string, form: string): string {
  return `the external name ${quote(externalName)} is not of the form ${form}`;
}

export function isDefaultDiff(actual: boolean, desired: boolean): string {
  return `isDefault is ${actual}, should be ${desired}`;
}

export function identityDiff(recorded: string, described: string): string {
  return `the sources now describe the mapping ${quote(described)} instead of ${quote(recorded)}`;
}

export function conflictWithoutMapping(externalName: string): string {
  return `HANA Cloud answers that the mapping ${quote(externalName)} exists, but does not list it`;
}

/** @param rival the resource that holds it: `KymaInstanceMapping shop` */
export function mappingContested(externalName: string, rival: string): string {
  const remedy = 'delete one of the two, or let them describe different mappings';
  return contestedClaim(`the mapping ${quote(externalName)}`, rival, remedy);
}

export function defaultContested(primaryID: string, rival: string): string {
  const remedy = 'set spec.forProvider.isDefault to false on one of the two';
  return contestedClaim(`the default mapping of ${quote(primaryID)}`, rival, remedy);
}

/** @param doing `delete the mapping "…"` */
export const claimsIncomplete = (doing: string, list: IncompleteList): string =>
  incompleteClaims(doing, 'mapping', list);

/** @param rival an older resource with a recorded claim: `KymaInstanceMapping shop` */
export const claimUnconfirmed = (doing: string, rival: string): string =>
  unconfirmedClaim(doing, rival, 'HANA Cloud');

/** @param rival has claimed it, and not stored that */
export function claimUnrecorded(doing: string, rival: string): string {
  return `cannot ${doing}: ${rival} owns it now and has not recorded it yet; the resource continues when that is done, within a minute`;
}

export const deletingMapping = (externalName: string) => `delete the mapping ${quote(externalName)}`;
export const replacingMapping = (externalName: string) => `replace the mapping ${quote(externalName)}`;
export const adoptingMapping = (externalName: string) => `take over the mapping ${quote(externalName)}`;
export const makingDefault = (externalName: string) => `make ${quote(externalName)} the default mapping`;

/** @param parent the KymaInstanceMapping that owns the InstanceMapping */
export function childOfKyma(parent: string): string {
  return `KymaInstanceMapping ${parent} keeps the mapping itself: this InstanceMapping is left over from another provider and can be deleted, its mapping stays`;
}

/** HANA Cloud returns 404 for a deleted instance and for one that the client may not see. */
export function instanceNotVisible(externalName: string): string {
  return `restore credentials that see the instance of the mapping ${quote(externalName)}: HANA Cloud does not show it to the current ones, which never saw it, so it is not known whether it exists`;
}

/** Appended if the mapping of an older identity blocks the new one. */
export function adviceToAbandon(described: string): string {
  return `the mapping ${quote(described)} is not made before; to give the old one up instead, set the annotation crossplane.io/external-name to ${quote(described)}`;
}

const quote = (text: string) => JSON.stringify(text);
