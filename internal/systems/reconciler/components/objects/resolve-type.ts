import type { ResourceType } from '../../../../framework/kube/index.ts';

import type { Kinds } from '../model/managed-cluster.ts';
import { groupOf } from './prepared-object.ts';

/**
 * The kind of an object that was applied before: its version may not be served any more. Undefined if the cluster does not serve
 * the kind in any version, so that there are no such objects.
 */
export async function resolveAnyVersion(
  kinds: Kinds,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  signal: AbortSignal,
): Promise<ResourceType | undefined> {
  const exact = await kinds.find(apiVersion, kind, { signal });
  if (exact !== undefined) return exact;
  const group = groupOf(apiVersion);
  return (await kinds.all({ signal })).find((type) => type.group === group && type.kind === kind);
}
