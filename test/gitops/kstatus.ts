import type { KubeObject } from '../../internal/kube/object/object.ts';
import type { KStatus } from './phases.ts';

interface Conditioned extends KubeObject {
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/**
 * What kstatus says of an object of a kind that it does not know, by its rules in their order: deletion, the generation
 * observed, the conditions Reconciling and Stalled, the condition Ready. What has none of these is taken for done.
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
