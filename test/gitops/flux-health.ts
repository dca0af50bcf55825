/** The status that Flux computes with examples/flux/kustomizations.yaml. */
import { evaluate } from '@marcbachmann/cel-js';
import type { KubeObject } from '../../internal/framework/kube/object/object.ts';
import { exampleManifests } from './example-manifests.ts';
import { kstatus } from './kstatus.ts';
import type { KStatus } from './phases.ts';

interface HealthCheck {
  readonly apiVersion: string;
  readonly kind: string;
  readonly inProgress?: string;
  readonly failed?: string;
  readonly current: string;
}

interface Kustomization extends KubeObject {
  readonly spec: { readonly healthCheckExprs?: readonly HealthCheck[] };
}

export interface FluxHealthChecks {
  /** `apiVersion/Kind` */
  readonly kinds: readonly string[];
  statusOf(object: KubeObject): KStatus;
}

export async function fluxHealthChecks(): Promise<FluxHealthChecks> {
  const kustomizations = (await exampleManifests('flux/kustomizations.yaml')) as Kustomization[];
  const checks = new Map(
    kustomizations
      .flatMap(({ spec }) => spec.healthCheckExprs ?? [])
      .map((check) => [`${check.apiVersion}/${check.kind}`, check]),
  );
  return {
    kinds: [...checks.keys()],
    statusOf: (object) => {
      const check = checks.get(`${object.apiVersion}/${object.kind}`);
      return check === undefined ? kstatus(object) : byExpressions(object, check);
    },
  };
}

/**
 * Flux's order: the generation observed, then the expressions; none true is in progress, and an expression that fails
 * is unknown.
 */
function byExpressions(object: KubeObject, { inProgress, failed, current }: HealthCheck): KStatus {
  const { metadata, status } = object as KubeObject & { status?: { observedGeneration?: number } };
  const observed = status?.observedGeneration;
  if (observed !== undefined && observed !== metadata.generation) return 'InProgress';
  const isTrue = (expression: string | undefined) =>
    expression !== undefined && evaluate(expression, { ...object }) === true;
  try {
    if (isTrue(inProgress)) return 'InProgress';
    if (isTrue(failed)) return 'Failed';
    return isTrue(current) ? 'Current' : 'InProgress';
  } catch {
    return 'Unknown';
  }
}
