import {
  isConflict,
  isNotFound,
  type KubeObject,
  type ObjectKey,
  type ResourceType,
} from '../../../../../framework/kube/index.ts';
import {
  isPermitted,
  type Owner,
  type Ownership,
  type OwnershipRule,
  recordedOwnership,
} from '../../../../../framework/ownership/ownership.ts';
import type { ManagedCluster } from '../../model/component.ts';
import { LABEL_COMPONENT } from '../interceptors.ts';
import { objectNameOf } from '../prepared-object.ts';

interface DeleteObjectOptions {
  readonly cluster: Pick<ManagedCluster, 'part'>;
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
type Deletion =
  | { readonly state: 'deleted'; readonly uid: string | undefined }
  | { readonly state: 'kept' | 'absent' };

/** Deletes an object of the component; what it owns follows in the background. */
export async function deleteObject(
  type: ResourceType,
  key: ObjectKey,
  { cluster, component, signal, isKept }: DeleteObjectOptions,
): Promise<Deletion> {
  try {
    using part = await cluster.part({ signal });
    const live = await part.client.getMetadata(type, key, { signal });
    if (component !== undefined && isOfAnother(live, component)) return { state: 'absent' };
    if (await isKept?.(live, type)) return { state: 'kept' };
    const { uid } = live.metadata;
    await part.client.delete(type, key, {
      propagationPolicy: 'Background',
      ...(uid === undefined ? {} : { preconditions: { uid } }),
      signal,
    });
    return { state: 'deleted', uid };
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

/** Objects of the Go program name no component: a chart, an inventory or the name of an earlier version says whose they are. */
const RULE: OwnershipRule = { unrecorded: ['adopt', 'update', 'delete'], abandoned: [] };

/** Whose an object of a managed cluster is: a label names the component that has deployed it last. */
function componentOwnership({ metadata }: KubeObject, component: string): Ownership {
  const recorded = metadata.labels?.[LABEL_COMPONENT];
  return recordedOwnership(
    ownerOf(objectNameOf(component)),
    recorded === undefined ? undefined : ownerOf(recorded),
  );
}

/** Whether the component must leave it: it neither changes nor deletes what another component has deployed since. */
export const isOfAnother = (object: KubeObject, component: string): boolean =>
  !isPermitted(componentOwnership(object, component), 'delete', RULE);

const ownerOf = (name: string): Owner => ({ kind: 'component', name });
