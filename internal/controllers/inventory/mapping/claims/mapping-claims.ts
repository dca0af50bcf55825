/**
 * Keeps resources of one management cluster from fighting over one mapping, or over which mapping is the default of its
 * place: of several that claim the same at one API, the oldest holds it, and the others write nothing.
 *
 * - A claim counts once HANA Cloud has shown the instance to the resource's own credentials: claim-record.ts.
 * - While an older claim may be missing, because a list is not complete or because it is on record and not proven yet
 *   after a start, nothing is deleted, replaced or taken over: `assertDecided`.
 *
 * Rule: hana-inventory §6, "Two resources for one mapping".
 */
import type { Deps } from '../../../../base/deps.ts';
import { ProviderError, WaitingError, type WaitTarget } from '../../../../base/errors/errors.ts';
import type { CacheEvent, ObjectCache } from '../../../../kube/cache/cache.ts';
import { keyOf, keyString } from '../../../../kube/object/object.ts';
import type { Enqueue, Managed, Source } from '../../../../runtime/index.ts';
import { type MappingIdentity, sameEnvironment, sameIdentity } from '../identity/mapping-identity.ts';
import type { MappingKind } from '../mapping-kind.ts';
import { claimsIncomplete, claimUnconfirmed, defaultContested, mappingContested } from '../messages.ts';
import { createClaimLists } from './claim-lists.ts';
import {
  type ClaimAnswer,
  type ClaimRecord,
  claimRecordOf,
  confirmationOf,
  contends,
  defaultSubject,
  identitiesOf,
  isRepeated,
  type MappingClaimant,
  mappingSubject,
  storedConfirmation,
  subjectsOf,
  withAnswer,
} from './claim-record.ts';
import { createClaims, precedes, type Subject } from './claims.ts';
import { createUnconfirmedClaims } from './unconfirmed-claims.ts';

/** The claims of one kind's resources, against those of all kinds. `api` is that of the resource's own credentials. */
export interface MappingClaims<R extends Managed> {
  /** HANA Cloud answered the resource's own credentials. */
  state(resource: R, answer: ClaimAnswer): void;
  /** @param api default: where the resource itself saw the instance; without such a record no other has the mapping */
  isAnothers(resource: R, identity: MappingIdentity, api?: string): boolean;
  /**
   * @param against `older`: what a younger resource holds does not matter, since this one's claim may not be stated yet
   * @throws a `contested` error that names the resource that holds the mapping, if it is another one
   */
  assertOwn(resource: R, identity: MappingIdentity, api: string, against?: 'older' | 'any'): void;
  /** @throws a `contested` error that names the resource that holds the default of the place, if it is an older one */
  assertDefault(resource: R, identity: MappingIdentity, api: string): void;
  /**
   * @param doing what must not be done before all claims are known: `delete the mapping "…"`
   * @throws a `waiting` error while an older claim to the mapping, or to the default of its place, may be missing
   */
  assertDecided(resource: R, identity: MappingIdentity, api: string, doing: string): void;
  /**
   * Follows the resources, and enqueues those for which another one's claim changed something.
   *
   * @param listName names the cache's list in messages: `instancemappings.example.org`
   */
  source(cache: ObjectCache<R>, listName: string): Source;
}

/** The claims of all kinds together. */
export interface MappingClaimsIndex {
  of<R extends Managed>(kind: MappingKind<R>): MappingClaims<R>;
}

