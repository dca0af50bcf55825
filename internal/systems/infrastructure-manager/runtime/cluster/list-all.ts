import { type NextPage, pagesOf } from '../../../../framework/kube/client/pages.ts';
import type { KubeObject, ResourceType } from '../../../../framework/kube/index.ts';
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
  const list = (next: NextPage) => client.list(type, { ...selection, signal, ...next });
  for await (const items of pagesOf(list, { max: MAX_PAGES })) found.push(...items);
  return found;
}
