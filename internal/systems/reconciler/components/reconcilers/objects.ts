import { isObject, ProviderError, textAt, valueAt } from '../../../../framework/base/index.ts';
import { type NextPage, pagesOf } from '../../../../framework/kube/client/client.ts';
import {
  isNotFound,
  type KubeClient,
  type KubeObject,
  type ListOptions,
  type ObjectKey,
  type Page,
  type ResourceType,
} from '../../../../framework/kube/index.ts';
import type { ActionContext, DeployTarget, Manifest } from '../model/component.ts';
import { tenantOf } from '../model/task.ts';
import { ifFound } from '../objects/known-types.ts';
import { randomValuesOf } from '../objects/random-values.ts';
import { deleteObject as deleteOwned } from '../objects/removal/delete-object.ts';

type Context = Pick<ActionContext, 'cluster' | 'signal'>;
/** `anyone`: objects of all components, for what removes Kyma as a whole. */
type Owned = 'component' | 'anyone';

/** Undefined if there is no such object, or the cluster does not serve the kind. */
export async function findObject<T extends KubeObject>(
  { cluster, signal }: Context,
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

/** Objects in all pages, with their metadata alone; none if the cluster does not serve the kind. */
export const allMetadata = (context: Context, type: ResourceType, options: ListOptions = {}) =>
  pages((client, more) => client.listMetadata(type, more), context, options);

/** Objects in all pages; none if the cluster does not serve the kind. */
export const allObjects = <T extends KubeObject>(
  context: Context,
  type: ResourceType<T>,
  options: ListOptions = {},
) => pages((client, more) => client.list(type, more), context, options);

/** Values of objects that are kept together. */
const MAX_KEPT = 20_000;
/** Characters of a text among them: a name with its namespace, or its UID. */
const MAX_TEXT = 512;

/**
 * The texts or numbers of all objects, each once. A hostile server could have objects without end.
 *
 * @throws ProviderError of kind `transient` if there are too many
 */
export async function valuesOf<T, V extends string | number>(
  objects: AsyncIterable<T>,
  values: (object: T) => readonly (V | undefined)[],
): Promise<Set<V>> {
  const found = new Set<V>();
  for await (const object of objects)
    for (const value of values(object)) {
      if (value === undefined || (typeof value === 'string' && value.length > MAX_TEXT)) continue;
      found.add(value);
      if (found.size > MAX_KEPT)
        throw new ProviderError('transient', `the cluster has more than ${MAX_KEPT} objects of a kind`);
    }
  return found;
}

/** Few enough that a page is within the limit of responses. */
const PAGE = 100;
/** A hostile server could have pages without end. */
const MAX_PAGES = 1000;

async function* pages<T>(
  list: (client: KubeClient, options: ListOptions) => Promise<Page<T>>,
  { cluster, signal }: Context,
  options: ListOptions,
): AsyncGenerator<T, void, undefined> {
  const page = (next: NextPage) => list(cluster.client, { limit: PAGE, ...options, ...next, signal });
  try {
    for await (const items of pagesOf(page, { max: MAX_PAGES })) yield* items;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
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
