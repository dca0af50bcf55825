/**
 * The claim of one resource. It counts only after HANA Cloud has shown the instance to the resource's own credentials:
 * spec, status and input objects may have been written by a tenant.
 * Decision: docs/decisions/0005-the-older-resource-owns-the-mapping.md
 */
import { wasDeleted } from '../../../../framework/kube/index.ts';
import {
  type ClaimSubject,
  type Managed,
  type ObjectClaimant,
  resolvePolicies,
} from '../../../../framework/managed/index.ts';
import { kymaParentOf, type MappingIdentity, sameIdentity } from '../mapping-identity.ts';
import type { MappingKind } from '../mapping-kind.ts';
import { recordedVisibility } from '../visibility-records.ts';

/** The OAuth 2.0 client and the API. Both fields are those of `HanaCloudClient`. */
export interface ClaimAccess {
  readonly api: string;
  readonly viewer: string;
}

export interface ClaimConfirmation extends ClaimAccess {
  readonly serviceInstanceID: string;
}

/** HANA Cloud's response to the resource's own credentials about the instance of a mapping. */
export interface ClaimAnswer {
  readonly identity: MappingIdentity;
  readonly access: ClaimAccess;
  /**
   * - `shown`    HANA Cloud listed the instance's mappings, or created one
   * - `unknown`  404, and the client has no visibility record of the instance
   * - `refused`  it refuses the credentials, in general or for this instance
   */
  readonly outcome: 'shown' | 'unknown' | 'refused';
  /** Whether the mapping exists. */
  readonly isPresent: boolean;
}

export interface ClaimRecord {
  readonly claimant: ObjectClaimant;
  readonly contends: boolean;
  readonly isDeleted: boolean;
  readonly wantsDefault: boolean;
  readonly recorded: StoredClaim;
  /** The last answer since the process started. */
  readonly answer?: ClaimAnswer;
  /** Monotonic time of the first answer about the identity of `answer`, in ms. */
  readonly answeredAt?: number;
  /** Since the process started, all with the access of `answer`. */
  readonly confirmations: readonly ClaimConfirmation[];
}

/** Read from the resource's spec, status and annotations. A new process knows nothing else. */
interface StoredClaim {
  readonly identities: readonly MappingIdentity[];
  /** The identity among them that existed when it was last observed. */
  readonly present?: MappingIdentity;
  /** Stored by an earlier process. Only for cluster-scoped resources: tenants can write namespaced ones. */
  readonly confirmation?: ClaimConfirmation;
}

export function claimRecordOf<R extends Managed>(
  kind: MappingKind<R>,
  resource: R,
  claimant: ObjectClaimant,
  before: ClaimRecord | undefined,
): ClaimRecord {
  return {
    claimant,
    contends: contends(resource),
    isDeleted: wasDeleted(resource),
    wantsDefault: kind.wantsDefault(resource),
    recorded: storedClaim(kind, resource),
    ...(before?.answer === undefined ? {} : { answer: before.answer }),
    ...(before?.answeredAt === undefined ? {} : { answeredAt: before.answeredAt }),
    confirmations: before?.confirmations ?? [],
  };
}

function storedClaim<R extends Managed>(kind: MappingKind<R>, resource: R): StoredClaim {
  const { names, known, createUnfinished, externalName } = kind.recordsOf(resource);
  const isTenants = resource.metadata.namespace !== undefined;
  const present = kind.wasPresent(resource) ? known : undefined;
  // An unfinished create under this name may have created the mapping.
  const begun = createUnfinished && externalName !== undefined ? names.parse(externalName) : undefined;
  const records = isTenants ? [present] : [known, begun];
  const confirmation = isTenants ? undefined : storedConfirmation(resource);
  return {
    // `slice` drops the spare capacity that V8 gives to the result of `filter`.
    identities: records.filter((identity) => identity !== undefined).slice(),
    ...(present === undefined ? {} : { present }),
    ...(confirmation === undefined ? {} : { confirmation }),
  };
}

/** The visibility record in the resource's annotation, if it names the API. Not to be trusted on a namespaced resource. */
export function storedConfirmation(resource: Managed): ClaimConfirmation | undefined {
  const record = recordedVisibility(resource);
  if (record?.api === undefined) return undefined;
  const { serviceInstanceID, viewer, api } = record;
  return { serviceInstanceID, viewer, api };
}

export function isRepeated({ answer: last }: ClaimRecord, answer: ClaimAnswer): boolean {
  return (
    last?.outcome === answer.outcome &&
    last.isPresent === answer.isPresent &&
    sameAccess(last.access, answer.access) &&
    sameIdentity(last.identity, answer.identity)
  );
}

/** A refusal, or an answer to other credentials, removes confirmations. A 404 neither adds nor removes any. */
export function withAnswer(record: ClaimRecord, answer: ClaimAnswer, now: number): ClaimRecord {
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
  const isFirst = record.answer === undefined || !sameIdentity(record.answer.identity, identity);
  return { ...record, answer, answeredAt: isFirst ? now : (record.answeredAt ?? now), confirmations };
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

/** The confirmed claims of the resource. */
export function subjectsOf(record: ClaimRecord): Set<ClaimSubject> {
  const subjects = new Set<ClaimSubject>();
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

/** Whether the resource has the mapping on record, so that a deletion of the resource deletes it, also after a restart. */
export const hasOnRecord = ({ recorded }: ClaimRecord, identity: MappingIdentity): boolean =>
  recorded.identities.some((each) => sameIdentity(each, identity));

/** Whether the resource, as far as is known, keeps the mapping: it is not deleted, and describes no other. */
export const keeps = ({ isDeleted, answer }: ClaimRecord, identity: MappingIdentity): boolean =>
  !isDeleted && (answer === undefined || sameIdentity(answer.identity, identity));

export function identitiesOf({ recorded: { identities }, answer }: ClaimRecord): readonly MappingIdentity[] {
  return answer === undefined ? identities : [...identities, answer.identity];
}

/**
 * Whether HANA Cloud has the mapping. Required for a claim to the default of an environment: an instance is shown to
 * its owner, which need not own the environment.
 */
function isPresentIn({ recorded: { present }, answer }: ClaimRecord, identity: MappingIdentity): boolean {
  if (answer !== undefined && sameIdentity(answer.identity, identity)) return answer.isPresent;
  return present !== undefined && sameIdentity(present, identity);
}

/** A resource whose policies allow no write neither claims nor loses a mapping. */
export function contends(resource: Managed): boolean {
  const policies = resolvePolicies(resource, { enabled: true });
  const writes = (['Create', 'Update', 'Delete'] as const).some((action) => policies.allows(action));
  return (writes || policies.paused) && kymaParentOf(resource) === undefined;
}

const sameAccess = (a: ClaimAccess, b: ClaimAccess): boolean => a.api === b.api && a.viewer === b.viewer;

export const mappingSubject = (
  api: string,
  { serviceInstanceID, platform, primaryID, secondaryID }: MappingIdentity,
): ClaimSubject =>
  JSON.stringify(['mapping', api, serviceInstanceID, platform, primaryID, secondaryID ?? null]);

/** An environment has one default mapping among all instances. */
export const defaultSubject = (api: string, { platform, primaryID }: MappingIdentity): ClaimSubject =>
  JSON.stringify(['default', api, platform, primaryID]);
