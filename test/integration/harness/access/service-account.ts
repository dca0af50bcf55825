import type { ControlPlaneAccess } from '../../../../hack/control-planes/access/access.ts';
import { objectsOf } from '../../../environment/objects.ts';
import { bindingManifest, clusterRoleBindings, createServiceAccount } from '../../../environment/rights.ts';

/** A token of a new cluster admin's service account, as a Kyma user would put into a kubeconfig. */
export async function serviceAccountToken(plane: ControlPlaneAccess, name: string): Promise<string> {
  const account = { namespace: 'default', name };
  const binding = bindingManifest({ name }, { kind: 'ServiceAccount', ...account }, 'cluster-admin');
  await objectsOf(plane).apply(clusterRoleBindings, binding);
  return (await createServiceAccount(plane, account)).token;
}
