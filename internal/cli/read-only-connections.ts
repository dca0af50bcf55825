import { systemClock } from '../base/clock.ts';
import { type Logger, nopLogger } from '../base/logger.ts';
import { systemRandom } from '../base/random.ts';
import { createSemaphore } from '../base/semaphore.ts';
import { createHanaCloud } from '../clients/hana-cloud/client.ts';
import type { ClusterConfig } from '../kube/cluster-config.ts';
import { createClusterPool } from '../kube/cluster-pool.ts';
import { loadClusterConfig } from '../kube/load-cluster-config.ts';
import { createObjectNotifier } from '../kube/object-notifier.ts';
import { createReadOnlyTransport } from '../kube/read-only-transport.ts';
import { createKubeClient } from '../kube/rest-client.ts';
import { createTransport } from '../kube/transport.ts';
import { createLogger } from '../runtime/json-logger.ts';
import { createPrometheusMetrics } from '../runtime/metrics/prometheus.ts';
import type { ConnectionFlags } from './flags.ts';
import type { ProcessLike } from './process-like.ts';
import type { Connections } from './provider.ts';
import { trustEnvironmentCertificates } from './trust.ts';

/** The way to the clusters and to HANA Cloud for commands that change nothing. */
export interface ReadOnlyConnections extends Connections {
  /** The namespace of `-n`, else that of the context, else `default`: what kubectl would take. */
  readonly namespace: string;
  readonly log: Logger;
}

/** Calls in flight to HANA Cloud. */
const MAX_CALLS = 8;

/**
 * As `openConnections` of the provider, but over transports that refuse whatever is not a read: on the management
 * cluster and all that its Secrets lead to, where dry runs pass as well, and in HANA Cloud, where token grants do.
 */
export async function openReadOnlyConnections(
  flags: ConnectionFlags,
  host: ProcessLike,
): Promise<ReadOnlyConnections> {
  trustEnvironmentCertificates(host.env);
  const clock = systemClock;
  const random = systemRandom;
  const metrics = createPrometheusMetrics();
  const log = flags.debug ? createLogger({ debug: true }) : nopLogger;
  const config = await loadClusterConfig({
    clock,
    kubeconfig: flags.kubeconfig,
    context: flags.context,
    env: host.env,
  });
  const connect = (of: ClusterConfig, clusterName?: string) =>
    createKubeClient({
      config: of,
      transport: createReadOnlyTransport(createTransport({ config: of, env: host.env })),
      clock,
      random,
      metrics,
      ...(clusterName === undefined ? {} : { clusterName }),
    });
  const client = connect(config, 'management cluster');
  const notifier = createObjectNotifier({ client, clock, random, log });
  const remote = createClusterPool({ client, notifier, clock, random, log, metrics, connect });
  const hanaCloud = createHanaCloud({
    clock,
    random,
    log,
    metrics,
    env: host.env,
    externalCalls: createSemaphore(MAX_CALLS),
    allowPrivateEndpoints: flags.allowPrivateEndpoints,
    readOnly: true,
  });
  return {
    client,
    clusters: { own: { client, notifier }, remote },
    hanaCloud,
    namespace: flags.namespace || config.namespace || 'default',
    log,
    close: async () => {
      remote.close();
      notifier.close();
      await hanaCloud.close();
      await client.close();
    },
  };
}
