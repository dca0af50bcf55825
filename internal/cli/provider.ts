/**
 * Puts the rooms together: one client, HANA Cloud, and the kinds on the framework. The command `start` runs what this
 * returns; so do the integration tests, within their own process.
 */
import { type Clock, systemClock } from '../base/clock.ts';
import { type ConcurrencyLimiter, createConcurrencyLimiter } from '../base/concurrency-limiter.ts';
import type { Logger } from '../base/logger.ts';
import { systemRandom } from '../base/random.ts';
import { nopTracer, type Tracer } from '../base/tracer.ts';
import { createHanaCloud, type HanaCloud } from '../clients/hana-cloud/client.ts';
import type { KymaClusters } from '../controllers/inventory/kymainstancemapping/kyma-cluster.ts';
import { createMappingClaims } from '../controllers/inventory/mapping/mapping-claims.ts';
import { createSightings } from '../controllers/inventory/mapping/sightings.ts';
import type { ClusterConfig } from '../kube/cluster-config.ts';
import { type ConnectionLimits, createClusterPool } from '../kube/cluster-pool.ts';
import { createObjectNotifier } from '../kube/object-notifier.ts';
import { createReadOnlyTransport } from '../kube/read-only-transport.ts';
import { createKubeClient, type RestClient } from '../kube/rest-client.ts';
import { createSharedReads } from '../kube/shared-reads.ts';
import { createTransport } from '../kube/transport.ts';
import type { ChangeLog } from '../runtime/changelog/change-log.ts';
import type { Manager } from '../runtime/manager/manager.ts';
import { createPrometheusMetrics } from '../runtime/metrics/prometheus.ts';
import { createProvider as createRuntime } from '../runtime/provider.ts';
import type { StartFlags } from './flags.ts';
import { managedKinds } from './kinds.ts';
import { leaderLease } from './leader-lease.ts';
import { version } from './version.ts';

/** What a provider and `doctor` have in common: the way to the clusters and to HANA Cloud. */
export interface Connections {
  readonly client: RestClient;
  readonly clusters: KymaClusters;
  readonly hanaCloud: HanaCloud;
  close(): Promise<void>;
}

export interface ConnectionOptions {
  readonly config: ClusterConfig;
  readonly flags: Pick<StartFlags, 'allowPrivateEndpoints' | 'maxExternalCalls' | 'tokenCache'>;
  readonly log: Logger;
  readonly metrics: ReturnType<typeof createPrometheusMetrics>;
  readonly env: NodeJS.ProcessEnv;
  readonly clock?: Clock;
  /** Default: nothing is traced. */
  readonly tracer?: Tracer;
  /** Decides which calls of HANA Cloud may start; default: one of its own. */
  readonly limiter?: ConcurrencyLimiter;
  /**
   * Transports refuse whatever is not a read: on the management cluster and all that its Secrets lead to, where dry runs
   * and access reviews pass as well, and in HANA Cloud, where token grants do. Default false.
   */
  readonly readOnly?: boolean;
  /** PEM certificates that the HANA Cloud client trusts besides; for tests within one process. */
  readonly trustedCertificates?: readonly string[];
}

export function openConnections(options: ConnectionOptions): Connections {
  const { config, flags, log, metrics, env, clock = systemClock, tracer = nopTracer } = options;
  const { readOnly = false } = options;
  const random = systemRandom;
  const { limiter = createConcurrencyLimiter({ clock }) } = options;
  const connect = (of: ClusterConfig, limits: Partial<ConnectionLimits>, clusterName?: string) =>
    createKubeClient({
      config: of,
      clock,
      random,
      metrics,
      tracer,
      ...limits,
      ...(clusterName === undefined ? {} : { clusterName }),
      ...(readOnly
        ? { transport: createReadOnlyTransport(createTransport({ config: of, env, ...limits })) }
        : {}),
    });
  const client = connect(config, {}, 'management cluster');
  const notifier = createObjectNotifier({ client, clock, random, log });
  const remote = createClusterPool({ client, notifier, clock, random, log, metrics, tracer, connect });
  const hanaCloud = createHanaCloud({
    clock,
    random,
    log,
    metrics,
    tracer,
    env,
    limiter,
    maxCalls: flags.maxExternalCalls,
    allowPrivateEndpoints: flags.allowPrivateEndpoints,
    cacheTokens: flags.tokenCache,
    readOnly,
    ...(options.trustedCertificates ? { trustedCertificates: options.trustedCertificates } : {}),
  });
  return {
    client,
    clusters: { own: { client, reads: createSharedReads({ client, clock }), notifier }, remote },
    hanaCloud,
    close: async () => {
      remote.close();
      notifier.close();
      await hanaCloud.close();
      await client.close();
    },
  };
}

export interface ProviderOptions extends Omit<ConnectionOptions, 'flags' | 'limiter' | 'metrics'> {
  readonly flags: StartFlags;
  /** Told of every attempt to change the other side; default: nobody is. */
  readonly changeLog?: ChangeLog;
}

/** A manager with everything added; nothing runs yet. */
export function createProvider(options: ProviderOptions): Manager {
  const { flags, log, changeLog, tracer, clock = systemClock } = options;
  const metrics = createPrometheusMetrics({ processMetrics: true });
  metrics
    .gauge({ name: 'provider_kyma_build_info', help: '1, by the version that runs.', labels: ['version'] })
    .set(1, { version });
  const limiter = createConcurrencyLimiter({ clock });
  const connections = openConnections({ ...options, metrics, limiter });
  const { client, clusters, hanaCloud } = connections;
  const provider = createRuntime({
    client,
    notifier: clusters.own.notifier,
    limiter,
    clock,
    log,
    metrics,
    ...(changeLog ? { changeLog } : {}),
    ...(tracer ? { tracer } : {}),
    ...(flags.leaderElection ? { leaderElection: leaderLease(flags, options.config, options.env) } : {}),
    settings: {
      pollIntervalMs: flags.poll,
      pollJitter: flags.pollJitterPercentage / 100,
      minPollIntervalMs: flags.minPollInterval,
      maxReconcileRate: flags.maxReconcileRate,
      externalTimeoutMs: flags.externalTimeout,
      stateMetricsIntervalMs: flags.pollStateMetric,
      managementPolicies: flags.enableManagementPolicies,
      labelSelector: flags.watchLabelSelector,
      metricsAddress: flags.metricsBindAddress,
      healthAddress: flags.healthProbeBindAddr,
      webhookAddress: `:${flags.webhookPort}`,
      webhookCertificateFolder: flags.webhookTlsCertDir,
    },
  });
  const generations = new Set(managedKinds.map(({ configs }) => configs));
  const configs = new Map([...generations].map((kinds) => [kinds, provider.addConfigs(kinds)]));
  const parts = {
    clusters,
    cluster: clusters.own,
    hanaCloud,
    claims: createMappingClaims({ clock }),
    sightings: createSightings(),
  };
  for (const entry of managedKinds) {
    const used = configs.get(entry.configs);
    if (used === undefined) continue;
    // Mappings need nothing of their provider configuration, but count as its users.
    entry.with(parts, (kind) => provider.addKind(kind, { configs: used, readsConfig: false }));
  }
  return {
    ...provider,
    // The last to go: events and the Lease's release travel on them.
    run: async (signal) => {
      try {
        await provider.run(signal);
      } finally {
        await connections.close();
      }
    },
  };
}
