import type { KubeClient } from '../../../internal/framework/kube/client/client.ts';
import type { KubeObject } from '../../../internal/framework/kube/object/object.ts';
import type { ResourceType } from '../../../internal/framework/kube/object/resource-type.ts';

const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: true } as const;
const roles: ResourceType = { ...rbac, kind: 'Role', plural: 'roles' };
const roleBindings: ResourceType = { ...rbac, kind: 'RoleBinding', plural: 'rolebindings' };

export interface Grant {
  readonly namespace: string;
  readonly user: string;
  readonly type: ResourceType;
  readonly verbs: readonly string[];
}

/** Grants a user verbs in one namespace. API servers apply it shortly after. */
export async function grant(admin: KubeClient, { namespace, user, type, verbs }: Grant): Promise<void> {
  const name = `${user}-${type.plural}`;
  const object = (of: ResourceType, content: object): KubeObject => ({
    apiVersion: `${rbac.group}/${rbac.version}`,
    kind: of.kind,
    metadata: { name, namespace },
    ...content,
  });
  const rules = [{ apiGroups: [type.group], resources: [type.plural], verbs }];
  const roleRef = { apiGroup: rbac.group, kind: roles.kind, name };
  const subjects = [{ apiGroup: rbac.group, kind: 'User', name: user }];
  const apply = { fieldManager: 'test', force: true };
  await admin.apply(roles, object(roles, { rules }), apply);
  await admin.apply(roleBindings, object(roleBindings, { roleRef, subjects }), apply);
}
