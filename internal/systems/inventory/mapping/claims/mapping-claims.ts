/**
 * Prevents conflicts between resources of one management cluster that describe the same mapping, or that each want to
 * be the default mapping of an environment. The oldest resource holds the claim; the others do not write.
 *
 * - A claim counts after HANA Cloud has shown the instance to the resource's own credentials (claim-record.ts).
 * - Nothing is deleted, replaced or adopted while an older claim may be missing: before all lists are complete, and
 *   before the recorded claims are confirmed after a start (`assertDecided`).
 * - A mapping is left to its new holder only once that has it on record (`isTakenOver`): otherwise nothing would delete
 *   it if the holder is edited or deleted before.
 *
 * Decision: docs/decisions/0005-the-older-resource-owns-the-mapping.md
 */

import type { Deps } from '../../../../framework/base/index.ts';
import type { Enqueue, Source } from '../../../../framework/controller/index.ts';
import { type ObjectCache, wasDeleted } from '../../../../framework/kube/index.ts';
import {
  type ClaimSubject,
  claimantOf,
  createClaimRegistry,
  type FollowedEvent,
  isOlder,
  type Managed,
  type ObjectClaimant,
  objectClaimant,
} from '../../../../framework/managed/index.ts';
import {
  isPermitted,
  type Owner,
  type OwnershipRule,
  recordedOwnership,
} from '../../../../framework/ownership/ownership.ts';
import { type MappingIdentity, sameEnvironment, sameIdentity } from '../mapping-identity.ts';
import type { MappingKind } from '../mapping-kind.ts';
import {
  claimsIncomplete,
  claimUnconfirmed,
  claimUnrecorded,
  defaultContested,
  deletingMapping,
  mappingContested,
  replacingMapping,
} from '../messages.ts';
import {
  type ClaimAnswer,
  type ClaimRecord,
  claimRecordOf,
  confirmationOf,
  contends,
  defaultSubject,
  hasOnRecord,
  identitiesOf,
  isRepeated,
  keeps,
  mappingSubject,
  storedConfirmation,
  subjectsOf,
  withAnswer,
} from './claim-record.ts';

/** The claims of the resources of one kind. `api` is the API of the resource's own credentials. */
export interface MappingClaims<R extends Managed> {
  /** Records HANA Cloud's answer to the resource's own credentials. */
  state(resource: R, answer: ClaimAnswer): void;
  /**
   * Whether another resource holds the mapping and has it on record, so that the mapping may be left to that resource.
   *
   * @param api default: the API of the resource's visibility record; without a record the result is false
   * @throws a `waiting` error while the holder has not recorded it, at most a minute from its claim
   */
  isTakenOver(resource: R, identity: MappingIdentity, api?: string): boolean;
  /**
   * @param against `older`: ignore younger holders, because the claim of this resource may not be recorded yet.
   *   `recorded`: ignore holders for which `isTakenOver` is false
   * @throws a `contested` error that names the other resource that holds the mapping
   */
  assertOwn(
    resource: R,
    identity: MappingIdentity,
    api: string,
    against?: 'older' | 'recorded' | 'any',
  ): void;
  /** @throws a `contested` error that names the older resource that holds the default of the environment */
  assertDefault(resource: R, identity: MappingIdentity, api: string): void;
  /**
   * @param doing the action, for messages: `delete the mapping "…"`
   * @throws a `waiting` error while an older claim to the mapping, or to the default of its environment, may be missing
   */
  assertDecided(resource: R, identity: MappingIdentity, api: string, doing: string): void;
  /**
   * A source that reads the claims of the resources and enqueues a resource when the claim of another affects it.
   *
   * @param listName for messages: `instancemappings.example.org`
   */
  source(cache: ObjectCache<R>, listName: string): Source;
}

/** A subject that no resource holds is free. The holder of a subject is its record: there is none elsewhere. */
const RULE: OwnershipRule = { unrecorded: ['adopt', 'update', 'delete'], abandoned: [] };

/** How long a holder is waited for that has not recorded the mapping, in ms. One or two writes take that long at worst. */
const RECORD_TIMEOUT_MS = 60_000;

/** The claims of all kinds together. */
export interface MappingClaimsIndex {
  of<R extends Managed>(kind: MappingKind<R>): MappingClaims<R>;
}

