import type { ActionContext } from '../../model/actions.ts';
import type { Manifest, ManifestObject } from '../../model/manifest.ts';

/** The objects of the manifest, those of namespaced kinds with the namespace if they have none. */
export async function inNamespace(
  manifest: Manifest,
  namespace: string,
  { cluster, signal }: Pick<ActionContext, 'cluster' | 'signal'>,
): Promise<Manifest> {
  const placed: ManifestObject[] = [];
  for (const { object, source } of manifest) {
    const { apiVersion, kind, metadata } = object;
    const isPlaced = metadata.namespace !== undefined && metadata.namespace !== '';
    const type = isPlaced ? undefined : await cluster.kinds.find(apiVersion, kind, { signal });
    const own = type?.namespaced ? { ...object, metadata: { ...metadata, namespace } } : object;
    placed.push({ object: own, source });
  }
  return placed;
}
