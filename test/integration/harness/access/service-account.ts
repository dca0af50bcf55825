import type { ControlPlaneAccess } from '../../../../hack/control-planes/access/access.ts';

/** A token of a new cluster admin's service account, as a Kyma user would put into a kubeconfig. */
export async function serviceAccountToken({ request }: ControlPlaneAccess, name: string): Promise<string> {
  const namespace = 'default';
  const create = async (path: string, body: unknown): Promise<unknown> => {
    const { status, body: answer } = await request(path, { method: 'POST', body });
    if (status >= 300) throw new Error(`cannot create ${path}: ${status} ${JSON.stringify(answer)}`);
    return answer;
  };
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  await create(accounts, { metadata: { name } });
  await create('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  });
  const answer = await create(`${accounts}/${name}/token`, { spec: { expirationSeconds: 3600 } });
  const { status } = answer as { status: { token: string } };
  return status.token;
}
