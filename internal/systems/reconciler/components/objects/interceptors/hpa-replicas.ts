import { isObject, valueAt } from '../../../../../framework/base/json/json-field.ts';
import type { KubeObject } from '../../../../../framework/kube/object/object.ts';
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
    isTarget(prepared, targetsOf(objects, autoscalersAmong)) ||
    isTarget(
      prepared,
      targetsOf(await autoscalers(namespace), (found) => found),
    );
  if (!isScaled) return;
  const found = await live(prepared);
  const replicas = valueAt(found, ['spec', 'replicas']);
  if (found === undefined || typeof replicas !== 'number') return;
  const { replicas: _, ...others } = spec;
  // An owner that gives the field up, being the only one, would reset it to its default.
  const isOwned = ownsField(found, ['f:spec', 'f:replicas']);
  Object.assign(object, { spec: isOwned ? { ...others, replicas } : others });
};

const autoscalersAmong = (objects: readonly PreparedObject[]): readonly KubeObject[] =>
  objects
    .filter(({ type: { group, kind } }) => group === 'autoscaling' && kind === 'HorizontalPodAutoscaler')
    .map(({ object }) => object);

/** By the list of autoscalers, which is the same for all objects: a chart may have thousands of both. */
const indexes = new WeakMap<readonly unknown[], ReadonlySet<string>>();

/** What the autoscalers of a list scale. */
function targetsOf<T>(
  list: readonly T[],
  autoscalers: (list: readonly T[]) => readonly KubeObject[],
): ReadonlySet<string> {
  const known = indexes.get(list);
  if (known !== undefined) return known;
  const targets = new Set<string>();
  for (const { metadata, ...hpa } of autoscalers(list)) {
    const target = valueAt(hpa, ['spec', 'scaleTargetRef']);
    if (!isObject(target)) continue;
    const { kind, name, apiVersion } = target;
    // Without an apiVersion it names the kind of any group.
    const group = typeof apiVersion === 'string' ? groupOf(apiVersion) : undefined;
    targets.add(keyOfTarget(metadata.namespace, group, kind, name));
  }
  indexes.set(list, targets);
  return targets;
}

function isTarget({ object }: PreparedObject, targets: ReadonlySet<string>): boolean {
  const { apiVersion, kind, metadata } = object;
  return [groupOf(apiVersion), undefined].some((group) =>
    targets.has(keyOfTarget(metadata.namespace, group, kind, metadata.name)),
  );
}

const keyOfTarget = (
  namespace: string | undefined,
  group: string | undefined,
  kind: unknown,
  name: unknown,
) => JSON.stringify([namespace, group, kind, name]);
