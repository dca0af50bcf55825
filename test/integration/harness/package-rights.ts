import type { ControlPlaneAccess } from '../../../hack/control-planes/access.ts';
import type { Crd } from '../../landscape/install-crds.ts';
import { objectsOf } from '../../landscape/objects.ts';

const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: false } as const;
const clusterRoles = { ...rbac, kind: 'ClusterRole', plural: 'clusterroles' };
const clusterRoleBindings = { ...rbac, kind: 'ClusterRoleBinding', plural: 'clusterrolebindings' };

/** What Crossplane lets the provider of a safe-start package do; the table of package-and-composition §6. */
export function packageRules(crds: readonly Crd[]): object[] {
  const groups = [...new Set(crds.map(({ spec }) => spec.group))];
  return [
    ...groups.map((group) => ({
      apiGroups: [group],
      resources: crds
        .filter(({ spec }) => spec.group === group)
        .flatMap(({ spec: { names } }) => [names.plural, `${names.plural}/status`]),
      verbs: ['get', 'list', 'watch', 'update', 'patch', 'create'],
    })),
    { apiGroups: groups, resources: ['*/finalizers'], verbs: ['update'] },
    {
      apiGroups: ['', 'coordination.k8s.io'],
      resources: ['secrets', 'configmaps', 'events', 'leases'],
      verbs: ['*'],
    },
    {
      apiGroups: ['apiextensions.k8s.io'],
      resources: ['customresourcedefinitions'],
      verbs: ['get', 'list', 'watch'],
    },
  ];
}

/** Makes a service account with those rights, in a namespace that exists, and returns a token of it. */
export async function packageServiceAccount(
  plane: ControlPlaneAccess,
  { namespace, name, crds }: { namespace: string; name: string; crds: readonly Crd[] },
): Promise<string> {
  const objects = objectsOf(plane);
  const apiVersion = `${rbac.group}/${rbac.version}`;
  const accounts = {
    group: '',
    version: 'v1',
    kind: 'ServiceAccount',
    plural: 'serviceaccounts',
    namespaced: true,
  };
  const role = `crossplane:provider:${name}:system`;
  await objects.apply(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name } });
  await objects.apply(clusterRoles, {
    apiVersion,
    kind: clusterRoles.kind,
    metadata: { name: role },
    rules: packageRules(crds),
  } as { apiVersion: string; kind: string; metadata: { name: string } });
  await objects.apply(clusterRoleBindings, {
    apiVersion,
    kind: clusterRoleBindings.kind,
    metadata: { name: role },
    roleRef: { apiGroup: rbac.group, kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  } as { apiVersion: string; kind: string; metadata: { name: string } });
  const { body } = await plane.request(`/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`, {
    method: 'POST',
    body: { spec: { expirationSeconds: 3600 } },
  });
  return (body as { status: { token: string } }).status.token;
}
