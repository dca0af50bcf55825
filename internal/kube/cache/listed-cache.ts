import type { KubeClient, Selection } from '../client/client.ts';
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

/** All pages of a collection. */
export async function listAll<T extends KubeObject>(
  client: KubeClient,
  type: ResourceType<T>,
  selection: Selection & { readonly signal: AbortSignal },
): Promise<T[]> {
  const items: T[] = [];
  let next: string | undefined;
  do {
    const page = await client.list(type, {
      ...selection,
      ...(next === undefined ? {} : { continue: next }),
    });
    items.push(...page.items);
    next = page.continue;
  } while (next !== undefined);
  return items;
}
