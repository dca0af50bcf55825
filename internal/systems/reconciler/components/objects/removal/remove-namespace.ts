import { type Deps, inParallel } from '../../../../../framework/base/index.ts';
import {
  isNotFound,
  type KubeObject,
  namespaces,
  type OwnerReference,
  wasDeleted,
} from '../../../../../framework/kube/index.ts';
import type { DeployOptions, ManagedCluster } from '../../model/component.ts';
import { LABEL_MANAGED_BY, MANAGED_BY } from '../interceptors.ts';
import { ifFound } from '../known-types.ts';
import { allMetadata } from '../listed-objects.ts';
import { groupOf, nameOf } from '../prepared-object.ts';
import { isKeptByHelm, isOfAnother } from './delete-object.ts';

interface RemoveNamespaceOptions extends Pick<Deps, 'log'>, DeployOptions {
  readonly cluster: ManagedCluster;
  readonly component: string;
}

const MANAGED = `${LABEL_MANAGED_BY}=${MANAGED_BY}`;
/** They belong to the cluster. */
const KEPT: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public', 'kube-node-lease']);

/**
 * Deletes a namespace in which nothing of the category `all` is left, and nothing of other components.
 *
 * @returns whether it is being deleted
 */
export async function removeNamespace(
  name: string,
  { cluster, component, log, signal }: RemoveNamespaceOptions,
): Promise<boolean> {
  if (KEPT.has(name)) return false;
  using part = await cluster.part({ signal });
  const namespace = await ifFound(part.client.getMetadata(namespaces, { name }, { signal }));
  if (namespace === undefined) return false;
  if (isKeptByHelm(namespace)) return false;
  // Others may have created kinds since, and objects of them.
  cluster.kinds.forget();
  const [left] = [
    ...(await contentOf({ cluster, namespace: name, category: 'all', signal })),
    ...(await contentOf({
      cluster,
      namespace: name,
      labelSelector: MANAGED,
      isContent: (object) => isOfAnother(object, component),
      signal,
    })),
  ];
  if (left !== undefined) {
    log.info('a namespace is left because it has other objects', {
      cluster: cluster.name,
      namespace: name,
      object: nameOf(left),
    });
    return false;
  }
  const { uid } = namespace.metadata;
  try {
    await part.client.delete(
      namespaces,
      { name },
      { propagationPolicy: 'Foreground', ...(uid === undefined ? {} : { preconditions: { uid } }), signal },
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return false;
  }
  return true;
}

interface NamespaceContentOptions {
  readonly cluster: Pick<ManagedCluster, 'kinds' | 'part' | 'keep'>;
  readonly namespace: string;
  readonly signal: AbortSignal;
  /** Only kinds of this category; default: every kind. */
  readonly category?: string;
  /** Only objects with these labels; default: all. */
  readonly labelSelector?: string;
  /** Only objects for which it is true; default: all. */
  readonly isContent?: (object: KubeObject) => boolean;
}

/** Kinds that are listed at a time. */
const WIDTH = 8;
/** Objects whose owners are looked at; more are content. */
const MAX_OBJECTS = 1000;

/** What controllers put into every namespace, and what says nothing about its use. */
const isOfEveryNamespace = ({ kind, metadata }: KubeObject): boolean =>
  kind === 'Event' ||
  (kind === 'ServiceAccount' && metadata.name === 'default') ||
  (kind === 'ConfigMap' &&
    ['kube-root-ca.crt', 'istio-ca-root-cert', 'istio-ca-crl'].includes(metadata.name));

/**
 * Objects of a namespace that stay there: they are not being deleted, and neither is what owns them. All of them, or the first
 * if they are many.
 *
 * @throws what a list throws, so that a namespace whose content is unknown is not taken for an empty one
 */
export async function contentOf(options: NamespaceContentOptions): Promise<readonly KubeObject[]> {
  const { cluster, namespace, labelSelector = '', signal, category, isContent = () => true } = options;
  const types = await cluster.kinds.all({ signal, ...(category === undefined ? {} : { category }) });
  const candidates: KubeObject[] = [];
  await inParallel(
    types.filter(({ namespaced }) => namespaced),
    WIDTH,
    async (type) => {
      // None if the kind has gone since the discovery.
      const what = `${type.plural} of namespace ${namespace}`;
      for await (const object of allMetadata(options, type, { namespace, labelSelector }, what)) {
        if (wasDeleted(object) || isOfEveryNamespace(object) || !isContent(object)) continue;
        const parts = partsOf(object);
        cluster.keep(parts);
        candidates.push(parts);
        if (candidates.length > MAX_OBJECTS) return;
      }
    },
  );
  if (candidates.length > MAX_OBJECTS) return candidates;
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

/** What decides whether an object stays, and what names it. */
function partsOf({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name, namespace, uid, ownerReferences } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
    },
  };
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
  const key = type.namespaced ? { namespace, name } : { name };
  using part = await cluster.part({ signal });
  const live = await ifFound(part.client.getMetadata(type, key, { signal }));
  return live !== undefined && live.metadata.uid === uid && !wasDeleted(live);
}
