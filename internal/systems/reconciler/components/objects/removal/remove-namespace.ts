import type { Deps } from '../../../../../framework/base/index.ts';
import { isNotFound, type KubeObject, namespaces } from '../../../../../framework/kube/index.ts';
import type { DeployOptions, ManagedCluster } from '../../model/component.ts';
import { LABEL_MANAGED_BY, MANAGED_BY } from '../interceptors/interceptors.ts';
import { nameOf } from '../prepared-object.ts';
import { isOfAnother } from './component-ownership.ts';
import { isKeptByHelm } from './delete-object.ts';
import { contentOf } from './namespace-content.ts';

export interface RemoveNamespaceOptions extends Pick<Deps, 'log'>, DeployOptions {
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
  let namespace: KubeObject;
  try {
    namespace = await cluster.client.getMetadata(namespaces, { name }, { signal });
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
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
    await cluster.client.delete(
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
