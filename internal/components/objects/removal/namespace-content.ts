import { inParallel } from '../../../base/concurrency/in-parallel.ts';
import { isNotFound } from '../../../kube/errors/errors.ts';
import { type KubeObject, type OwnerReference, wasDeleted } from '../../../kube/object/object.ts';
import type { ManagedCluster } from '../../model/managed-cluster.ts';
import { groupOf } from '../prepared-object.ts';

export interface NamespaceContentOptions {
  readonly cluster: Pick<ManagedCluster, 'client' | 'kinds'>;
  readonly namespace: string;
  readonly signal: AbortSignal;
  /** Only kinds of this category; default: every kind. */
  readonly category?: string;
  /** Only objects with these labels; default: all. */
  readonly labelSelector?: string;
}

/** Kinds that are listed at a time. */
const WIDTH = 8;
const PAGE_SIZE = 100;
/** Objects that are looked at; more are content. */
const MAX_OBJECTS = 1000;

/** What controllers put into every namespace, and what says nothing about its use. */
const isOfEveryNamespace = ({ kind, metadata }: KubeObject): boolean =>
  kind === 'Event' ||
  (kind === 'ServiceAccount' && metadata.name === 'default') ||
  (kind === 'ConfigMap' && ['kube-root-ca.crt', 'istio-ca-root-cert'].includes(metadata.name));

/**
 * The first objects of a namespace that stay there: they are not being deleted, and neither is what owns them.
 *
 * @throws what a list throws, so that a namespace whose content is unknown is not taken for an empty one
 */
export async function contentOf(options: NamespaceContentOptions): Promise<readonly KubeObject[]> {
  const { cluster, namespace, signal, category, labelSelector = '' } = options;
  const types = await cluster.kinds.all({ signal, ...(category === undefined ? {} : { category }) });
  const found: KubeObject[] = [];
  await inParallel(
    types.filter(({ namespaced }) => namespaced),
    WIDTH,
    async (type) => {
      if (found.length > MAX_OBJECTS) return;
      try {
        const { items } = await cluster.client.listMetadata(type, {
          namespace,
          labelSelector,
          limit: PAGE_SIZE,
          signal,
        });
        found.push(...items);
      } catch (error) {
        // The kind has gone since the discovery.
        if (!isNotFound(error)) throw error;
      }
    },
  );
  const candidates = found.filter((object) => !wasDeleted(object) && !isOfEveryNamespace(object));
  const uids = new Set(candidates.map(({ metadata }) => metadata.uid));
  const staying: KubeObject[] = [];
  await inParallel(candidates, WIDTH, async (object) => {
    const owners = object.metadata.ownerReferences ?? [];
    // An owner in the list is judged itself.
    const others = owners.filter(({ uid }) => !uids.has(uid));
    if (owners.length === 0 || (await isAnyStaying(others, options))) staying.push(object);
  });
  return staying;
}

/** Whether one of the owners exists and is not being deleted. The garbage collector deletes what has none. */
async function isAnyStaying(
  owners: readonly OwnerReference[],
  options: NamespaceContentOptions,
): Promise<boolean> {
  for (const owner of owners) if (await isStaying(owner, options)) return true;
  return false;
}

async function isStaying(
  { apiVersion, kind, name, uid }: OwnerReference,
  { cluster, namespace, signal }: NamespaceContentOptions,
): Promise<boolean> {
  const type = await cluster.kinds.find(apiVersion, kind, { signal });
  // A kind that is not served: the garbage collector waits for it.
  if (type === undefined) return groupOf(apiVersion) !== '';
  try {
    const live = await cluster.client.getMetadata(type, type.namespaced ? { namespace, name } : { name }, {
      signal,
    });
    return live.metadata.uid === uid && !wasDeleted(live);
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
