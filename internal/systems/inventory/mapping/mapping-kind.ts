/**
 * A kind whose external resource is an instance mapping: KymaInstanceMapping, which reads the IDs from input objects,
 * and InstanceMapping, whose spec has them. Both share:
 *
 * - mapping-client.ts: observes, creates, replaces and deletes the mapping
 * - identity/recorded-identity.ts: which mapping belongs to the resource, and which one a deletion deletes
 * - claims: which of several resources holds a mapping
 * - access: what HANA Cloud shows to which credentials
 * - ready.ts: the Ready condition after errors; messages.ts: the messages for users
 */
import type { Clock } from '../../../framework/base/index.ts';

import type { Managed } from '../../../framework/managed/index.ts';
import type { MappingIdentity } from './identity/mapping-identity.ts';
import type { Records } from './identity/recorded-identity.ts';

/** What differs between the kinds: the fields of spec and status. */
export interface MappingKind<R extends Managed> {
  recordsOf(resource: R): Records;
  wantsDefault(resource: R): boolean;
  /** Whether the known mapping existed when it was last observed, by the status. */
  wasPresent(resource: R): boolean;
  /** Records in the status that the mapping exists. */
  notePresent(resource: R, identity: MappingIdentity, clock: Clock): void;
  /** Records that the mapping does not exist. The identity stays in the status: a deletion needs it. */
  noteAbsent(resource: R, clock: Clock): void;
  /** Records, before the create request, that the mapping may exist and belongs to the resource. */
  noteRequested(resource: R, identity: MappingIdentity): void;
}
