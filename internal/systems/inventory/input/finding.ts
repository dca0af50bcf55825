import type { WatchedObject } from '../../../framework/base/index.ts';
import type { ObjectKey, ResourceType } from '../../../framework/kube/index.ts';

/** Why an input object cannot be used. The first four are waited for; the others are errors that a user must fix. */
export type ProblemKind =
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
