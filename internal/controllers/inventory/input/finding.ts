import type { WaitTarget } from '../../../base/errors/errors.ts';
import type { ObjectKey } from '../../../kube/object/object.ts';

/** The links of the chain from a KymaInstanceMapping to the HANA Cloud API, in the order they are followed. */
export type Hop = 'Kubeconfig' | 'ServiceInstance' | 'ServiceBinding' | 'Secret' | 'ConfigMap';

/**
 * Why a source cannot be used. The first four are waited for, since others will bring them; the rest are failures:
 * somebody has to mend something.
 */
export type ProblemKind =
  | 'missing'
  | 'incomplete'
  | 'not-ready'
  | 'unreachable'
  | 'malformed'
  | 'forbidden'
  | 'failed';

export interface Problem {
  readonly kind: ProblemKind;
  /** Completes `<object> …`: `not found`, `has no key uaa`. One line, no values of Secrets. */
  readonly text: string;
  /** Path of the field or key at fault, where it is one. */
  readonly field?: string;
  /** A command that shows or mends it. */
  readonly mend?: string;
  readonly cause?: unknown;
}

/** What one hop came to: the condition's message and doctor's report are both written from these. */
export interface Finding {
  readonly hop: Hop;
  /** `Secret shop/hana-admin` */
  readonly object: string;
  /** Of the object that was read. */
  readonly key: ObjectKey;
  readonly clusterName: string;
  /** Empty: this hop holds. */
  readonly problems: readonly Problem[];
  /** Wakes the reconcile when the object changes. */
  readonly target?: WaitTarget;
}

const waitedFor: ReadonlySet<ProblemKind> = new Set(['missing', 'incomplete', 'not-ready', 'unreachable']);

export function isWaitedFor(problem: Problem): boolean {
  return waitedFor.has(problem.kind);
}

/**
 * All that is missing in one line: `ServiceBinding shop/hana-admin not found; ConfigMap kyma-system/x has no key
 * CLUSTER_ID (on cluster kyma-1)`. An unreachable cluster is said once, however many reads it broke.
 */
export function describeProblems(findings: readonly Finding[]): string {
  const broken = findings.filter((finding) => finding.problems.length > 0);
  const unreachable = broken
    .flatMap((finding) => finding.problems)
    .find((problem) => problem.kind === 'unreachable');
  if (unreachable) return unreachable.text;
  const byCluster = new Map<string, string[]>();
  for (const { object, clusterName, problems } of broken) {
    const texts = byCluster.get(clusterName) ?? [];
    texts.push(...problems.map((problem) => `${object} ${problem.text}`));
    byCluster.set(clusterName, texts);
  }
  return [...byCluster].map(([cluster, texts]) => `${texts.join('; ')} (on ${cluster})`).join('; ');
}
