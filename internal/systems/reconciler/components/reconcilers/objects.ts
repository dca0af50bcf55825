import { isObject, textAt, valueAt } from '../../../../framework/base/index.ts';
import type { KubeObject, ObjectKey, ResourceType } from '../../../../framework/kube/index.ts';
import type { ActionContext, DeployTarget, ManagedCluster, Manifest } from '../model/component.ts';
import { tenantOf } from '../model/task.ts';
import { ifFound } from '../objects/known-types.ts';
import { randomValuesOf } from '../objects/random-values.ts';
import { deleteObject as deleteOwned } from '../objects/removal/delete-object.ts';

type Context = Pick<ActionContext, 'cluster' | 'signal'>;
/** `anyone`: objects of all components, for what removes Kyma as a whole. */
type Owned = 'component' | 'anyone';

/** Undefined if there is no such object, or the cluster does not serve the kind. */
export async function findObject<T extends KubeObject>(
  { cluster, signal }: { readonly cluster: Pick<ManagedCluster, 'client'>; readonly signal: AbortSignal },
  type: ResourceType<T>,
  key: ObjectKey,
): Promise<T | undefined> {
  return await ifFound(cluster.client.get(type, key, { signal }));
}

/** @returns false if there was no such object, or another component has deployed one under the name */
export async function deleteObject(
  { cluster, signal, task }: Context & Pick<ActionContext, 'task'>,
  type: ResourceType,
  key: ObjectKey,
  of: Owned = 'component',
): Promise<boolean> {
  const component = of === 'component' ? task.component : undefined;
  const { state } = await deleteOwned(type, key, { cluster, component, signal });
  return state === 'deleted';
}

/** The objects of a list at a path; none if there is no list. */
export function itemsAt(
  value: unknown,
  ...path: readonly string[]
): readonly Readonly<Record<string, unknown>>[] {
  const found = valueAt(value, path);
  return Array.isArray(found) ? found.filter(isObject) : [];
}

/** The text of a key of a Secret; undefined if it has none. */
export function secretText(
  secret: { readonly data?: Record<string, string> },
  key: string,
): string | undefined {
  const encoded = textAt(secret.data, key);
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8');
}

/**
 * The domain of a cluster of Gardener: its API server is `api.<domain>`.
 *
 * @param host of the API server, perhaps with its port
 */
export const domainOf = (host: string): string => new URL(`https://${host}`).hostname.replace(/^api\./, '');

/** The namespace of components of Kyma. */
export const KYMA_SYSTEM = 'kyma-system';

/** A kind without a type of its own: fields are read with `valueAt`. */
function namespaced(group: string, version: string, kind: string, plural: string): ResourceType<KubeObject> {
  return { group, version, kind, plural, namespaced: true };
}

export const deployments = namespaced('apps', 'v1', 'Deployment', 'deployments');
export const statefulSets = namespaced('apps', 'v1', 'StatefulSet', 'statefulsets');
export const daemonSets = namespaced('apps', 'v1', 'DaemonSet', 'daemonsets');
export const pods = namespaced('', 'v1', 'Pod', 'pods');
export const services = namespaced('', 'v1', 'Service', 'services');
export const serviceAccounts = namespaced('', 'v1', 'ServiceAccount', 'serviceaccounts');
export const volumeClaims = namespaced('', 'v1', 'PersistentVolumeClaim', 'persistentvolumeclaims');

/** The objects of the chart of a component, with the configuration that actions have changed. */
export async function renderChart(context: ActionContext): Promise<Manifest> {
  const { charts, task, configuration, signal, cluster, log } = context;
  const capabilities = await cluster.capabilities({ signal });
  const random = randomValuesOf({ cluster, component: task.component, log, signal });
  return charts.render({ ...task, configuration }, { signal, tenant: tenantOf(task), capabilities, random });
}

/** Where the objects of the component go. */
export const targetOf = ({ cluster, task }: ActionContext): DeployTarget => ({
  cluster,
  component: task.component,
  namespace: task.namespace,
  version: task.version,
});
