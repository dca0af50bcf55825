/**
 * What one resource claims, and what makes the claim count: HANA Cloud has shown the instance to the resource's own
 * credentials. What a resource, its sources or its status say is never enough, since others may have written it.
 * Decision: docs/decisions/0005-the-older-resource-owns-the-mapping.md
 */
import { type Managed, resolvePolicies } from '../../../../runtime/index.ts';
import { recordedVisibility } from '../access/visibility-records.ts';
import { kymaParentOf } from '../identity/kyma-parent.ts';
import { type MappingIdentity, sameIdentity } from '../identity/mapping-identity.ts';
import type { MappingKind } from '../mapping-kind.ts';
import type { Claimant, Subject } from './claims.ts';

export interface MappingClaimant extends Claimant {
  /** As messages name it: `KymaInstanceMapping shop`. */
  readonly name: string;
  readonly enqueue: () => void;
}

/** Which OAuth2 client at which API; both as `HanaCloudClient` names them. */
export interface ClaimAccess {
  readonly api: string;
  readonly viewer: string;
}

export interface ClaimConfirmation extends ClaimAccess {
  readonly serviceInstanceID: string;
}

/** What HANA Cloud answered the resource's own credentials about the instance of a mapping. */
export interface ClaimAnswer {
  readonly identity: MappingIdentity;
  readonly access: ClaimAccess;
  /**
   * - `shown`    it listed the instance's mappings, or made one
   * - `unknown`  404 to a client that it never showed the instance to
   * - `refused`  the credentials are not accepted, or not for this instance
   */
  readonly outcome: 'shown' | 'unknown' | 'refused';
  /** Whether the mapping itself is there. */
  readonly isPresent: boolean;
}

export interface ClaimRecord {
  readonly claimant: MappingClaimant;
  readonly contends: boolean;
  readonly wantsDefault: boolean;
  readonly recorded: StoredClaim;
  /** The last answer of this process's time. */
  readonly answer?: ClaimAnswer;
  /** Of this process's time, all by the access of `answer`. */
  readonly confirmations: readonly ClaimConfirmation[];
}

/** What the resource's spec, status and annotations say: all that a new process knows. */
interface StoredClaim {
  readonly identities: readonly MappingIdentity[];
  /** The one among them that was there when it was last looked for. */
  readonly present?: MappingIdentity;
  /** Stored by an earlier process; only of a cluster-scoped resource, since tenants can write those of a namespace. */
  readonly confirmation?: ClaimConfirmation;
}

export function claimRecordOf<R extends Managed>(
  kind: MappingKind<R>,
  resource: R,
  claimant: MappingClaimant,
  before: ClaimRecord | undefined,
): ClaimRecord {
  return {
    claimant,
    contends: contends(resource),
    wantsDefault: kind.wantsDefault(resource),
    recorded: storedClaim(kind, resource),
    ...(before?.answer === undefined ? {} : { answer: before.answer }),
    confirmations: before?.confirmations ?? [],
  };
}

function storedClaim<R extends Managed>(kind: MappingKind<R>, resource: R): StoredClaim {
  const { names, known, createUnfinished, externalName } = kind.recordsOf(resource);
  const isTenants = resource.metadata.namespace !== undefined;
  const present = kind.wasPresent(resource) ? known : undefined;
  // A create that was begun under this name may have made it.
  const begun = createUnfinished && externalName !== undefined ? names.parse(externalName) : undefined;
  const records = isTenants ? [present] : [known, begun];
  const confirmation = isTenants ? undefined : storedConfirmation(resource);
  return {
    // A copy is as long as it must be; what a filter returns has room for many more, which is kept for each resource.
    identities: records.filter((identity) => identity !== undefined).slice(),
    ...(present === undefined ? {} : { present }),
    ...(confirmation === undefined ? {} : { confirmation }),
  };
}

/** Where the resource's own record says that the instance was seen, whoever may have written it. */
export function storedConfirmation(resource: Managed): ClaimConfirmation | undefined {
  const { serviceInstanceID, viewer, api } = recordedVisibility(resource) ?? {};
  if (serviceInstanceID === undefined || viewer === undefined || api === undefined) return undefined;
  return { serviceInstanceID, viewer, api };
}