export function createMappingClaims({ clock }: Pick<Deps, 'clock'>): MappingClaimsIndex {
  const { claims, records, lists, unconfirmed, contested, undecided, source } =
    createClaimRegistry<ClaimRecord>({ clock });

  const put = (record: ClaimRecord) => {
    records.set(record.claimant.uid, record);
    claims.claim(record.claimant, subjectsOf(record));
  };
  const follow = <R extends Managed>(kind: MappingKind<R>, event: FollowedEvent<R>, enqueue: Enqueue) => {
    const claimant = objectClaimant(event.object, enqueue);
    const record = claimRecordOf(kind, event.object, claimant, records.get(claimant.uid));
    put(record);
    const isConfirmed = record.recorded.identities.every(
      ({ serviceInstanceID }) => confirmationOf(record, serviceInstanceID) !== undefined,
    );
    if (!record.contends || isConfirmed) unconfirmed.settle(claimant.uid);
    else unconfirmed.add(claimant.uid, event.type === 'added' && event.initial);
  };
  const rivalOf = (resource: Managed, subject: ClaimSubject): ObjectClaimant | undefined => {
    const holder = claims.holder(subject);
    if (holder === undefined || !contends(resource)) return undefined;
    const { name, uid } = resource.metadata;
    const own: Owner = { kind: resource.kind, name, uid };
    const recorded: Owner = { kind: '', name: holder.name, uid: holder.uid };
    return isPermitted(recordedOwnership(own, recorded), 'adopt', RULE) ? undefined : holder;
  };
  const recordOf = (resource: Managed) => records.get(claimantOf(resource).uid);
  /**
   * Who keeps the mapping, and has it on record: its holder, or else another resource if this one leaves it. Of an older holder that leaves
   * it as well nothing is expected: each deletes it. A holder that does not record it in time may never do so.
   */
  const successorOf = <R extends Managed>(
    kind: MappingKind<R>,
    resource: R,
    identity: MappingIdentity,
    api: string,
  ): ObjectClaimant | undefined => {
    const subject = mappingSubject(api, identity);
    const rival = rivalOf(resource, subject) ?? keeperBeside(resource, identity, subject);
    const record = rival && records.get(rival.uid);
    if (record === undefined || !keeps(record, identity)) return undefined;
    if (hasOnRecord(record, identity)) return record.claimant;
    const { answeredAt = Number.NEGATIVE_INFINITY } = record;
    if (clock.monotonic() - answeredAt >= RECORD_TIMEOUT_MS) return undefined;
    const name = kind.recordsOf(resource).names.format(identity);
    const doing = wasDeleted(resource) ? deletingMapping(name) : replacingMapping(name);
    throw undecided(claimUnrecorded(doing, record.claimant.name));
  };
  /** While the holder could not use its credentials, a younger resource may have taken the mapping over. */
  const keeperBeside = (
    resource: Managed,
    identity: MappingIdentity,
    subject: ClaimSubject,
  ): ObjectClaimant | undefined => {
    const own = recordOf(resource);
    if (own === undefined || !contends(resource)) return undefined;
    if (!wasDeleted(resource) && keeps(own, identity)) return undefined;
    return claims.claimants(subject).find(({ uid }) => {
      const record = uid === own.claimant.uid ? undefined : records.get(uid);
      return record?.answer?.isPresent === true && keeps(record, identity) && hasOnRecord(record, identity);
    });
  };
  /**
   * A resource that is older, has a recorded claim to the mapping or the default, and is not confirmed yet.
   *
   * @param wantsDefault of the version that is reconciled. It may be newer than the cache, and so than its record
   */
  const unconfirmedRivalOf = (
    resource: Managed,
    wantsDefault: boolean,
    identity: MappingIdentity,
    api: string,
  ) => {
    const mayContend = (record: ClaimRecord): boolean =>
      isOlder(record.claimant, resource) &&
      identitiesOf(record).some((each) => {
        const at = confirmationOf(record, each.serviceInstanceID)?.api;
        if (at !== undefined && at !== api) return false;
        const bothDefault = wantsDefault && record.wantsDefault;
        return sameIdentity(each, identity) || (bothDefault && sameEnvironment(each, identity));
      });
    for (const uid of unconfirmed.awaited()) {
      const record = records.get(uid);
      if (record !== undefined && mayContend(record)) return record.claimant;
    }
    return undefined;
  };

  return {
    of: (kind) => ({
      state: (resource, answer) => {
        const record = recordOf(resource);
        unconfirmed.begin();
        // No record: the resource was deleted.
        if (record !== undefined && !isRepeated(record, answer))
          put(withAnswer(record, answer, clock.monotonic()));
        unconfirmed.settle(claimantOf(resource).uid);
      },
      isTakenOver: (resource, identity, api) => {
        const at = api ?? ownApi(recordOf(resource), resource, identity);
        return at !== undefined && successorOf(kind, resource, identity, at) !== undefined;
      },
      assertOwn: (resource, identity, api, against = 'any') => {
        const subject = mappingSubject(api, identity);
        const rival =
          against === 'recorded' ? successorOf(kind, resource, identity, api) : rivalOf(resource, subject);
        if (rival === undefined || (against === 'older' && !isOlder(rival, resource))) return;
        const name = kind.recordsOf(resource).names.format(identity);
        throw contested(mappingContested(name, rival.name), subject);
      },
      assertDefault: (resource, identity, api) => {
        const subject = defaultSubject(api, identity);
        const rival = rivalOf(resource, subject);
        // An older resource replaces a younger holder once HANA Cloud has created its mapping.
        if (rival === undefined || !isOlder(rival, resource)) return;
        throw contested(defaultContested(identity.primaryID, rival.name), subject);
      },
      assertDecided: (resource, identity, api, doing) => {
        unconfirmed.begin();
        if (!contends(resource)) return;
        const list = lists.incomplete();
        if (list !== undefined) throw undecided(claimsIncomplete(doing, list));
        const rival = unconfirmedRivalOf(resource, kind.wantsDefault(resource), identity, api);
        if (rival !== undefined) throw undecided(claimUnconfirmed(doing, rival.name));
      },
      source: (cache, listName) => source(cache, listName, (event, enqueue) => follow(kind, event, enqueue)),
    }),
  };
}

/** The API at which the resource's credentials saw the instance. A forged record affects only its own resource. */
function ownApi(
  record: ClaimRecord | undefined,
  resource: Managed,
  { serviceInstanceID }: MappingIdentity,
): string | undefined {
  const confirmation = record === undefined ? undefined : confirmationOf(record, serviceInstanceID);
  if (confirmation !== undefined) return confirmation.api;
  const stored = storedConfirmation(resource);
  return stored?.serviceInstanceID === serviceInstanceID ? stored.api : undefined;
}
