import { cloneJson, isObject, jsonEqual, textAt, valueAt } from '../../../../../framework/base/index.ts';
import { type KubeObject, type ResourceType, wasDeleted } from '../../../../../framework/kube/index.ts';

/** Whether an object is ready: if not, why, for users. `failed`: it never will be. */
export type Readiness =
  /** `isGone`: it did what it was there for. */
  | { readonly state: 'ready'; readonly isGone?: true }
  | { readonly state: 'pending' | 'failed'; readonly reason: string };

const ready: Readiness = { state: 'ready' };
export const pending = (reason: string): Readiness => ({ state: 'pending', reason });
const failed = (reason: string): Readiness => ({ state: 'failed', reason });

/** Reads what the readiness of an object depends on besides the object. */
export interface ReadinessReads {
  /** ReplicaSets of the namespace that a label selector selects, in the form of a request. */
  replicaSets(namespace: string, labelSelector: string): Promise<readonly KubeObject[]>;
}

type CheckReadiness = (object: KubeObject, reads: ReadinessReads) => Readiness | Promise<Readiness>;

/** Whether the cluster deletes the Job some time after it has ended. */
export const hasTimeToLive = ({ apiVersion, kind, ...job }: KubeObject): boolean =>
  apiVersion.startsWith('batch/') &&
  kind === 'Job' &&
  typeof valueAt(job, ['spec', 'ttlSecondsAfterFinished']) === 'number';

/** It is complete. A failed Job fails the deployment; a suspended one is not awaited. */
const checkJob: CheckReadiness = (job) => {
  const failure = conditionsOf(job).find(({ type, status }) => type === 'Failed' && status === 'True');
  if (failure !== undefined) return failed(`it failed: ${failure.reason} ${failure.message}`.trim());
  if (isTrue(job, 'Complete') || valueAt(job, ['spec', 'suspend']) === true) return ready;
  const wanted = countAt(job, ['spec', 'completions'], 1);
  return pending(`${countAt(job, ['status', 'succeeded'])} of ${wanted} completions`);
};

/** All pods are ready, and all that the partition permits are of the newest version. */
const checkStatefulSet: CheckReadiness = (set) => {
  if (!isObserved(set)) return pending(NOT_OBSERVED);
  const wanted = countAt(set, ['spec', 'replicas'], 1);
  const partition = countAt(set, ['spec', 'updateStrategy', 'rollingUpdate', 'partition']);
  const updated = countAt(set, ['status', 'updatedReplicas']);
  const isManual = valueAt(set, ['spec', 'updateStrategy', 'type']) === 'OnDelete';
  const toUpdate = Math.max(wanted - partition, 0);
  if (!isManual && updated < toUpdate)
    return pending(`${updated} of ${toUpdate} ${are(toUpdate, 'replica')} updated`);
  const count = countAt(set, ['status', 'readyReplicas']);
  if (count === wanted) return ready;
  return pending(`${count} of ${wanted} ${are(wanted, 'replica')} ready`);
};

/** Of Pods: false is the good state. The disruption controller sets it to false when a pod was not evicted after all. */
const DISRUPTION = 'DisruptionTarget';

/** It runs, and all its conditions are true; or it has done its work. A failed one fails the deployment: it is not started again. */
const checkPod: CheckReadiness = (pod) => {
  if (wasDeleted(pod)) return pending('it is being deleted');
  const text = (field: string) => textAt(pod, 'status', field) ?? '';
  const phase = text('phase');
  if (phase === 'Succeeded') return ready;
  if (phase === 'Failed') return failed(`it failed: ${text('reason')} ${text('message')}`.trim());
  if (phase !== 'Running') return pending(`its phase is ${phase || 'unknown'}`);
  const unmet = conditionsOf(pod).find(({ type, status }) => status !== 'True' && type !== DISRUPTION);
  return unmet === undefined ? ready : pending(`its condition ${unmet.type} is ${unmet.status}`);
};

const HASH = 'pod-template-hash';

