import { isObject, valueAt } from '../../../base/json/json-field.ts';
import type { KubeObject } from '../../../kube/object/object.ts';
import type { ResourceType } from '../../../kube/object/resource-type.ts';
import { ownsField } from '../managed-fields.ts';
import { groupOf, type PreparedObject } from '../prepared-object.ts';
import type { Interceptor } from './interceptor.ts';

/**
 * The number of replicas of an object that exists is that of its HorizontalPodAutoscaler: one of the chart, or one that others
 * have made. KEDA makes one for each of its own objects.
 */
export const keepReplicas: Interceptor = async (prepared, { objects, live, autoscalers }) => {
  const { object } = prepared;
  const spec = valueAt(object, ['spec']);
  if (!isObject(spec) || !('replicas' in spec)) return;
  const { namespace = '' } = object.metadata;
  const isScaled =
    objects.some(({ object: other, type }) => isAutoscaler(type) && scales(other, prepared)) ||
    (await autoscalers(namespace)).some((other) => scales(other, prepared));
  if (!isScaled) return;
  const found = await live(prepared);
  const replicas = valueAt(found, ['spec', 'replicas']);
  if (found === undefined || typeof replicas !== 'number') return;
  const { replicas: _, ...others } = spec;
  // An owner that gives the field up, being the only one, would reset it to its default.
  const isOwned = ownsField(found, ['f:spec', 'f:replicas']);
  Object.assign(object, { spec: isOwned ? { ...others, replicas } : others });
};

const isAutoscaler = ({ group, kind }: ResourceType): boolean =>
  group === 'autoscaling' && kind === 'HorizontalPodAutoscaler';

function scales(hpa: KubeObject, { object }: PreparedObject): boolean {
  const target = valueAt(hpa, ['spec', 'scaleTargetRef']);
  if (!isObject(target) || hpa.metadata.namespace !== object.metadata.namespace) return false;
  return (
    target.kind === object.kind &&
    target.name === object.metadata.name &&
    (typeof target.apiVersion !== 'string' || groupOf(target.apiVersion) === groupOf(object.apiVersion))
  );
}
