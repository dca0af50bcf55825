import { createClusterPool } from '../../framework/kube/index.ts';
import type { ModuleContext } from '../../framework/module/module.ts';
import type { InventoryFlags } from './flags.ts';
import { createHanaCloud, type HanaCloud } from './hana-cloud/client.ts';
import type { KymaClusters } from './kymainstancemapping/inputs/kyma-cluster.ts';

/** Connections to Kyma clusters and to HANA Cloud. */
interface InventoryConnections extends AsyncDisposable {
  readonly clusters: KymaClusters;
  readonly hanaCloud: HanaCloud;
  close(): Promise<void>;
}

/** Concurrent requests of a command to HANA Cloud. The rest of the tenant's quota is for the provider. */
const MAX_CALLS_OF_COMMANDS = 8;

export function openInventoryConnections(context: ModuleContext<InventoryFlags>): InventoryConnections {
  const { deps, cluster, limiter, connect, env, flags, readOnly, trustedCertificates } = context;
  const { client, objectWatcher, reads, polledReads } = cluster;
  const [namespace = '', name = ''] = flags.clusterIdConfigMap.split('/');
  const clusterIdConfigMap = { namespace, name };
  const remote = createClusterPool({ ...deps, client, objectWatcher, connect });
  const hanaCloud = createHanaCloud({
    ...deps,
    env,
    limiter,
    maxCalls: readOnly ? MAX_CALLS_OF_COMMANDS : flags.maxExternalCalls,
    allowPrivateEndpoints: flags.allowPrivateEndpoints,
    cacheTokens: flags.tokenCache,
    readOnly,
    ...(trustedCertificates ? { trustedCertificates } : {}),
  });
  const close = async () => {
    remote.close();
    await hanaCloud.close();
  };
  return {
    clusters: { own: { client, objectWatcher, reads, polledReads, clusterIdConfigMap }, remote },
    hanaCloud,
    close,
    [Symbol.asyncDispose]: close,
  };
}
