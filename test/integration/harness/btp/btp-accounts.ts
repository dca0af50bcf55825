/** Service accounts of the chart of the SAP BTP service operator. */
import type { ControlPlaneAccess } from '../../../../hack/control-planes/access/access.ts';
import { editKubeconfig } from '../access/kubeconfigs.ts';

export const OPERATOR_ACCOUNT = 'sap-btp-operator';

/** The service accounts of a release namespace. */
export interface BtpAccounts {
  /** As audit events name it. */
  userOf(account: string): string;
  /** A kubeconfig with a token of a service account. */
  kubeconfigOf(account: string): Promise<string>;
  /** Requests of these accounts that were refused for lack of a right, as `verb resource in namespace`. */
  refusals(...accounts: readonly string[]): Promise<string[]>;
}

export function btpAccounts(plane: ControlPlaneAccess, namespace: string): BtpAccounts {
  const userOf = (account: string) => `system:serviceaccount:${namespace}:${account}`;
  return {
    userOf,
    kubeconfigOf: async (account) => {
      const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
      const { body } = await plane.request(path, {
        method: 'POST',
        body: { spec: { expirationSeconds: 7200 } },
      });
      const { token } = (body as { status: { token: string } }).status;
      return editKubeconfig(plane.kubeconfig, { credentials: { token } });
    },
    refusals: async (...accounts) => {
      const users = accounts.map(userOf);
      const refused = (await plane.auditEvents(namespace)).filter(
        ({ user, annotations }) =>
          users.includes(user.username) && annotations?.['authorization.k8s.io/decision'] === 'forbid',
      );
      return refused.map(
        ({ verb, objectRef = {} }) =>
          `${verb} ${objectRef.resource}.${objectRef.apiGroup ?? ''} ${objectRef.name ?? ''} in ${objectRef.namespace}`,
      );
    },
  };
}
