import { namespaces, type ResourceType, secrets } from '../../../internal/kube/object/resource-type.ts';
import { namespaceManifest, secretManifest } from '../../../test/environment/manifests.ts';
import type { Objects } from '../../../test/environment/objects.ts';
import type { ControlPlaneAccess } from '../../control-planes/access/access.ts';

/** The Secret on the management cluster that leads to the Kyma cluster. */
export const kubeconfigSecret = { namespace: 'crossplane-system', name: 'kyma' } as const;

const USER = 'provider-kyma';

const clusterRoles: ResourceType = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  namespaced: false,
};
const clusterRoleBindings: ResourceType = {
  ...clusterRoles,
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
};

const apiVersion = 'rbac.authorization.k8s.io/v1';
const reader = { apiVersion, kind: 'ClusterRole', metadata: { name: USER } };

/** A user of the Kyma cluster with the rights that docs/configuration.md names, and its kubeconfig on management. */
export async function grantAccess(
  plane: ControlPlaneAccess,
  { kyma, management }: { readonly kyma: Objects; readonly management: Objects },
): Promise<void> {
  const verbs = ['get', 'list', 'watch'];
  await kyma.apply(clusterRoles, {
    ...reader,
    rules: [
      { apiGroups: ['services.cloud.sap.com'], resources: ['serviceinstances', 'servicebindings'], verbs },
      { apiGroups: [''], resources: ['secrets', 'configmaps'], verbs },
    ],
  });
  await kyma.apply(clusterRoleBindings, {
    ...reader,
    kind: 'ClusterRoleBinding',
    roleRef: { apiGroup: clusterRoles.group, kind: 'ClusterRole', name: USER },
    subjects: [{ apiGroup: clusterRoles.group, kind: 'User', name: USER }],
  });
  await management.apply(namespaces, namespaceManifest(kubeconfigSecret.namespace));
  const kubeconfig = await plane.addUser({ name: USER });
  await management.apply(secrets, secretManifest(kubeconfigSecret, { kubeconfig }));
}