/** At least one pod of the newest ReplicaSet is ready, or none is wanted. One that users have paused is not awaited, as by Helm. */
const checkDeployment: CheckReadiness = async (deployment, { replicaSets }) => {
  if (!isObserved(deployment)) return pending(NOT_OBSERVED);
  const wanted = countAt(deployment, ['spec', 'replicas'], 1);
  if (wanted === 0 || valueAt(deployment, ['spec', 'paused']) === true) return ready;
  const selector = selectorText(valueAt(deployment, ['spec', 'selector']));
  const namespace = deployment.metadata.namespace ?? '';
  const newest = newestOf(deployment, await replicaSets(namespace, selector));
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

/** A label selector of an object in the form of a request: `app=web,tier in (a,b),!old`. */
function selectorText(selector: unknown): string {
  const labels = valueAt(selector, ['matchLabels']);
  const expressions = valueAt(selector, ['matchExpressions']);
  return [
    ...Object.entries(isObject(labels) ? labels : {}).map(([name, value]) => `${name}=${value}`),
    ...(Array.isArray(expressions) ? expressions : []).map(expressionText),
  ].join(',');
}

function expressionText(expression: unknown): string {
  const key = textAt(expression, 'key') ?? '';
  const operator = textAt(expression, 'operator') ?? '';
  if (operator === 'Exists') return key;
  if (operator === 'DoesNotExist') return `!${key}`;
  const values = valueAt(expression, ['values']);
  return `${key} ${operator.toLowerCase()} (${Array.isArray(values) ? values.join(',') : ''})`;
}

/** All pods are of the newest version, and one is ready. No node may be selected: then there is nothing to wait for. */
const checkDaemonSet: CheckReadiness = (set) => {
  if (!isObserved(set)) return pending(NOT_OBSERVED);
  const wanted = countAt(set, ['status', 'desiredNumberScheduled']);
  if (wanted === 0) return ready;
  const updated = countAt(set, ['status', 'updatedNumberScheduled']);
  const isManual = valueAt(set, ['spec', 'updateStrategy', 'type']) === 'OnDelete';
  if (!isManual && updated !== wanted)
    return pending(`${updated} of ${wanted} ${are(wanted, 'pod')} updated`);
  const count = countAt(set, ['status', 'numberReady']);
  return count >= 1 ? ready : pending(`${count} of ${wanted} ${are(wanted, 'pod')} ready`);
};

/** Its kinds are served, or never will be because another CRD has their names. */
const checkCrd: CheckReadiness = (crd) => {
  const isTaken = conditionsOf(crd).some(
    ({ type, status }) => type === 'NamesAccepted' && status === 'False',
  );
  return isTrue(crd, 'Established') || isTaken ? ready : pending('it is not established');
};

/** An object whose pods may have any state; for workloads without a node to run on. */
export const ANNOTATION_IGNORE_PODS = 'reconciler.kyma-project.io/ignore-pod-state';

/** Unless the object has the annotation. */
const unlessIgnored =
  (check: CheckReadiness): CheckReadiness =>
  (object, reads) =>
    isIgnored(object) ? ready : check(object, reads);

const isIgnored = ({ metadata }: KubeObject) => metadata.annotations?.[ANNOTATION_IGNORE_PODS] === 'true';

const CHECKS: ReadonlyMap<string, CheckReadiness> = new Map([
  ['apps/Deployment', unlessIgnored(checkDeployment)],
  ['apps/StatefulSet', unlessIgnored(checkStatefulSet)],
  ['apps/DaemonSet', unlessIgnored(checkDaemonSet)],
  ['/Pod', unlessIgnored(checkPod)],
  ['batch/Job', checkJob],
  ['apiextensions.k8s.io/CustomResourceDefinition', checkCrd],
]);

/** The check of a kind; undefined: its objects are ready as soon as they exist. */
export const checkOf = ({ group, kind }: Pick<ResourceType, 'group' | 'kind'>): CheckReadiness | undefined =>
  CHECKS.get(`${group}/${kind}`);

/** A count of the object; 0 if it is missing, as API servers leave out zeros. */
function countAt(object: KubeObject, path: readonly string[], missing = 0): number {
  const value = valueAt(object, path);
  return typeof value === 'number' ? value : missing;
}

interface StatusCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

export function conditionsOf(object: KubeObject): readonly StatusCondition[] {
  const list = valueAt(object, ['status', 'conditions']);
  if (!Array.isArray(list)) return [];
  return list.filter(isObject).map((condition) => {
    const text = (name: string) => {
      const value = condition[name];
      return typeof value === 'string' ? value : '';
    };
    return { type: text('type'), status: text('status'), reason: text('reason'), message: text('message') };
  });
}

const isTrue = (object: KubeObject, type: string): boolean =>
  conditionsOf(object).some((condition) => condition.type === type && condition.status === 'True');

/** Whether the status is of the current spec. */
const isObserved = (object: KubeObject): boolean =>
  countAt(object, ['status', 'observedGeneration']) >= (object.metadata.generation ?? 0);

const NOT_OBSERVED = 'its controller has not seen the newest version yet';

/** `replicas are` or `replica is`, after a count. */
const are = (count: number, noun: string): string => (count === 1 ? `${noun} is` : `${noun}s are`);