export function createMappingClaims({ clock }: Pick<Deps, 'clock'>): MappingClaimsIndex {
  const claims = createClaims<MappingClaimant>();
  claims.subscribe((claimant) => claimant.enqueue());
  const records = new Map<string, ClaimRecord>();
  const lists = createClaimLists({ clock });
  const unconfirmed = createUnconfirmedClaims({ clock });

  const put = (record: ClaimRecord) => {
    records.set(record.claimant.uid, record);
    claims.claim(record.claimant, subjectsOf(record));
  };
  const drop = ({ metadata: { uid = '' } }: Managed) => {
    const record = records.get(uid);
    records.delete(uid);
    unconfirmed.settle(uid);
    if (record !== undefined) claims.claim(record.claimant, new Set());
  };
  const follow = <R extends Managed>(kind: MappingKind<R>, event: CacheEvent<R>, enqueue: Enqueue) => {
    if (event.type === 'deleted') return drop(event.object);
    // The name may be that of another resource by now.
    if (event.type === 'updated' && event.old.metadata.uid !== event.object.metadata.uid) drop(event.old);
    const claimant = claimantOf(event.object, enqueue);
    const record = claimRecordOf(kind, event.object, claimant, records.get(claimant.uid));
    put(record);
    const isConfirmed = record.recorded.identities.every(
      ({ serviceInstanceID }) => confirmationOf(record, serviceInstanceID) !== undefined,
    );
    if (!record.contends || isConfirmed) unconfirmed.settle(claimant.uid);
    else if (event.type === 'added') unconfirmed.add(claimant.uid, event.initial);
  };
  const rivalOf = (resource: Managed, subject: Subject): MappingClaimant | undefined => {
    const holder = claims.holder(subject);
    return holder?.uid === resource.metadata.uid || !contends(resource) ? undefined : holder;
  };
  const isOlder = (rival: MappingClaimant, { metadata }: Managed): boolean =>
    precedes(rival, { uid: metadata.uid ?? '', createdAt: metadata.creationTimestamp ?? '' });
  /** Tells whoever lost when the subject has another holder, whether the loser's own claim counts or not. */
  const contested = (message: string, subject: Subject): ProviderError => {
    const watch = (onChange: () => void) => claims.watch(subject, onChange);
    return new ProviderError('contested', message, { targets: [{ description: 'another claim', watch }] });
  };
  const decision: WaitTarget = {
    description: 'all claims to mappings',
    watch: (onChange) => {
      const ends = [lists.subscribe(onChange), unconfirmed.subscribe(onChange)];
      return () => {
        for (const end of ends) end();
      };
    },
  };
  /** The oldest that is on record with the mapping, or with the default of its place, and that may yet prove it. */
  const unconfirmedRivalOf = (resource: Managed, identity: MappingIdentity, api: string) => {
    const wantsDefault = records.get(resource.metadata.uid ?? '')?.wantsDefault ?? false;
    const mayContend = (record: ClaimRecord): boolean =>
      record.claimant.uid !== resource.metadata.uid &&
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
        const uid = resource.metadata.uid ?? '';
        const record = records.get(uid);
        unconfirmed.begin();
        // A resource that is gone by now claims nothing.
        if (record !== undefined && !isRepeated(record, answer)) put(withAnswer(record, answer));
        unconfirmed.settle(uid);
      },
      isAnothers: (resource, identity, api) => {
        const at = api ?? ownApi(records.get(resource.metadata.uid ?? ''), resource, identity);
        return at !== undefined && rivalOf(resource, mappingSubject(at, identity)) !== undefined;
      },
      assertOwn: (resource, identity, api, against = 'any') => {
        const subject = mappingSubject(api, identity);
        const rival = rivalOf(resource, subject);
        if (rival === undefined || (against === 'older' && !isOlder(rival, resource))) return;
        const name = kind.recordsOf(resource).names.format(identity);
        throw contested(mappingContested(name, rival.name), subject);
      },
      assertDefault: (resource, identity, api) => {
        const subject = defaultSubject(api, identity);
        const rival = rivalOf(resource, subject);
        // The older one takes it from a younger one as soon as HANA Cloud makes its mapping.
        if (rival === undefined || !isOlder(rival, resource)) return;
        throw contested(defaultContested(identity.primaryID, rival.name), subject);
      },
      assertDecided: (resource, identity, api, doing) => {
        unconfirmed.begin();
        if (!contends(resource)) return;
        const list = lists.incomplete();
        const rival = list === undefined ? unconfirmedRivalOf(resource, identity, api) : undefined;
        if (list === undefined && rival === undefined) return;
        const message =
          list === undefined ? claimUnconfirmed(doing, rival?.name ?? '') : claimsIncomplete(doing, list);
        throw new WaitingError(message, { targets: [decision], retry: true });
      },
      source: (cache, listName) => {
        let isLate = false;
        return {
          start: (enqueue) => {
            // Not before: a kind that is built and never begins would be waited for, for ever.
            const remove = lists.add(cache, listName);
            let live = true;
            const whileLive: Enqueue = (key, options) => {
              if (live) enqueue(key, options);
            };
            cache.subscribe((event) => {
              // A kind that is gone takes the claims of its resources along, after its controller has ended.
              if (live || event.type === 'deleted') follow(kind, event, whileLive);
            });
            return () => {
              live = false;
              remove();
            };
          },
          hasSynced: () => cache.hasSynced() && (isLate || lists.incomplete() === undefined),
          whenSynced: async (signal) => {
            await lists.whenCompleteOrLate(signal);
            isLate = true;
          },
        };
      },
    }),
  };
}

function claimantOf(resource: Managed, enqueue: Enqueue): MappingClaimant {
  const { uid = '', creationTimestamp: createdAt = '' } = resource.metadata;
  const key = keyString(keyOf(resource));
  return { uid, createdAt, name: `${resource.kind} ${key}`, enqueue: () => enqueue(key) };
}

/** Where the resource itself saw the instance. A record that its author forged loses nothing but the author's own. */
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
