import { isNotFound, type KubeObject, type ResourceType } from '../../../../framework/kube/index.ts';
import type { RuntimeClusterUse } from './runtime-cluster.ts';

/** Deletes these objects, which have no namespace. One that was changed or created anew since they were read stays. */
export async function deleteOwn(
  { client, signal, assertMayWrite }: RuntimeClusterUse,
  type: ResourceType,
  objects: readonly KubeObject[],
): Promise<void> {
  for (const { metadata } of objects) {
    const { name, uid, resourceVersion } = metadata;
    const preconditions = {
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    };
    assertMayWrite();
    try {
      await client.delete(type, { name }, { signal, preconditions });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