/** Whether the answer says what the last one said. */
export function isRepeated({ answer: last }: ClaimRecord, answer: ClaimAnswer): boolean {
  return (
    last?.outcome === answer.outcome &&
    last.isPresent === answer.isPresent &&
    sameAccess(last.access, answer.access) &&
    sameIdentity(last.identity, answer.identity)
  );
}

/** Other credentials end what earlier ones proved, and a refusal what these did; a 404 proves and ends nothing. */
export function withAnswer(record: ClaimRecord, answer: ClaimAnswer): ClaimRecord {
  const { identity, access, outcome } = answer;
  const { serviceInstanceID } = identity;
  const kept = record.confirmations.filter(
    (confirmation) =>
      sameAccess(confirmation, access) &&
      (confirmation.serviceInstanceID === serviceInstanceID
        ? outcome === 'unknown'
        : record.recorded.identities.some(
            (each) => each.serviceInstanceID === confirmation.serviceInstanceID,
          )),
  );
  const confirmations = outcome === 'shown' ? kept.concat({ serviceInstanceID, ...access }) : kept;
  return { ...record, answer, confirmations };
}

export function confirmationOf(
  { recorded: { confirmation }, answer, confirmations }: ClaimRecord,
  serviceInstanceID: string,
): ClaimConfirmation | undefined {
  const own = confirmations.find((each) => each.serviceInstanceID === serviceInstanceID);
  if (own !== undefined) return own;
  if (confirmation?.serviceInstanceID !== serviceInstanceID) return undefined;
  if (answer === undefined) return confirmation;
  const isRefused = answer.outcome === 'refused' && answer.identity.serviceInstanceID === serviceInstanceID;
  return !isRefused && sameAccess(confirmation, answer.access) ? confirmation : undefined;
}

/** What the resource claims, as far as it counts. */
export function subjectsOf(record: ClaimRecord): Set<Subject> {
  const subjects = new Set<Subject>();
  if (!record.contends) return subjects;
  for (const identity of identitiesOf(record)) {
    const confirmation = confirmationOf(record, identity.serviceInstanceID);
    if (confirmation === undefined) continue;
    subjects.add(mappingSubject(confirmation.api, identity));
    if (record.wantsDefault && isPresentIn(record, identity))
      subjects.add(defaultSubject(confirmation.api, identity));
  }
  return subjects;
}

export function identitiesOf({ recorded: { identities }, answer }: ClaimRecord): readonly MappingIdentity[] {
  return answer === undefined ? identities : [...identities, answer.identity];
}

/**
 * Whether HANA Cloud has made the mapping. That a resource wants the default of a place proves nothing: any instance can
 * be shown to its owner, whoever the place belongs to.
 */
function isPresentIn({ recorded: { present }, answer }: ClaimRecord, identity: MappingIdentity): boolean {
  if (answer !== undefined && sameIdentity(answer.identity, identity)) return answer.isPresent;
  return present !== undefined && sameIdentity(present, identity);
}

/** A resource that may write nothing takes nothing from others, and others take nothing from it. */
export function contends(resource: Managed): boolean {
  const policies = resolvePolicies(resource, { enabled: true });
  const writes = (['Create', 'Update', 'Delete'] as const).some((action) => policies.allows(action));
  return (writes || policies.paused) && kymaParentOf(resource) === undefined;
}

const sameAccess = (a: ClaimAccess, b: ClaimAccess): boolean => a.api === b.api && a.viewer === b.viewer;

export const mappingSubject = (
  api: string,
  { serviceInstanceID, platform, primaryID, secondaryID }: MappingIdentity,
): Subject => JSON.stringify(['mapping', api, serviceInstanceID, platform, primaryID, secondaryID ?? null]);

/** A place has one default mapping, of whichever instance. */
export const defaultSubject = (api: string, { platform, primaryID }: MappingIdentity): Subject =>
  JSON.stringify(['default', api, platform, primaryID]);
