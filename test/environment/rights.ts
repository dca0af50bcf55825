/** Roles, bindings and service accounts of test clusters. */
import type { ControlPlaneAccess } from '../../hack/control-planes/access/access.ts';
import type { KubeObject } from '../../internal/framework/kube/object/object.ts';
import type { ResourceType } from '../../internal/framework/kube/object/resource-type.ts';
import { objectsOf } from './objects.ts';
import type { ClusterRole, ClusterRoleBinding, Rule } from './package-permissions.ts';

const group = 'rbac.authorization.k8s.io';
const ofNamespace = { group, version: 'v1', namespaced: true } as const;
const ofCluster = { ...ofNamespace, namespaced: false } as const;
export const roles: ResourceType = { ...ofNamespace, kind: 'Role', plural: 'roles' };
export const roleBindings: ResourceType = { ...ofNamespace, kind: 'RoleBinding', plural: 'rolebindings' };
export const clusterRoles: ResourceType<ClusterRole> = {
  ...ofCluster,
  kind: 'ClusterRole',
  plural: 'clusterroles',
};
export const clusterRoleBindings: ResourceType<ClusterRoleBinding> = {
  ...ofCluster,
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
};
export const serviceAccounts: ResourceType = {
  ...{ group: '', version: 'v1', namespaced: true },
  ...{ kind: 'ServiceAccount', plural: 'serviceaccounts' },
};

type Subject =
  | { readonly kind: 'User' | 'Group'; readonly name: string }
  | { readonly kind: 'ServiceAccount'; readonly name: string; readonly namespace: string };

interface Place {
  readonly name: string;
  /** Undefined: in the whole cluster. */
  readonly namespace?: string;
}

const manifest = (kind: string, metadata: Place, content: object): KubeObject => ({
  ...{ apiVersion: `${group}/v1`, kind, metadata: { ...metadata } },
  ...content,
});

/** A Role in a namespace, or a ClusterRole. */
export const roleManifest = (place: Place, rules: readonly Rule[]): KubeObject =>
  manifest(place.namespace === undefined ? 'ClusterRole' : 'Role', place, { rules });

/** @param role a ClusterRole; default: the role in the same place with the same name */
export function bindingManifest(place: Place, subject: Subject, role?: string): KubeObject {
  const kind = place.namespace === undefined ? 'ClusterRole' : 'Role';
  const roleRef = {
    apiGroup: group,
    kind: role === undefined ? kind : 'ClusterRole',
    name: role ?? place.name,
  };
  const subjects = [subject.kind === 'ServiceAccount' ? subject : { apiGroup: group, ...subject }];
  return manifest(`${kind}Binding`, place, { roleRef, subjects });
}

/** Lets a subject do this in a namespace, or everywhere. */
export async function grantRights(
  { apply }: { apply(type: ResourceType, object: KubeObject): Promise<unknown> },
  place: Place,
  { rules, subject }: { readonly rules: readonly Rule[]; readonly subject: Subject },
): Promise<void> {
  const isLocal = place.namespace !== undefined;
  await apply(isLocal ? roles : clusterRoles, roleManifest(place, rules));
  await apply(isLocal ? roleBindings : clusterRoleBindings, bindingManifest(place, subject));
}

/** What a mapping reads on its Kyma cluster. */
export const sourceRules = (verbs: readonly string[]): readonly Rule[] => [
  { apiGroups: ['services.cloud.sap.com'], resources: ['serviceinstances', 'servicebindings'], verbs },
  { apiGroups: [''], resources: ['secrets', 'configmaps'], verbs },
];

/** Creates a service account. @param seconds that its token is good for */
export async function createServiceAccount(
  plane: Pick<ControlPlaneAccess, 'name' | 'request'>,
  metadata: { readonly namespace: string; readonly name: string },
  seconds = 3600,
): Promise<{ readonly token: string }> {
  await objectsOf(plane).apply(serviceAccounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
  const path = `/api/v1/namespaces/${metadata.namespace}/serviceaccounts/${metadata.name}/token`;
  const { status, body } = await plane.request(path, {
    method: 'POST',
    body: { spec: { expirationSeconds: seconds } },
  });
  if (status !== 201) throw new Error(`cannot get a token for ${metadata.name}: ${status}`);
  return (body as { status: { token: string } }).status;
}
