import { cloneJson } from '../../../../../framework/base/json/clone-json.ts';
import { jsonEqual } from '../../../../../framework/base/json/json-equal.ts';
import { isObject, valueAt } from '../../../../../framework/base/json/json-field.ts';
import type { KubeObject } from '../../../../../framework/kube/object/object.ts';
import { type CheckReadiness, pending, ready } from './readiness.ts';
import { are, conditionsOf, countAt, isObserved, NOT_OBSERVED } from './status-fields.ts';

const HASH = 'pod-template-hash';

/** At least one pod of the newest ReplicaSet is ready, or none is wanted. One that users have paused is not awaited, as by Helm. */
export const checkDeployment: CheckReadiness = async (deployment, { replicaSets }) => {
  if (!isObserved(deployment)) return pending(NOT_OBSERVED);
  const wanted = countAt(deployment, ['spec', 'replicas'], 1);
  if (wanted === 0 || valueAt(deployment, ['spec', 'paused']) === true) return ready;
  const labels = valueAt(deployment, ['spec', 'selector', 'matchLabels']);
  const namespace = deployment.metadata.namespace ?? '';
  const newest = newestOf(deployment, await replicaSets(namespace, textsOf(labels)));
  if (newest === undefined)
    return pending(whyStuck(deployment) ?? 'it has no ReplicaSet of the newest version yet');
  const count = countAt(newest, ['status', 'readyReplicas']);
  if (count >= 1) return ready;
  return pending(whyStuck(deployment) ?? `${count} of ${wanted} ${are(wanted, 'replica')} ready`);
};

/** The ReplicaSet with the template of the Deployment, the oldest if several have it. */
function newestOf(deployment: KubeObject, sets: readonly KubeObject[]): KubeObject | undefined {
  const template = withoutHash(valueAt(deployment, ['spec', 'template']));
  const own = sets.filter(
    (set) =>
      set.metadata.namespace === deployment.metadata.namespace &&
      set.metadata.ownerReferences?.some(({ uid }) => uid === deployment.metadata.uid) === true &&
      jsonEqual(withoutHash(valueAt(set, ['spec', 'template'])), template),
  );
  return own.sort((a, b) => createdAt(a) - createdAt(b))[0];
}

const createdAt = ({ metadata }: KubeObject): number => Date.parse(metadata.creationTimestamp ?? '') || 0;

function withoutHash(template: unknown): unknown {
  const copy = cloneJson(template);
  const labels = valueAt(copy, ['metadata', 'labels']);
  if (isObject(labels)) Reflect.deleteProperty(labels, HASH);
  return copy;
}

/** The controller's reason, if it has given up for now or cannot create pods. */
function whyStuck(deployment: KubeObject): string | undefined {
  const stuck = conditionsOf(deployment).find(
    ({ type, status }) =>
      (type === 'Progressing' && status === 'False') || (type === 'ReplicaFailure' && status === 'True'),
  );
  return stuck === undefined ? undefined : `${stuck.reason}: ${stuck.message}`;
}

const textsOf = (labels: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(isObject(labels) ? labels : {}).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  );
