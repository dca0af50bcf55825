import { stringify } from 'yaml';
import { btpCrds } from '../../environment/install-crds.ts';

/** Where the service operator has its settings in each runtime. */
export const RELEASE_NAMESPACE = 'kyma-system';
export const CLUSTER_ID = 'c-runtime';

/**
 * The component that gives a runtime its service operator: kinds, credentials of Service Manager, and the ID of the cluster. The
 * operator itself is a process of the test, because no pods run.
 */
export async function serviceOperatorChart(
  credentials: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'sap-btp-service-operator', namespace: RELEASE_NAMESPACE },
    stringData: credentials,
  };
  const configMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'sap-btp-operator-config', namespace: RELEASE_NAMESPACE },
    data: { CLUSTER_ID },
  };
  const crds = (await btpCrds()).map((crd) => stringify(crd, { lineWidth: 0 })).join('---\n');
  return {
    'files/crds.yaml': crds,
    'templates/crds.yaml': '{{ .Files.Get "files/crds.yaml" }}',
    'templates/settings.yaml': [secret, configMap].map((object) => stringify(object)).join('---\n'),
  };
}
