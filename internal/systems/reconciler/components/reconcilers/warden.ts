import { textAt } from '../../../../framework/base/index.ts';
import {
  isNotFound,
  isPatchRefused,
  type JsonPatchOperation,
  type KubeObject,
} from '../../../../framework/kube/index.ts';
import type { Action, ComponentActions } from '../model/component.ts';
import { tenantOf } from '../model/task.ts';
import { deployments, findObject, itemsAt, KYMA_SYSTEM } from './objects.ts';

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

/** Three numbers and a pre-release (Semantic Versioning 2.0.0); build metadata does not count. */
const version = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;

/**
 * Whether the tag of an image is a version from `least` on. A pre-release is before its version; other tags are no versions.
 *
 * @param least three numbers
 */
export function isImageFrom(image: string, least: readonly [number, number, number]): boolean {
  const tag =
    image
      .slice(image.lastIndexOf('/') + 1)
      .split('@', 1)[0]
      ?.split(':')[1] ?? '';
  const [, major, minor, patch, preRelease] = version.exec(tag) ?? [];
  if (major === undefined || minor === undefined || patch === undefined) return false;
  const differences = [major, minor, patch].map((text, index) => Number(text) - (least[index] ?? 0));
  const first = differences.find((difference) => difference !== 0);
  return first === undefined ? preRelease === undefined : first > 0;
}
