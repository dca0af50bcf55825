import type { KubeObject } from '../../../kube/object/object.ts';

/**
 * Where a Secret of the management cluster lies that a resource refers to. A namespaced resource reads Secrets of its
 * own namespace and no others, whatever its reference says: whoever wrote it has perhaps no right to read the others.
 */
export function secretKeyOf(
  { metadata }: KubeObject,
  ref: { readonly name: string; readonly namespace?: string },
): { readonly name: string; readonly namespace: string } {
  return { name: ref.name, namespace: metadata.namespace ?? ref.namespace ?? '' };
}
