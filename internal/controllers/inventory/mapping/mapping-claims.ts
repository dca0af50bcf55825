/**
 * Keeps resources of one management cluster from fighting over one mapping, or over which mapping is the default of
 * its place: of several that ask for the same, the oldest has it, and the others write nothing.
 *
 * What a resource asks for is known from its records in the caches, also right after a start. One that finds its
 * mapping out by itself states it in each pass besides. Who only observes asks for nothing.
 * Rule: hana-inventory §6, "Two resources for one mapping".
 */
import { type Clock, sleep } from '../../../base/clock.ts';
import { ProviderError } from '../../../base/errors.ts';
import type { CacheEvent, ObjectCache } from '../../../kube/cache.ts';
import { keyOf, keyString } from '../../../kube/object.ts';
import { resolvePolicies } from '../../../runtime/managed/policies.ts';
import type { Managed } from '../../../runtime/managed/resource.ts';
import type { Enqueue, Source } from '../../../runtime/source.ts';
import { type Claimant, type Claims, createClaims, type Subject } from './claims.ts';
import { kymaParentOf } from './kyma-parent.ts';
import type { MappingIdentity } from './mapping-identity.ts';
import type { MappingKind } from './mapping-kind.ts';
import { defaultContested, mappingContested } from './words.ts';

/** The claims of one kind's resources, against those of all kinds. */
export interface MappingClaims<R extends Managed> {
  /** The resource asks for this mapping, in place of the one that it stated before. */
  state(resource: R, identity: MappingIdentity): void;
  /** Whether the resource is already among those that ask for this mapping. */
  counts(resource: R, identity: MappingIdentity): boolean;
  /** Whether another resource has the mapping. */
  isAnothers(resource: R, identity: MappingIdentity): boolean;
  /** @throws a `contested` error that names the resource that has the mapping, if it is another one */
  assertOwn(resource: R, identity: MappingIdentity): void;
  /** @throws a `contested` error that names the resource that has the default of the place, if it is another one */
  assertDefault(resource: R, identity: MappingIdentity): void;
  /**
   * Follows the resources, and brings up those for which another one's claim changed something. It has synced when
   * the resources of all kinds are known, since an older one may be among them.
   */
  source(cache: ObjectCache<R>): Source;
}

/** The claims of all kinds together. */
export interface MappingClaimsIndex {
  of<R extends Managed>(kind: MappingKind<R>): MappingClaims<R>;
}

interface MappingClaimant extends Claimant {
  /** As messages name it: `KymaInstanceMapping shop`. */
  readonly name: string;
  readonly enqueue: () => void;
}

/** What one resource asks for. */
interface Wish {
  readonly claimant: MappingClaimant;
  readonly contends: boolean;
  readonly wantsDefault: boolean;
  readonly recorded: readonly MappingIdentity[];
  readonly stated?: MappingIdentity;
}

/** How long the resources of all kinds are waited for, in ms: a kind that is not installed has no list ever. */
const PATIENCE_MS = 5000;

