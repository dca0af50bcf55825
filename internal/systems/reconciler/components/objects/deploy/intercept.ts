import { createBreather } from '../../../../../framework/base/concurrency/breather.ts';
import { systemClock } from '../../../../../framework/base/time/clock.ts';
import { listAll } from '../../../../../framework/kube/cache/listed-cache.ts';
import { isNotFound } from '../../../../../framework/kube/errors/errors.ts';
import { type KubeObject, keyOf } from '../../../../../framework/kube/object/object.ts';
import type { ResourceType } from '../../../../../framework/kube/object/resource-type.ts';
import type { DeployTarget } from '../../model/deployer.ts';
import { objectNameOf } from '../component-name.ts';
import type { Interceptor } from '../interceptors/interceptor.ts';
import { LABEL_COMPONENT } from '../interceptors/labels.ts';
import { IMPLICIT_NAMESPACE } from '../prepare-manifest.ts';
import { identityOf, type PreparedObject } from '../prepared-object.ts';

export interface InterceptOptions {
  readonly target: DeployTarget;
  readonly interceptors: readonly Interceptor[];
  readonly signal: AbortSignal;
}

/**
 * Names the component in the labels of its objects, and changes them as the interceptors do, in place.
 *
 * @throws what an interceptor throws
 */
export async function intercept(
  objects: readonly PreparedObject[],
  { target, interceptors, signal }: InterceptOptions,
): Promise<void> {
  const reads = new Map<string, Promise<KubeObject | undefined>>();
  const live = ({ object, type }: PreparedObject) => {
    const identity = identityOf(type, object.metadata);
    const reading = reads.get(identity) ?? read(target, { type, object }, signal);
    reads.set(identity, reading);
    return reading;
  };
  const lists = new Map<string, Promise<readonly KubeObject[]>>();
  const autoscalers = (namespace: string) => {
    const listing = lists.get(namespace) ?? listAutoscalers(target, namespace, signal);
    lists.set(namespace, listing);
    return listing;
  };
  const context = { target, objects, live, autoscalers };
  for (const prepared of objects) {
    const { metadata } = prepared.object;
    if (prepared.source !== IMPLICIT_NAMESPACE)
      metadata.labels = { ...metadata.labels, [LABEL_COMPONENT]: objectNameOf(target.component) };
  }
  const breathe = createBreather(systemClock);
  for (const interceptor of interceptors) {
    await breathe();
    // Those that read the cluster do so at the same time.
    await Promise.all(objects.map(async (each) => interceptor(each, context)));
  }
}

async function read(
  { cluster }: DeployTarget,
  { object, type }: Pick<PreparedObject, 'object' | 'type'>,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  try {
    return await cluster.client.get(type, keyOf(object), { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** None if the cluster does not serve the kind. */
async function listAutoscalers(
  { cluster }: DeployTarget,
  namespace: string,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  try {
    return await listAll(cluster.client, autoscalerType, { namespace, signal });
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

const autoscalerType: ResourceType = {
  group: 'autoscaling',
  // The fields that count are the same in all versions.
  version: 'v1',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  namespaced: true,
};
