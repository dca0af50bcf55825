/**
 * Two resources with one external resource: the oldest one holds it, the others report `Synced=False` with the reason `Conflict` and write
 * nothing, also when they are deleted. crossplane-runtime lets both write: they overwrite each other at each poll, and the deletion
 * of one deletes the external resource of the other.
 *
 * An external name alone claims nothing, since its author chooses it: a claim counts while the external API shows the external resource to the
 * credentials of the resource. A resource that is paused, or only observes, has no claim, so that several may read one.
 */
import type { Deps } from '../../base/deps.ts';
import { kindOf } from '../../base/errors/errors.ts';
import type { Source } from '../../controller/sources/source.ts';
import type { ObjectCache } from '../../kube/cache/cache.ts';
import { wasDeleted } from '../../kube/object/object.ts';
import { groupResource, type ResourceType } from '../../kube/object/resource-type.ts';
import type { ExternalClient } from '../kind/external-client.ts';
import { resolvePolicies } from '../kind/policies.ts';
import { setConditions, unavailable } from '../resource/conditions.ts';
import type { Managed } from '../resource/managed.ts';
import { externalNameFrom, isPaused } from '../resource/meta.ts';
import {
  type Claiming,
  claimantOf,
  createClaimRegistry,
  type FollowedEvent,
  isOlder,
  type ObjectClaimant,
  objectClaimant,
} from './claim-registry.ts';
import type { Subject } from './claims.ts';
import { claimsIncomplete, claimUnconfirmed, contestedClaim } from './messages.ts';

export interface ClaimedKind {
  /** One of the types of the kind. */
  readonly type: ResourceType;
  /** What the external resource is, for messages: `folder`. The types of a kind have the same. */
  readonly noun: string;
  /** Name of the external API, for messages. */
  readonly apiName: string;
}

export interface KindClaims<R extends Managed> {
  /**
   * The client, which asks before each write whose the external resource is.
   *
   * @param scope in which external names are unique, e.g. the address of the API and the account. Different credentials are different
   * accounts, unless the kind knows better
   */
  client(inner: ExternalClient<R>, scope: readonly string[]): ExternalClient<R>;
  /** Reads the resources of the type, for `ManagedKind.sources`. Without it nothing is claimed. */
  source(cache: ObjectCache<R>): Source;
}

/** The claims of all kinds of a program. */
export interface ExternalClaims {
  of<R extends Managed>(kind: ClaimedKind): KindClaims<R>;
}

/** A resource in a cache. */
interface ClaimRecord extends Claiming {
  readonly noun: string;
  readonly contends: boolean;
  readonly externalName: string | undefined;
  /** Since the process started, the external API has answered its credentials. */
  readonly isAnswered: boolean;
}

export function createExternalClaims({ clock }: Pick<Deps, 'clock'>): ExternalClaims {
  const { claims, records, lists, unconfirmed, contested, undecided, source } =
    createClaimRegistry<ClaimRecord>({ clock });
  /** Records the answer of the external API, with the external resource that it shows. */
  const answered = (resource: Managed, ...subjects: Subject[]) => {
    const { uid } = claimantOf(resource);
    const record = records.get(uid);
    // It was deleted, or its kind claims nothing.
    if (record === undefined) return;
    if (!record.isAnswered) records.set(uid, { ...record, isAnswered: true });
    claims.claim(record.claimant, new Set(contends(resource) ? subjects : []));
    unconfirmed.settle(uid);
  };
  const rivalOf = (resource: Managed, subject: Subject): ObjectClaimant | undefined => {
    const holder = contends(resource) && isRecorded(resource) ? claims.holder(subject) : undefined;
    return holder?.uid === claimantOf(resource).uid ? undefined : holder;
  };
  const isRecorded = (resource: Managed) => records.has(claimantOf(resource).uid);

  return {
    of: ({ type, noun, apiName }) => {
      const listName = groupResource(type);
      const follow = (event: FollowedEvent<Managed>, enqueue: Parameters<Source['start']>[0]) => {
        const { object } = event;
        const claimant = objectClaimant(object, enqueue);
        const { uid } = claimant;
        const record: ClaimRecord = {
          claimant,
          noun,
          contends: contends(object),
          externalName: externalNameFrom(object),
          isAnswered: records.get(uid)?.isAnswered ?? false,
        };
        records.set(uid, record);
        if (!record.contends) claims.claim(claimant, new Set());
        if (!record.contends || record.isAnswered || record.externalName === undefined)
          unconfirmed.settle(uid);
        else unconfirmed.add(uid, event.type === 'added' && event.initial);
      };
      /** @throws a `waiting` error while an older claim may be missing */
      const assertDecided = (resource: Managed, externalName: string, doing: string) => {
        if (!contends(resource) || !isRecorded(resource)) return;
        const list = lists.incomplete();
        if (list !== undefined) throw undecided(claimsIncomplete(doing, noun, list));
        for (const uid of unconfirmed.awaited()) {
          const rival = records.get(uid);
          if (rival?.noun !== noun || rival.externalName !== externalName) continue;
          if (isOlder(rival.claimant, resource))
            throw undecided(claimUnconfirmed(doing, rival.claimant.name, apiName));
        }
      };
      return {
        source: (cache) => source(cache, listName, follow),
        client: (inner, scope) => {
          const subjectOf = (name: string): Subject => JSON.stringify([noun, ...scope, name]);
          const named = (name: string) => `the ${noun} ${JSON.stringify(name)}`;
          const contestedBy = (holder: string, name: string) =>
            contested(
              contestedClaim(
                named(name),
                holder,
                `delete one of the two, or give them different external names; the ${noun} stays`,
              ),
              subjectOf(name),
            );
          /** Before a write to what Observe has shown. */
          const assertMine = (resource: Managed, doing: string) => {
            const name = externalNameFrom(resource);
            if (name === undefined) return;
            const rival = rivalOf(resource, subjectOf(name));
            if (rival !== undefined) throw contestedBy(rival.name, name);
            assertDecided(resource, name, `${doing} ${named(name)}`);
          };
          return {
            ...inner,
            observe: async (resource, ctx) => {
              unconfirmed.begin();
              const observation = await inner.observe(resource, ctx).catch((error: unknown) => {
                if (kindOf(error) === 'auth') answered(resource);
                throw error;
              });
              if (observation.state === 'pending') return observation;
              const name =
                observation.state === 'present'
                  ? (observation.externalName ?? externalNameFrom(resource))
                  : undefined;
              if (name === undefined) {
                answered(resource);
                return observation;
              }
              answered(resource, subjectOf(name));
              const rival = rivalOf(resource, subjectOf(name));
              if (rival === undefined) return observation;
              // It stays with its holder.
              if (wasDeleted(resource)) return { state: 'absent' };
              const error = contestedBy(rival.name, name);
              setConditions(resource, ctx.clock, unavailable(error.message));
              throw error;
            },
            update: (resource, ctx) => {
              assertMine(resource, 'update');
              return inner.update(resource, ctx);
            },
            delete: (resource, ctx) => {
              assertMine(resource, 'delete');
              return inner.delete(resource, ctx);
            },
          };
        },
      };
    },
  };
}

/** A resource whose policies allow no write, or that is paused, neither claims nor loses an external resource. */
function contends(resource: Managed): boolean {
  const policies = resolvePolicies(resource, { enabled: true });
  return (
    !isPaused(resource) &&
    !policies.paused &&
    (['Create', 'Update', 'Delete'] as const).some((action) => policies.allows(action))
  );
}
