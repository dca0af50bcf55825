import { type NextPage, pagesOf } from '../../../../../framework/kube/client/pages.ts';
import type { KubeClient, ListOptions, Page } from '../../../../../framework/kube/index.ts';
import {
  isNotFound,
  type KubeObject,
  type ObjectKey,
  type ResourceType,
} from '../../../../../framework/kube/index.ts';
import type { ActionContext } from '../../model/actions.ts';
import { deleteObject as deleteOwned } from '../../objects/removal/delete-object.ts';

type Context = Pick<ActionContext, 'cluster' | 'signal'>;
/** `anyone`: objects of all components, for what removes Kyma as a whole. */
type Owned = 'component' | 'anyone';

/** Undefined if there is no such object, or the cluster does not serve the kind. */
export async function findObject<T extends KubeObject>(
  { cluster, signal }: Context,
  type: ResourceType<T>,
  key: ObjectKey,
): Promise<T | undefined> {
  return await orUndefined(cluster.client.get(type, key, { signal }));
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

async function orUndefined<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
