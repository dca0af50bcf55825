import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import { createKubeClient, type RestClient } from '../../../internal/framework/kube/client/rest-client.ts';
import type { ClusterConfig } from '../../../internal/framework/kube/config/cluster-config.ts';
import { parseUntrustedKubeconfig } from '../../../internal/framework/kube/config/untrusted-kubeconfig.ts';
import type { ResourceType } from '../../../internal/framework/kube/object/resource-type.ts';
import { createTransport } from '../../../internal/framework/kube/transport/transport.ts';

export const namespaces: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
};

/** The client under test, for the user of a kubeconfig, with parts of its config replaced. Close it. */
export function connect(
  kubeconfig: string,
  changes: Partial<ClusterConfig> = {},
  env: Record<string, string> = {},
): RestClient {
  const config = { ...parseUntrustedKubeconfig(kubeconfig), ...changes };
  const transport = createTransport({ config, env });
  return createKubeClient({ config, transport, clusterName: 'cluster test', clock: systemClock });
}

/** A namespace of the test's own. */
export async function createNamespace(client: RestClient, name: string): Promise<void> {
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
}
