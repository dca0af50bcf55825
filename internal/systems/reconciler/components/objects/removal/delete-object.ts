import {
  isConflict,
  isNotFound,
  type KubeObject,
  type ObjectKey,
  type ResourceType,
} from '../../../../../framework/kube/index.ts';

import type { ManagedCluster } from '../../model/component.ts';
import { isOfAnother } from './component-ownership.ts';

export interface DeleteObjectOptions {
  readonly cluster: Pick<ManagedCluster, 'client'>;
  /** Undefined: objects of all components. */
  readonly component: string | undefined;
  readonly signal: AbortSignal;
  /** Objects that are not deleted though they are the component's. Default: none. */
  readonly isKept?: (live: KubeObject, type: ResourceType) => Promise<boolean>;
}

/**
 * `deleted`: the server has accepted the deletion. `kept`: `isKept` said so. `absent`: there is none, or it is another
 * component's by now.
 */
export type Deletion =
  | { readonly state: 'deleted'; readonly live: KubeObject }
  | { readonly state: 'kept' | 'absent' };

/** Deletes an object of the component; what it owns follows in the background. */
export async function deleteObject(
  type: ResourceType,
  key: ObjectKey,
  { cluster, component, signal, isKept }: DeleteObjectOptions,
): Promise<Deletion> {
  try {
    const live = await cluster.client.getMetadata(type, key, { signal });
    if (component !== undefined && isOfAnother(live, component)) return { state: 'absent' };
    if (await isKept?.(live, type)) return { state: 'kept' };
    const { uid } = live.metadata;
    await cluster.client.delete(type, key, {
      propagationPolicy: 'Background',
      ...(uid === undefined ? {} : { preconditions: { uid } }),
      signal,
    });
    return { state: 'deleted', live };
  } catch (error) {
    // A conflict: another object was created under the name.
    if (isNotFound(error) || isConflict(error)) return { state: 'absent' };
    throw error;
  }
}

const ANNOTATION_HELM_POLICY = 'helm.sh/resource-policy';

/** Whether the object stays when it leaves its chart, and when the chart is removed. Helm reads the value in the same way. */
export const isKeptByHelm = ({ metadata }: KubeObject): boolean =>
  metadata.annotations?.[ANNOTATION_HELM_POLICY]?.trim().toLowerCase() === 'keep';
