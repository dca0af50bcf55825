import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { namespaces } from '../../../internal/framework/kube/object/resource-type.ts';
import { namespaceManifest } from '../../environment/manifests.ts';
import type { BareEnvironment } from '../harness/bare-environment.ts';
import { uniqueName } from '../harness/control-planes/control-planes.ts';
import type { Mount } from '../harness/provider/container.ts';
import { installedProviderAccount } from '../harness/provider/provider-account.ts';

/** The pod of the generated Deployment, as the kubelet would start it. */
export interface Pod {
  readonly namespace: string;
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
}

/** Pod and container security context of the generated Deployment. */
export const POD_USER = '2000:2000';

/**
 * Creates the pod's namespace and service account, and writes the Secrets that the kubelet would mount.
 *
 * @param folder for the mounted files
 */
export async function preparePod(environment: BareEnvironment, folder: string): Promise<Pod> {
  const namespace = uniqueName('crossplane-system');
  const revision = 'provider-kyma-0123456789ab';
  const { management } = environment.planes;
  await environment.management.apply(namespaces, namespaceManifest(namespace));
  const { token } = await installedProviderAccount(management, { namespace, name: revision });
  const volume = async (
    name: string,
    to: string,
    files: Readonly<Record<string, string>>,
  ): Promise<Mount> => {
    const from = join(folder, name);
    await mkdir(from, { recursive: true });
    for (const [file, text] of Object.entries(files)) await writeFile(join(from, file), text);
    return { from, to };
  };
  const ca = await readFile(join(management.directory, 'ca.crt'), 'utf8');
  const certificates = { 'tls.crt': '', 'tls.key': '', 'ca.crt': '' };
  const { hostname, port } = new URL(management.server);
  return {
    namespace,
    env: {
      POD_NAMESPACE: namespace,
      PROVIDER_NAME: 'provider-kyma',
      REVISION_NAME: revision,
      REVISION_UID: '5d8dcd1b-26ad-4c3f-8e2b-1a3a5d3f2b11',
      TLS_CLIENT_CERTS_DIR: '/tls/client',
      TLS_SERVER_CERTS_DIR: '/tls/server',
      WEBHOOK_TLS_CERT_DIR: '/tls/server',
      KUBERNETES_SERVICE_HOST: hostname,
      KUBERNETES_SERVICE_PORT: port,
      // A DeploymentRuntimeConfig of this test: it has the host's network, and a HANA Cloud on it.
      METRICS_BIND_ADDRESS: '127.0.0.1:0',
      HEALTH_PROBE_BIND_ADDRESS: '127.0.0.1:0',
      PROVIDER_KYMA_WATCH_LABEL_SELECTOR: environment.selector,
      ALLOW_PRIVATE_ENDPOINTS: 'true',
      NODE_EXTRA_CA_CERTS: '/trust/hana.pem',
    },
    mounts: [
      await volume('account', '/var/run/secrets/kubernetes.io/serviceaccount', {
        token,
        'ca.crt': ca,
        namespace,
      }),
      await volume('server', '/tls/server', certificates),
      await volume('client', '/tls/client', certificates),
      await volume('trust', '/trust', { 'hana.pem': environment.simulator.caCertificate }),
    ],
  };
}
