/**
 * What several kinds need whose resources may name the same external resource: who holds it, and what is not known yet after a start.
 *
 * - The oldest resource whose claim counts holds the external resource; the others write nothing.
 * - A claim counts once the external API has shown the external resource to the resource's own credentials: spec, annotations and status
 *   may have been written by a tenant.
 * - Nothing is changed or deleted while an older claim may be missing: before all lists are complete, and before recorded claims are
 *   confirmed after a start.
 */
import type { Deps } from '../../base/deps.ts';
import { ProviderError, WaitingError, type WatchedObject } from '../../base/errors/errors.ts';
import type { Enqueue, Source } from '../../controller/sources/source.ts';
import type { CacheEvent, ObjectCache } from '../../kube/cache/cache.ts';
import { type KubeObject, keyOf, keyString } from '../../kube/object/object.ts';
import { type ClaimLists, createClaimLists } from './claim-lists.ts';
import { type Claimant, type Claims, createClaims, precedes, type Subject } from './claims.ts';
import { createUnconfirmedClaims, type UnconfirmedClaims } from './unconfirmed-claims.ts';

export interface ObjectClaimant extends Claimant {
  /** For messages: `Folder shop`. */
  readonly name: string;
  readonly enqueue: () => void;
}

/** What is known of a resource. */
export interface Claiming {
  readonly claimant: ObjectClaimant;
}

/** @typeParam C what the kinds note of each resource */
export interface ClaimRegistry<C extends Claiming> {
  readonly claims: Claims<ObjectClaimant>;
  /** Of the resources in the caches, by uid. */
  readonly records: Map<string, C>;
  readonly lists: ClaimLists;
  readonly unconfirmed: UnconfirmedClaims;
  /** The error requeues the resource when the subject has another holder. */
  contested(message: string, subject: Subject): ProviderError;
  /** Also retried with backoff: no watch reports that the time for a confirmation is over. */
  undecided(message: string): WaitingError;
  /**
   * A source that reads the claims of the resources of a cache.
   *
   * @param listName for messages: `folders.example.org`
   * @param follow gets each event until the stop, but deletions: with them the record and the claims of a resource go, also after the stop.
   * `enqueue` does nothing after the stop
   */
  source<R extends KubeObject>(
    cache: ObjectCache<R>,
    listName: string,
    follow: (event: FollowedEvent<R>, enqueue: Enqueue) => void,
  ): Source;
}

export type FollowedEvent<R extends KubeObject> = Exclude<CacheEvent<R>, { readonly type: 'deleted' }>;

export function createClaimRegistry<C extends Claiming>({ clock }: Pick<Deps, 'clock'>): ClaimRegistry<C> {
  const claims = createClaims<ObjectClaimant>();
  claims.subscribe((claimant) => claimant.enqueue());
  const lists = createClaimLists({ clock });
  const unconfirmed = createUnconfirmedClaims({ clock });
  const records = new Map<string, C>();
  const drop = (object: KubeObject) => {
    const { uid } = claimantOf(object);
    const record = records.get(uid);
    records.delete(uid);
    unconfirmed.settle(uid);
    if (record !== undefined) claims.claim(record.claimant, new Set());
  };
  /** The ends of the subscriptions to the caches of the kinds, by list. */
  const subscriptions = new Map<string, () => void>();
  const decision: WatchedObject = {
    description: 'all claims to external resources',
    watch: (onChange) => {
      const ends = [lists.subscribe(onChange), unconfirmed.subscribe(onChange)];
      return () => {
        for (const end of ends) end();
      };
    },
  };
  return {
    claims,
    records,
    lists,
    unconfirmed,
    contested: (message, subject) => {
      const watch = (onChange: () => void) => claims.watch(subject, onChange);
      return new ProviderError('contested', message, { targets: [{ description: 'another claim', watch }] });
    },
    undecided: (message) => new WaitingError(message, { targets: [decision], retry: true }),
    source: (cache, listName, follow) => {
      let isLate = false;
      return {
        start: (enqueue) => {
          // Added at the start, since a source that is never started would never sync.
          const remove = lists.add(cache, listName);
          let live = true;
          const whileLive: Enqueue = (key, options) => {
            if (live) enqueue(key, options);
          };
          // When a CRD is deleted, deletions arrive after the controller has stopped. They remove claims. So the
          // subscription lasts until the next start.
          subscriptions.get(listName)?.();
          subscriptions.set(
            listName,
            cache.subscribe((event) => {
              if (event.type === 'deleted') return drop(event.object);
              if (!live) return;
              // The object was deleted and created again under the same name.
              if (event.type === 'updated' && event.old.metadata.uid !== event.object.metadata.uid)
                drop(event.old);
              follow(event, whileLive);
            }),
          );
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
  };
}

export function objectClaimant(object: KubeObject, enqueue: Enqueue): ObjectClaimant {
  const key = keyString(keyOf(object));
  return { ...claimantOf(object), name: `${object.kind} ${key}`, enqueue: () => enqueue(key) };
}

/** The API server sets both fields. */
export function claimantOf({
  metadata: { uid = '', creationTimestamp: createdAt = '' },
}: KubeObject): Claimant {
  return { uid, createdAt };
}

/** Whether the claimant is older than the resource. */
export const isOlder = (claimant: Claimant, object: KubeObject): boolean =>
  precedes(claimant, claimantOf(object));
