import { isReady, observedGenerationOf, succeededOf } from '../../status/conditions.ts';
import type { ServiceInstance } from '../resource.ts';
import { shareAction } from './share-action.ts';

/** Whether Service Manager has what the spec says, as far as the status shows. */
export function isFinal(instance: ServiceInstance): boolean {
  const { metadata, status } = instance;
  return (
    isReady(instance) &&
    status?.forceReconcile !== true &&
    (status?.operationURL ?? '') === '' &&
    succeededOf(instance)?.status === 'True' &&
    observedGenerationOf(instance) === metadata.generation &&
    shareAction(instance) === undefined
  );
}
