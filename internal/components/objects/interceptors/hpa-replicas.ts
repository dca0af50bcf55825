import { isObject, valueAt } from '../../../base/json/json-field.ts';
import { ownsField } from '../managed-fields.ts';
import { groupOf, type PreparedObject } from '../prepared-object.ts';
import type { Interceptor } from './interceptor.ts';

/** The number of replicas of an object that exists is that of its HorizontalPodAutoscaler. */
export const keepReplicas: Interceptor = async (prepared, { objects, live }) => {
  const { object } = prepared;
  const spec = valueAt(object, ['spec']);
  if (!isObject(spec) || !('replicas' in spec)) return;
  if (!objects.some((other) => scales(other, prepared))) return;
  const found = await live(prepared);
  const replicas = valueAt(found, ['spec', 'replicas']);
  if (found === undefined || typeof replicas !== 'number') return;
  const { replicas: _, ...others } = spec;
  // An owner that gives the field up, being the only one, would reset it to its default.
  const isOwned = ownsField(found, ['f:spec', 'f:replicas']);
  Object.assign(object, { spec: isOwned ? { ...others, replicas } : others });
};

function scales({ object: hpa, type }: PreparedObject, { object }: PreparedObject): boolean {
  if (type.group !== 'autoscaling' || type.kind !== 'HorizontalPodAutoscaler') return false;
  const target = valueAt(hpa, ['spec', 'scaleTargetRef']);
  if (!isObject(target) || hpa.metadata.namespace !== object.metadata.namespace) return false;
  return (
    target.kind === object.kind &&
    target.name === object.metadata.name &&
    (typeof target.apiVersion !== 'string' || groupOf(target.apiVersion) === groupOf(object.apiVersion))
  );
}
