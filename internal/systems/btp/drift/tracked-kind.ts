/** What the comparison with Service Manager needs to know of a kind. */

import type { Source } from '../../../framework/controller/index.ts';
import { type Informer, keyOf, keyString, wasDeleted } from '../../../framework/kube/index.ts';
import type { CredentialUser } from '../credentials/secret-names.ts';
import { operationURLOf } from '../operations/run.ts';
import type { CallOptions, ServiceManagerClient } from '../service-manager/index.ts';
import { isReady } from '../status/conditions.ts';
import type { ServiceResource } from '../status/service-resource.ts';

/** What a list of Service Manager shows. */
export interface Listed {
  readonly id: string;
}

/**
 * @typeParam T objects of the kind
 * @typeParam L what lists of Service Manager show of them
 */
export interface TrackedKind<T extends ServiceResource, L extends Listed> {
  readonly cache: Pick<Informer<T>, 'get' | 'list' | 'hasSynced' | 'whenSynced'>;
  readonly suspects: Set<string>;
  /** In Service Manager; empty: none is known. */
  readonly idOf: (object: T) => string;
  /** With whose credentials the object is reconciled. */
  readonly userOf: (object: T) => CredentialUser;
  readonly list: (
    client: ServiceManagerClient,
    onPage: (items: readonly L[]) => void,
    options: CallOptions,
  ) => Promise<void>;
  readonly differs: (
    object: T,
    found: L,
    client: ServiceManagerClient,
    options: CallOptions,
  ) => Promise<boolean>;
}

/** An object that is settled, and should be in Service Manager. */
export interface Expected {
  readonly key: string;
  readonly id: string;
  readonly user: CredentialUser;
}

/** A kind while its controller runs. */
export interface Tracking {
  /** Those in the cache now. */
  expected(): Expected[];
  /**
   * Lists the objects of Service Manager, and requests a reconcile for each expected one that is not there or differs.
   *
   * @param expected known before the list began, so that none of them is missing only because it is younger
   */
  compare(expected: readonly Expected[], client: ServiceManagerClient, options: CallOptions): Promise<void>;
}

/** Objects whose operation is in progress are observed anyway, and what is no longer Ready shows why. */
const isSettled = (object: ServiceResource) =>
  isReady(object) && !wasDeleted(object) && operationURLOf(object) === '';

/** What kinds need that are compared. */
export interface DriftOptions {
  /** The kinds whose controllers run. */
  readonly trackings: Set<Tracking>;
}

/** The kind as a source: `trackings` has it while its controller runs. */
export function tracked<T extends ServiceResource, L extends Listed>(
  kind: TrackedKind<T, L>,
  trackings: Set<Tracking>,
): Source {
  const { cache, suspects, idOf, userOf, list, differs } = kind;
  return {
    hasSynced: () => cache.hasSynced(),
    whenSynced: (signal) => cache.whenSynced(signal),
    start: (enqueue) => {
      /** IDs that a list did not have, by key. Objects of other programs may lack the label: those are looked up once. */
      const unlisted = new Map<string, string>();
      const settledWith = ({ key, id }: Expected): T | undefined => {
        const object = cache.get(key);
        return object !== undefined && isSettled(object) && idOf(object) === id ? object : undefined;
      };
      const suspect = (key: string) => {
        suspects.add(key);
        enqueue(key);
      };
      const tracking: Tracking = {
        expected: () =>
          cache.list().flatMap((object) => {
            const id = idOf(object);
            if (id === '' || !isSettled(object)) return [];
            return [{ key: keyString(keyOf(object)), id, user: userOf(object) }];
          }),
        compare: async (expected, client, options) => {
          for (const key of suspects) if (cache.get(key) === undefined) suspects.delete(key);
          for (const key of unlisted.keys()) if (cache.get(key) === undefined) unlisted.delete(key);
          const byID = new Map(expected.map((each) => [each.id, each]));
          const found = new Map<string, L>();
          await list(
            client,
            (items) => {
              for (const item of items) if (byID.has(item.id)) found.set(item.id, item);
            },
            options,
          );
          for (const each of expected) {
            const object = settledWith(each);
            const item = found.get(each.id);
            if (item !== undefined) unlisted.delete(each.key);
            if (object === undefined) continue;
            if (item !== undefined) {
              // What cannot be compared, e.g. for a plan that does not exist any more, must not hide what others show.
              if (await differs(object, item, client, options).catch(() => false)) suspect(each.key);
            } else if (unlisted.get(each.key) !== each.id) {
              unlisted.set(each.key, each.id);
              suspect(each.key);
            }
          }
        },
      };
      trackings.add(tracking);
      return () => trackings.delete(tracking);
    },
  };
}
