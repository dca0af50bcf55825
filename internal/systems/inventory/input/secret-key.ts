import type { KubeObject } from '../../../framework/kube/index.ts';

/**
 * The key of a Secret on the management cluster to which a resource refers. For a namespaced resource it is always in
 * the resource's own namespace: its author may have no right to read other namespaces.
 */
export function secretKeyOf(
  { metadata }: KubeObject,
  ref: { readonly name: string; readonly namespace?: string },
): { readonly name: string; readonly namespace: string } {
  return { name: ref.name, namespace: metadata.namespace ?? ref.namespace ?? '' };
}
