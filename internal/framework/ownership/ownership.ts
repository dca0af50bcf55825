/**
 * Who owns what exists outside of an object: a resource of another system, or another object of the API server. A system states where
 * its record of the owner is (an annotation, a label, an owner reference, a claim) and what it may do without one; this module decides.
 *
 * - An owner is compared by its uid if both sides have one, otherwise by kind, namespace and name.
 * - Nothing of another owner is adopted, changed or deleted. When the own object is deleted, such a resource stays.
 * - That an owner is gone needs proof: its uid is recorded, and no object has that uid any more.
 *
 * That a resource is gone needs proof too (`isProvedAbsent`), before a finalizer is removed or another one is created in its place. Proof is
 * an answer of its own API about this very resource in the form of its contract, or a second request that agrees, such as a list
 * without it. A 404 of a gateway, of another resource or for other credentials is no proof.
 */

import { ProviderError } from '../base/errors/errors.ts';

/** The owner of a resource: an object, or the identity of credentials. */
export interface Owner {
  /** `Runtime`, `GardenerCluster`, `OAuth client`. */
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
  /** Undefined: the record has none. */
  readonly uid?: string | undefined;
}

/**
 * - `own`         the record names this owner
 * - `unrecorded`  there is no record
 * - `other`       the record names another owner, which exists or may exist
 * - `abandoned`   the record names another owner by its uid, and that is gone
 */
export type Ownership =
  | { readonly state: 'own' | 'unrecorded' }
  | { readonly state: 'other' | 'abandoned'; readonly owner: Owner };

/** `adopt`: begin to manage what exists already. */
export type OwnedAction = 'adopt' | 'update' | 'delete';

/** What a system may do with a resource that has no recorded owner, or whose owner is gone. Resources of the owner itself are always permitted, those of others never. */
export interface OwnershipRule {
  readonly unrecorded: readonly OwnedAction[];
  readonly abandoned: readonly OwnedAction[];
}

interface OwnershipQuery {
  readonly own: Owner;
  /** Undefined: there is no record. */
  readonly recorded: Owner | undefined;
  /** Whether no object has the uid of the recorded owner any more. Called for another owner with a uid only. Default: it exists. */
  readonly isGone?: (owner: Owner & { readonly uid: string }) => Promise<boolean> | boolean;
}

export async function ownershipOf({ own, recorded, isGone }: OwnershipQuery): Promise<Ownership> {
  const ownership = recordedOwnership(own, recorded);
  if (ownership.state !== 'other' || isGone === undefined) return ownership;
  const { owner } = ownership;
  const { uid } = owner;
  return uid !== undefined && (await isGone({ ...owner, uid })) ? { state: 'abandoned', owner } : ownership;
}

/** As `ownershipOf`, for records whose owner cannot be looked for: another owner is never gone. */
export function recordedOwnership(own: Owner, recorded: Owner | undefined): Ownership {
  if (recorded === undefined) return { state: 'unrecorded' };
  return isSameOwner(own, recorded) ? { state: 'own' } : { state: 'other', owner: recorded };
}

/** Objects that follow each other under one name have different uids. */
export function isSameOwner(a: Owner, b: Owner): boolean {
  if (a.uid !== undefined && b.uid !== undefined) return a.uid === b.uid;
  return a.kind === b.kind && a.name === b.name && (a.namespace ?? '') === (b.namespace ?? '');
}

export function isPermitted(ownership: Ownership, action: OwnedAction, rule: OwnershipRule): boolean {
  switch (ownership.state) {
    case 'own':
      return true;
    case 'other':
      return false;
    default:
      return rule[ownership.state].includes(action);
  }
}

interface OwnedResource {
  /** For messages: `Shoot garden-kyma/one`. */
  readonly resource: string;
  readonly own: Owner;
  /** What users can do, after the cause: `choose another spec.shoot.name`. */
  readonly remedy: string;
}

/** The resource belongs to another owner, or to an unknown one: it is neither changed nor deleted. */
class OwnershipError extends ProviderError {
  readonly ownership: Ownership;

