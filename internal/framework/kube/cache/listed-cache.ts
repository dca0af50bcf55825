import type { KubeClient, Page, PartialObject, Selection } from '../client/client.ts';
import { type NextPage, pagesOf } from '../client/pages.ts';
import { type KubeObject, keyOf, keyString } from '../object/object.ts';
import type { ResourceType } from '../object/resource-type.ts';
import type { ObjectCache } from './cache.ts';

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
