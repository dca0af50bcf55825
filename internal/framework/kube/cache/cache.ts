import {
  type KubeClient,
  type NextPage,
  type Page,
  type PartialObject,
  pagesOf,
  type Selection,
} from '../client/client.ts';
import { type KubeObject, keyOf, keyString } from '../object/object.ts';
import type { ResourceType } from '../object/resource-type.ts';

/** An event for the handlers of an informer. Handlers must neither throw nor wait; usually they enqueue a key. */
export type CacheEvent<T> =
  | {
      readonly type: 'added';
      readonly object: T /** Part of the first list rather than news. */;
      readonly initial: boolean;
    }
  | { readonly type: 'updated'; readonly object: T; readonly old: T }
  | { readonly type: 'deleted'; readonly object: T };

/** What is known of a Cluster where only its objects are used. */
export interface ClusterInfo {
  /** For metrics and settings; the clusters of a pool have one name, since theirs come from Secrets. */
  readonly name: string;
  /** For messages: `management cluster`, or `cluster <server host>`. */
  readonly displayName: string;
  /** False: the program starts and serves without it. */
  readonly required: boolean;
}

/** Why the cache may be out of date. */
export interface CacheProblem {
  /** The cluster's name, if it is not the management cluster. */
  readonly cluster?: string;
  /** One line. */
  readonly text: string;
  /** Since when, as a duration in ms. */
  readonly forMs: number;
  /** The server does not serve the kind, so there are no objects to miss. */
  readonly kindMissing?: boolean;
}

/** Read side of an informer. Objects are shared: treat them as frozen and clone before changing. */
export interface ObjectCache<T extends KubeObject> {
  /** Absent for caches without a cluster: of objects that were listed once, and of tests. */
  readonly cluster?: Pick<ClusterInfo, 'name' | 'required'>;
  /** @param key `namespace/name`, or `name` (keyString) */
  get(key: string): T | undefined;
  list(): readonly T[];
  hasSynced(): boolean;
  /** Resolves after the first complete list; rejects with the signal's reason. */
  whenSynced(signal?: AbortSignal): Promise<void>;
  /** Resolves as `whenSynced`, or when the first list has failed for the first time. Absent for caches whose list cannot fail. */
  whenTried?(signal?: AbortSignal): Promise<void>;
  /** Undefined while the cache is up to date. Absent for caches that cannot become outdated. */
  problem?(): CacheProblem | undefined;
  /** Objects in the cache are replayed as initial `added` events. Returns the function that unsubscribes. */
  subscribe(handler: (event: CacheEvent<T>) => void): () => void;
}

/** A cache of objects that were listed once, for short-lived commands. */
export function createListedCache<T extends KubeObject>(objects: readonly T[]): ObjectCache<T> {
  const held = new Map(objects.map((object) => [keyString(keyOf(object)), object]));
  return {
    get: (key) => held.get(key),
    list: () => [...held.values()],
    hasSynced: () => true,
    whenSynced: async () => undefined,
    subscribe: (handler) => {
      for (const object of held.values()) handler({ type: 'added', object, initial: true });
      return () => undefined;
    },
  };
}

type ListedSelection = Selection & { readonly signal: AbortSignal };

/** All pages of a collection. */
export const listAll = <T extends KubeObject>(
  client: Pick<KubeClient, 'list'>,
  type: ResourceType<T>,
  selection: ListedSelection,
): Promise<T[]> => allPages((next) => client.list(type, { ...selection, ...next }));

/** Metadata of all objects of a collection. */
export const listAllMetadata = (
  client: KubeClient,
  type: ResourceType,
  selection: ListedSelection,
): Promise<PartialObject[]> => allPages((next) => client.listMetadata(type, { ...selection, ...next }));

async function allPages<T>(list: (next: NextPage) => Promise<Page<T>>): Promise<T[]> {
  const items: T[] = [];
  for await (const page of pagesOf(list)) items.push(...page);
  return items;
}