  constructor(ownership: Ownership, message: string) {
    super('contested', message);
    this.ownership = ownership;
  }
}

/** @throws OwnershipError, which names both owners, unless the action is permitted */
export function assertPermitted(
  ownership: Ownership,
  action: OwnedAction,
  rule: OwnershipRule,
  named: OwnedResource,
): void {
  if (isPermitted(ownership, action, rule)) return;
  throw new OwnershipError(ownership, ownershipText(ownership, action, named));
}

/** `cannot adopt Shoot garden-kyma/one: it belongs to Runtime kcp-system/a, not to Runtime kcp-system/b: choose another spec.shoot.name`. */
export function ownershipText(
  ownership: Ownership,
  action: OwnedAction,
  { resource, own, remedy }: OwnedResource,
): string {
  return `cannot ${action} ${resource}: ${causeOf(ownership, ownerText(own))}: ${remedy}`;
}

/** The owner as the value of an annotation, `kcp-system/a/<uid>`. */
export const ownerRecord = ({ namespace = '', name, uid = '' }: Owner): string =>
  `${namespace}/${name}/${uid}`;

/** The owner of `ownerRecord`. A value of another form is an owner that matches no object. */
export function readOwnerRecord(kind: string, record: string): Owner {
  const [namespace = '', name = '', uid = '', ...more] = record.split('/');
  return name === '' || uid === '' || more.length > 0
    ? { kind, name: record }
    : { kind, namespace, name, uid };
}

/** A record that also names the object which has it, so that a copy of the object has none. @param place its key, without spaces */
export const placedRecord = (owner: Owner, place: string): string => `${ownerRecord(owner)} ${place}`;

/** The owner of `placedRecord`. On another object, or in another form, it is an owner that matches none. */
export function readPlacedRecord(kind: string, record: string, place: string): Owner {
  const [owner = '', at, ...more] = record.split(' ');
  return at === place && more.length === 0 ? readOwnerRecord(kind, owner) : { kind, name: record };
}

/** `Runtime kcp-system/a`. */
export const ownerText = ({ kind, namespace = '', name }: Owner): string =>
  `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;

function causeOf(ownership: Ownership, own: string): string {
  switch (ownership.state) {
    case 'other':
      return `it belongs to ${ownerText(ownership.owner)}, not to ${own}`;
    case 'abandoned':
      return `it belonged to ${ownerText(ownership.owner)}, which is deleted, not to ${own}`;
    default:
      return `it belongs to others, since no owner is recorded on it, not to ${own}`;
  }
}

/**
 * What one response says about a resource:
 *
 * - `present`  it exists
 * - `absent`   it does not exist: an error about this resource in the form of the API's contract, or a list without it
 * - `unclear`  a 404 or 410 in another form
 */
export type Existence =
  | { readonly state: 'present' | 'absent' }
  /** `response` is for messages: `HTTP status 404 without the error code of Service Manager` */
  | { readonly state: 'unclear'; readonly response: string };

/** Nothing proves that the resource is gone. The deletion waits and is retried with growing delays. */
export class UnprovenAbsenceError extends ProviderError {
  constructor(resource: string, responses: readonly string[], options?: ErrorOptions) {
    super('transient', `cannot tell whether ${resource} is deleted: ${responses.join('; ')}`, options);
  }
}

/**
 * Whether the resource is proved to be gone.
 *
 * @param resource for messages: `ServiceBinding 4f1c of Service Manager`
 * @param secondLook another request, sent if the first response is unclear. Default: there is none
 * @param unproven the error if no response is clear. Default: UnprovenAbsenceError
 */
export async function isProvedAbsent(
  resource: string,
  first: Existence,
  secondLook?: () => Promise<Existence>,
  unproven = (responses: readonly string[]): ProviderError => new UnprovenAbsenceError(resource, responses),
): Promise<boolean> {
  if (first.state !== 'unclear') return first.state === 'absent';
  const second = await secondLook?.();
  if (second !== undefined && second.state !== 'unclear') return second.state === 'absent';
  throw unproven(second === undefined ? [first.response] : [first.response, second.response]);
}