export function createMappingClaims({ clock }: { readonly clock: Clock }): MappingClaimsIndex {
  const claims = createClaims<MappingClaimant>();
  claims.subscribe((claimant) => claimant.enqueue());
  const wishes = new Map<string, Wish>();
  /** Of the kinds that are worked on. */
  const caches = new Set<Pick<ObjectCache<Managed>, 'hasSynced' | 'whenSynced'>>();

  const put = (wish: Wish) => {
    wishes.set(wish.claimant.uid, wish);
    claims.claim(wish.claimant, subjectsOf(wish));
  };
  const drop = ({ metadata: { uid = '' } }: Managed) => {
    const wish = wishes.get(uid);
    wishes.delete(uid);
    if (wish !== undefined) claims.claim(wish.claimant, new Set());
  };
  const follow = <R extends Managed>(kind: MappingKind<R>, event: CacheEvent<R>, enqueue: Enqueue) => {
    if (event.type === 'deleted') return drop(event.object);
    // The name may be that of another resource by now.
    if (event.type === 'updated' && event.old.metadata.uid !== event.object.metadata.uid) drop(event.old);
    const wish = wishOf(kind, event.object, enqueue);
    const stated = wishes.get(wish.claimant.uid)?.stated;
    put(stated === undefined ? wish : { ...wish, stated });
  };
  return {
    of: (kind) => ({
      state: (resource, stated) => {
        // Whoever is gone by now asks for nothing.
        const wish = wishes.get(resource.metadata.uid ?? '');
        if (wish !== undefined) put({ ...wish, stated });
      },
      counts: (resource, identity) => {
        const wish = wishes.get(resource.metadata.uid ?? '');
        return wish !== undefined && subjectsOf(wish).has(mappingSubject(identity));
      },
      isAnothers: (resource, identity) => rivalOf(claims, resource, mappingSubject(identity)) !== undefined,
      assertOwn: (resource, identity) => {
        const rival = rivalOf(claims, resource, mappingSubject(identity));
        if (rival === undefined) return;
        const name = kind.recordsOf(resource).names.format(identity);
        throw new ProviderError('contested', mappingContested(name, rival.name));
      },
      assertDefault: (resource, identity) => {
        const rival = rivalOf(claims, resource, defaultSubject(identity));
        if (rival === undefined) return;
        throw new ProviderError('contested', defaultContested(identity.primaryID, rival.name));
      },
      source: (cache) => {
        caches.add(cache);
        let patient = true;
        return {
          start: (enqueue) => {
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
              caches.delete(cache);
            };
          },
          hasSynced: () => cache.hasSynced() && (!patient || [...caches].every((each) => each.hasSynced())),
          whenSynced: async (signal) => {
            const settled = new AbortController();
            const patience = sleep(clock, PATIENCE_MS, AbortSignal.any([signal, settled.signal]));
            const all = Promise.all([...caches].map((each) => each.whenSynced(signal)));
            await Promise.race([all, patience]).finally(() => settled.abort());
            patient = false;
          },
        };
      },
    }),
  };
}

function wishOf<R extends Managed>(kind: MappingKind<R>, resource: R, enqueue: Enqueue): Wish {
  const { uid = '', creationTimestamp: createdAt = '' } = resource.metadata;
  const key = keyString(keyOf(resource));
  return {
    claimant: { uid, createdAt, name: `${resource.kind} ${key}`, enqueue: () => enqueue(key) },
    contends: contends(resource),
    wantsDefault: kind.wantsDefault(resource),
    recorded: onRecord(kind, resource),
  };
}

/** What a restart remembers. Of a namespaced resource, whose author may write what they like, only what was seen. */
function onRecord<R extends Managed>(kind: MappingKind<R>, resource: R): MappingIdentity[] {
  const { names, known, createUnfinished, externalName } = kind.recordsOf(resource);
  const isTenants = resource.metadata.namespace !== undefined;
  // A create that was begun under this name may have made it.
  const begun = createUnfinished && externalName !== undefined ? names.parse(externalName) : undefined;
  const records = isTenants ? [kind.wasSeen(resource) ? known : undefined] : [known, begun];
  // A copy is as long as it must be; what a filter returns has room for many more, which is kept for each resource.
  return records.filter((identity) => identity !== undefined).slice();
}

/** A resource that may write nothing takes nothing from others, and others take nothing from it. */
function contends(resource: Managed): boolean {
  const policies = resolvePolicies(resource, { enabled: true });
  const writes = (['Create', 'Update', 'Delete'] as const).some((action) => policies.allows(action));
  return (writes || policies.paused) && kymaParentOf(resource) === undefined;
}

function subjectsOf({ contends, wantsDefault, recorded, stated }: Wish): Set<Subject> {
  if (!contends) return new Set();
  const identities = stated === undefined ? recorded : [...recorded, stated];
  return new Set([
    ...identities.map(mappingSubject),
    ...(wantsDefault ? identities.map(defaultSubject) : []),
  ]);
}

const mappingSubject = ({ serviceInstanceID, platform, primaryID, secondaryID }: MappingIdentity): Subject =>
  JSON.stringify(['mapping', serviceInstanceID, platform, primaryID, secondaryID ?? null]);

/** A place has one default mapping, of whichever instance. */
const defaultSubject = ({ platform, primaryID }: MappingIdentity): Subject =>
  JSON.stringify(['default', platform, primaryID]);

function rivalOf(
  claims: Claims<MappingClaimant>,
  resource: Managed,
  subject: Subject,
): MappingClaimant | undefined {
  const holder = claims.holder(subject);
  return holder?.uid === resource.metadata.uid || !contends(resource) ? undefined : holder;
}
