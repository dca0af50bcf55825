import type { WatchedObject } from '../../../base/errors/errors.ts';
import type { ObjectKey } from '../../../kube/object/object.ts';

/** Why an input object cannot be used. The first four are waited for; the others are errors that a user must fix. */
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
  /** Path of the field or key at fault, if any. */
  readonly field?: string;
  /** A command that shows or fixes the problem. */
  readonly remediation?: string;
  readonly cause?: unknown;
}

/** The result of reading one input object. Conditions and the report of `doctor` are made from findings. */
export interface Finding {
  /** The kind of the object. */
  readonly name: string;
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

/**
 * All that is missing in one line: `ServiceBinding shop/hana-admin not found; ConfigMap kyma-system/x has no key
 * CLUSTER_ID (on cluster kyma-1)`. An unreachable cluster is reported once.
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
