/**
 * The resources in Service Manager that belong to the namespace of an object. The ID in a status is no proof: who may write the status
 * can write the ID of a resource of another namespace, to delete it or to get its credentials.
 */
import { createLruCache } from '../../../base/collections/lru-cache.ts';
import type { Deletion } from '../../../clients/service-manager/index.ts';
import type { ServiceResource } from '../status/service-resource.ts';

/** As Service Manager shows it. */
export interface LabelledResource {
  readonly id: string;
  readonly labels: Readonly<Record<string, readonly string[]>>;
}

export interface OwnResources {
  /** The resource; undefined if it belongs to another namespace of this cluster. */
  own<R extends LabelledResource>(namespace: string, found: R | undefined): R | undefined;
  /** Records a resource that this process has created. */
  created(namespace: string, id: string): void;
  /** Whether this process has created it or seen whose it is. */
  isKnown(namespace: string, id: string): boolean;
}

/** Memory for about 20,000 IDs. Others are read before they are deleted or bound. */
const MAX_BYTES = 4 * 1024 * 1024;

export function createOwnResources(clusterID: string): OwnResources {
  const namespaces = createLruCache<string, string>({ maxBytes: MAX_BYTES });
  return {
    own: (namespace, found) => {
      if (found === undefined) return undefined;
      const { _clusterid: clusters = [], _namespace: others = [] } = found.labels;
      // Without these labels, or with those of another cluster, it was created by other means or restored: the status is believed.
      const isOfOther = clusters.includes(clusterID) && others.length > 0 && !others.includes(namespace);
      if (isOfOther) return undefined;
      namespaces.set(found.id, namespace);
      return found;
    },
    created: (namespace, id) => namespaces.set(id, namespace),
    isKnown: (namespace, id) => namespaces.get(id) === namespace,
  };
}

/** Deletes the resource of an ID, unless Service Manager has it for another namespace: then it is no resource of the object. */
export async function deleteOwn(
  { object, ownResources }: { readonly object: ServiceResource; readonly ownResources: OwnResources },
  id: string,
  read: () => Promise<LabelledResource | undefined>,
  remove: () => Promise<Deletion>,
): Promise<Deletion> {
  const { namespace } = object.metadata;
  if (ownResources.isKnown(namespace, id)) return remove();
  const found = await read();
  return found === undefined || ownResources.own(namespace, found) !== undefined
    ? remove()
    : { state: 'gone' };
}
