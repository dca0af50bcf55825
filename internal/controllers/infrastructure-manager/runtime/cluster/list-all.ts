import type { KubeObject, ResourceType } from '../../../../kube/index.ts';
import type { RuntimeClusterUse } from './runtime-cluster.ts';

/** A cluster answers with 1 MiB at most; what is beyond these pages is not ours. */
const MAX_PAGES = 20;

/** The objects of a runtime cluster, of all namespaces. */
export async function listAll<T extends KubeObject>(
  { client, signal }: Pick<RuntimeClusterUse, 'client' | 'signal'>,
  type: ResourceType<T>,
  selection: { readonly labelSelector?: string } = {},
): Promise<T[]> {
  const found: T[] = [];
  let more: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const list = await client.list(type, {
      ...selection,
      signal,
      ...(more === undefined ? {} : { continue: more }),
    });
    found.push(...list.items);
    more = list.continue;
    if (more === undefined) break;
  }
  return found;
}
