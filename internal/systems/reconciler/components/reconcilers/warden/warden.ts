import {
  isNotFound,
  isPatchRefused,
  type JsonPatchOperation,
  type KubeObject,
} from '../../../../../framework/kube/index.ts';
import type { Action, ComponentActions } from '../../model/component.ts';
import { tenantOf } from '../../model/task.ts';
import { deployments, findObject, itemsAt, KYMA_SYSTEM, textAt } from '../common/objects.ts';
import { isImageFrom } from './image-version.ts';

const ADMISSION = { name: 'warden-admission', namespace: KYMA_SYSTEM };
const CONTAINER = 'admission';
const VOLUME = 'certs';
/** The first image that has no use for the volume. */
const FIRST_WITHOUT = [0, 10, 0] as const;

/** Removes the volume with certificates from the admission Deployment before an image that does not use it. */
export const warden: ComponentActions = { preReconcile: (context) => removeVolume(context) };

const removeVolume: Action = async (context) => {
  const { charts, task, configuration, cluster, signal } = context;
  const values = await charts.values({ ...task, configuration }, { signal, tenant: tenantOf(task) });
  if (!isImageFrom(textAt(values, 'global', 'admission', 'image') ?? '', FIRST_WITHOUT)) return;
  const live = await findObject(context, deployments, ADMISSION);
  const patch = live === undefined ? [] : removalOf(live);
  if (patch.length === 0) return;
  try {
    await cluster.client.jsonPatch(deployments, ADMISSION, patch, { signal });
  } catch (error) {
    // Changed in between: the next attempt reads it again. Deleted: there is nothing to remove.
    if (isPatchRefused(error) || !isNotFound(error)) throw error;
  }
};

/** Removes the mount and the volume of this Deployment, if they are still at the positions that were read. */
function removalOf(deployment: KubeObject): readonly JsonPatchOperation[] {
  const pod = ['spec', 'template', 'spec'] as const;
  const containers = itemsAt(deployment, ...pod, 'containers');
  const container = containers.findIndex(({ name }) => name === CONTAINER);
  const volume = itemsAt(deployment, ...pod, 'volumes').findIndex(({ name }) => name === VOLUME);
  const mount = itemsAt(containers[container], 'volumeMounts').findIndex(({ name }) => name === VOLUME);
  if (container < 0 || volume < 0 || mount < 0) return [];
  const root = `/${pod.join('/')}`;
  const paths = [`${root}/containers/${container}/volumeMounts/${mount}`, `${root}/volumes/${volume}`];
  return [
    { op: 'test', path: '/metadata/uid', value: deployment.metadata.uid },
    ...paths.map((path): JsonPatchOperation => ({ op: 'test', path: `${path}/name`, value: VOLUME })),
    ...paths.map((path): JsonPatchOperation => ({ op: 'remove', path })),
  ];
}
