import { parseAllDocuments } from 'yaml';
import type { ControlPlane } from '../../../../hack/control-planes/control-plane.ts';
import type { KubeObject } from '../../../../internal/framework/kube/object/object.ts';
import type { ResourceType } from '../../../../internal/framework/kube/object/resource-type.ts';
import { readChartFiles } from '../../../../internal/systems/reconciler/components/charts/rendering/perform-chart-job.ts';
import { renderChart } from '../../../../internal/templates/helm/index.ts';
import { objectsOf } from '../../../environment/objects.ts';

const clusterRoles: ResourceType<KubeObject> = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  namespaced: false,
};
const types: Readonly<Record<string, ResourceType<KubeObject>>> = {
  ClusterRole: clusterRoles,
  ClusterRoleBinding: { ...clusterRoles, kind: 'ClusterRoleBinding', plural: 'clusterrolebindings' },
};

/** Applies the cluster roles and bindings among manifests. */
export async function applyClusterRoles(plane: ControlPlane, manifests: readonly string[]): Promise<void> {
  const objects = objectsOf(plane);
  for (const document of manifests.flatMap((text) => parseAllDocuments(text))) {
    const object: KubeObject | null = document.toJS();
    const type = object === null ? undefined : types[object.kind];
    if (object !== null && type !== undefined) await objects.apply(type, object);
  }
}

/**
 * The account of core with the rights of Crossplane's chart, and nothing else; returns its kubeconfig.
 *
 * @param kinds of composite resources and of packages, `plural.group`, which Crossplane's RBAC manager would grant
 */
export async function coreAccount(
  plane: ControlPlane,
  {
    chart,
    namespace,
    kinds,
  }: { readonly chart: string; readonly namespace: string; readonly kinds: readonly string[] },
): Promise<string> {
  const { manifests } = renderChart({
    files: await readChartFiles(chart),
    values: {},
    release: { name: 'crossplane', namespace },
  });
  await applyClusterRoles(
    plane,
    manifests.map(({ text }) => text),
  );
  await objectsOf(plane).apply(clusterRoles, {
    ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' },
    metadata: {
      name: 'crossplane-rbac-manager-grants',
      labels: { 'rbac.crossplane.io/aggregate-to-crossplane': 'true' },
    },
    rules: kinds.map((kind) => {
      const [resource = '', ...group] = kind.split('.');
      return {
        apiGroups: [group.join('.')],
        resources: [resource, `${resource}/status`, `${resource}/finalizers`],
        verbs: ['*'],
      };
    }),
  } as KubeObject);
  return plane.addUser({
    name: `system:serviceaccount:${namespace}:crossplane`,
    groups: ['system:serviceaccounts', 'system:authenticated'],
  });
}
