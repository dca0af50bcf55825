import { isNotFound, type KubeObject, type ResourceType } from '../../../../kube/index.ts';
import type { RuntimeClusterUse } from './runtime-cluster.ts';

/** Deletes these objects, which have no namespace. One of the same name that was created since stays. */
export async function deleteOwn(
  { client, signal, assertMayWrite }: RuntimeClusterUse,
  type: ResourceType,
  objects: readonly KubeObject[],
): Promise<void> {
  for (const { metadata } of objects) {
    const { name, uid } = metadata;
    assertMayWrite();
    try {
      await client.delete(
        type,
        { name },
        { signal, ...(uid === undefined ? {} : { preconditions: { uid } }) },
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
