import { messageOf, type WatchedObject } from '../../../framework/base/index.ts';
import { stringAt } from '../../../framework/base/json/json-value.ts';
import { isUntrusted } from '../../../framework/kube/errors/errors.ts';
import {
  type Cluster,
  isForbidden,
  isNotFound,
  isUnauthorized,
  isUnknownKind,
  isUnreachable,
  type KubeObject,
  keyString,
  notFoundText,
  type ObjectKey,
  type ResourceType,
} from '../../../framework/kube/index.ts';

/** A Cluster with input objects. Reads are shared, since many resources refer to the same objects. */
export interface InputCluster extends Pick<Cluster, 'client' | 'reads' | 'polledReads' | 'objectWatcher'> {
  /** The ConfigMap with the ID of the cluster, for mappings that name none. Default: that of a Kyma cluster. */
  readonly clusterIdConfigMap?: { readonly namespace: string; readonly name: string };
}

/** The cluster as polls read it. */
export const polled = (cluster: InputCluster): InputCluster => ({ ...cluster, reads: cluster.polledReads });

/** The object, or the problem with it. */
type InputRead<T> =
  | { readonly object: T; readonly target: WatchedObject }
  | { readonly problem: Problem; readonly target: WatchedObject };

/** Reads one input object. A failed read is a problem rather than an error, so that all problems are reported. */
export async function readInput<T extends KubeObject>(
  cluster: InputCluster,
  type: ResourceType<T>,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<InputRead<T>> {
  try {
    const object = await cluster.reads.get(type, key, signal);
    const version = stringAt(object, ['metadata', 'resourceVersion']);
    const resourceVersion = version.state === 'ok' ? version.value : 'absent';
    return { object, target: cluster.objectWatcher.target(type, key, resourceVersion) };
  } catch (error) {
    if (signal.aborted) throw error;
    return {
      problem: problemOf(error, type, key, cluster.client.clusterName),
      target: cluster.objectWatcher.target(type, key, 'absent'),
    };
  }
}

function problemOf(cause: unknown, type: ResourceType, key: ObjectKey, clusterName: string): Problem {
  if (isNotFound(cause)) {
    const text = isUnknownKind(cause)
      ? `not found: the cluster does not know ${type.kind} (${type.group}/${type.version}); is the SAP BTP service operator installed?`
      : notFoundText(keyString(key));
    return { kind: 'missing', text, cause };
  }
  if (isUnreachable(cause)) {
    return { kind: 'unreachable', text: `${clusterName} is unreachable: ${messageOf(cause)}`, cause };
  }
  if (isUnauthorized(cause) || isUntrusted(cause)) {
    const what = isUntrusted(cause) ? 'is not trusted' : 'does not accept the credentials';
    return { kind: 'refused', text: `${clusterName} ${what}: ${messageOf(cause)}`, cause };
  }
  const kind = isForbidden(cause) ? 'forbidden' : 'failed';
  return { kind, text: `cannot be read: ${messageOf(cause)}`, cause };
}

export function findingOf(
  type: ResourceType,
  key: ObjectKey,
  cluster: InputCluster,
  problems: readonly Problem[],
  read: Pick<Finding, 'target'>,
): Finding {
  const target = read.target === undefined ? {} : { target: read.target };
  const { clusterName } = cluster.client;
  return { type, object: objectName(type, key), key, clusterName, problems, ...target };
}

/** `Secret shop/hana-admin` */
function objectName(type: ResourceType, key: ObjectKey): string {
  return `${type.kind} ${keyString(key)}`;
}

/** Why an input object cannot be used. The first four are waited for; the others are errors that a user must fix. */
type ProblemKind =
  | 'missing'
  | 'incomplete'
  | 'not-ready'
  | 'unreachable'
  | 'malformed'
  | 'forbidden'
  /** The cluster does not accept the credentials, or has another certificate than expected. */
  | 'refused'
  | 'failed';

export interface Problem {
  readonly kind: ProblemKind;
  /** Completes `<object> …`: `not found`, `has no key uaa`. One line, no values of Secrets. */
  readonly text: string;
  /** Path of the field or key at fault, if any. */
  readonly field?: string;
  readonly cause?: unknown;
}

/** The result of reading one input object. Conditions and the report of `doctor` are made from findings. */
export interface Finding {
  readonly type: ResourceType;
  /** `Secret shop/hana-admin` */
  readonly object: string;
  readonly key: ObjectKey;
  readonly clusterName: string;
  /** Empty: the object is usable. */
  readonly problems: readonly Problem[];
  /** Requeues the resource when the object changes. */
  readonly target?: WatchedObject;
}

const waitedFor: ReadonlySet<ProblemKind> = new Set(['missing', 'incomplete', 'not-ready', 'unreachable']);

export function isWaitedFor(problem: Problem): boolean {
  return waitedFor.has(problem.kind);
}

/** Problems of the cluster rather than of one object. */
export const isOfCluster = ({ kind }: Problem): boolean => kind === 'unreachable' || kind === 'refused';

/**
 * All that is missing in one line: `ServiceBinding shop/hana-admin not found; ConfigMap kyma-system/x has no key
 * CLUSTER_ID (on cluster kyma-1)`. A problem of the cluster is reported once.
 *
 * @param kubeconfig where that of the cluster is: `key kubeconfig of Secret shop/kyma`
 */
export function describeProblems(findings: readonly Finding[], kubeconfig?: string): string {
  const broken = findings.filter((finding) => finding.problems.length > 0);
  const ofCluster = broken.flatMap((finding) => finding.problems).find(isOfCluster);
  if (ofCluster) {
    return kubeconfig === undefined ? ofCluster.text : `${ofCluster.text}; its kubeconfig is ${kubeconfig}`;
  }
  const byCluster = new Map<string, string[]>();
  for (const { object, clusterName, problems } of broken) {
    const texts = byCluster.get(clusterName) ?? [];
    texts.push(...problems.map((problem) => `${object} ${problem.text}`));
    byCluster.set(clusterName, texts);
  }
  return [...byCluster].map(([cluster, texts]) => `${texts.join('; ')} (on ${cluster})`).join('; ');
}

/**
 * The key of a Secret on the management cluster to which a resource refers. For a namespaced resource it is always in
 * the resource's own namespace: its author may have no right to read other namespaces.
 */
export function secretKeyOf(
  { metadata }: KubeObject,
  ref: { readonly name: string; readonly namespace?: string },
): { readonly name: string; readonly namespace: string } {
  return { name: ref.name, namespace: metadata.namespace ?? ref.namespace ?? '' };
}
