import { ProviderError } from '../../../../framework/base/index.ts';
import { type NextPage, pagesOf } from '../../../../framework/kube/client/client.ts';
import {
  isNotFound,
  type KubeObject,
  type ListOptions,
  type Page,
  type PartialObject,
  type ResourceType,
} from '../../../../framework/kube/index.ts';
import type { ClusterPart, ManagedCluster } from '../model/component.ts';

/** Objects of a page: few enough that it is within the limit of responses. */
const PAGE_SIZE = 100;
/** A hostile server could have pages without end. */
const MAX_PAGES = 1000;
/** What is kept of objects. */
const MAX_KEPT = 20_000;

interface ListedOf {
  readonly cluster: Pick<ManagedCluster, 'part'>;
  readonly signal: AbortSignal;
}

/**
 * The metadata of the objects of a kind, of all pages, each page in memory until the next one is read. None if the cluster does not serve
 * the kind.
 *
 * @param what for messages: `pods of namespace shop`; default: the plural of the kind
 * @throws ProviderError of kind `transient` if there are too many pages
 */
export const allMetadata = (
  of: ListedOf,
  type: ResourceType,
  options: ListOptions = {},
  what = type.plural,
): AsyncGenerator<PartialObject> =>
  listedObjects(
    ({ client }, next) => client.listMetadata(type, { ...next, ...options, signal: of.signal }),
    of,
    what,
  );

/** The objects of a kind, as `allMetadata`. */
export const allObjects = <T extends KubeObject>(
  of: ListedOf,
  type: ResourceType<T>,
  options: ListOptions = {},
  what = type.plural,
): AsyncGenerator<T> =>
  listedObjects(
    ({ client }, next) => client.list(type, { ...next, ...options, signal: of.signal }),
    of,
    what,
  );

async function* listedObjects<T>(
  list: (part: ClusterPart, next: NextPage & { readonly limit: number }) => Promise<Page<T>>,
  { cluster, signal }: ListedOf,
  what: string,
): AsyncGenerator<T, void, undefined> {
  let part: ClusterPart | undefined;
  const page = async (next: NextPage) => {
    part?.[Symbol.dispose]();
    part = await cluster.part({ signal });
    return await list(part, { limit: PAGE_SIZE, ...next });
  };
  const onMore = () => {
    throw new ProviderError('transient', `cannot list ${what}: there are too many pages`);
  };
  try {
    for await (const items of pagesOf(page, { max: MAX_PAGES, onMore })) yield* items;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  } finally {
    part?.[Symbol.dispose]();
  }
}

/**
 * What is kept of all objects, in the memory of the task. This is the only place where lists of a cluster, which may be hostile, are
 * collected.
 *
 * @param kept of an object, e.g. its name
 * @throws ProviderError of kind `transient` if it is too much
 */
export async function collectValues<T, V>(
  objects: AsyncIterable<T>,
  kept: (object: T) => readonly V[],
  cluster: Pick<ManagedCluster, 'keep'>,
): Promise<V[]> {
  const found: V[] = [];
  for await (const object of objects)
    for (const value of kept(object)) {
      if (found.length === MAX_KEPT)
        throw new ProviderError('transient', `the cluster has more than ${MAX_KEPT} objects of a kind`);
      cluster.keep(value);
      found.push(value);
    }
  return found;
}
