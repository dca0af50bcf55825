import type { KubeObject } from '../../internal/framework/kube/object/object.ts';
import type { KStatus } from './phases.ts';

interface Conditioned extends KubeObject {
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/**
 * The status that kstatus computes for an object of an unknown kind, by its rules in their order: deletion, the
 * generation observed, the conditions Reconciling and Stalled, the condition Ready. Without any of these an object is
 * Current.
 */
export function kstatus(object: KubeObject): KStatus {
  const { metadata, status = {} } = object as Conditioned;
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  const { observedGeneration, conditions = [] } = status;
  if (observedGeneration !== undefined && observedGeneration !== metadata.generation) return 'InProgress';
  for (const { type, status } of conditions) {
    if (type === 'Reconciling' && status === 'True') return 'InProgress';
    if (type === 'Stalled' && status === 'True') return 'Failed';
  }
  const ready = conditions.find(({ type }) => type === 'Ready');
  return ready === undefined || ready.status === 'True' ? 'Current' : 'InProgress';
}
