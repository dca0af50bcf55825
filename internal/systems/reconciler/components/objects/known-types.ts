import { isNotFound, type ResourceType } from '../../../../framework/kube/index.ts';
import type { Kinds } from '../model/component.ts';
import { groupOf } from './prepared-object.ts';

/** Kinds of every cluster that are read beside the manifest. */
export const replicaSets: ResourceType = {
  group: 'apps',
  version: 'v1',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  namespaced: true,
};

/** The groups that API servers serve themselves. Their kinds keep fields of others; kinds of all other groups do not. */
const BUILT_IN_GROUPS: ReadonlySet<string> = new Set([
  '',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'apps',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'extensions',
  'flowcontrol.apiserver.k8s.io',
  'internal.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
  'storagemigration.k8s.io',
]);

export const isBuiltIn = ({ group }: Pick<ResourceType, 'group'>): boolean => BUILT_IN_GROUPS.has(group);

export const isNamespace = ({ group, kind }: Pick<ResourceType, 'group' | 'kind'>): boolean =>
  group === '' && kind === 'Namespace';

export const isCrd = ({ group, kind }: Pick<ResourceType, 'group' | 'kind'>): boolean =>
  group === 'apiextensions.k8s.io' && kind === 'CustomResourceDefinition';

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
  return (await kinds.all({ signal, group })).find((type) => type.kind === kind);
}

/** What the call gives; undefined if there is no such object, or the cluster does not serve its kind. */
export async function ifFound<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
