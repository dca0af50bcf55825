/**
 * Puts the rooms together: one client, its informers and notifiers, HANA Cloud, and a controller for each kind. The
 * command `start` runs what this returns; so do the integration tests, within their own process.
 */
import type { InstanceMapping } from '../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/instancemapping.gen.ts';
import type { KymaInstanceMapping } from '../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import type { Fence } from '../base/fence.ts';
import type { Logger } from '../base/logger.ts';
import { systemRandom } from '../base/random.ts';
import { createSemaphore } from '../base/semaphore.ts';
import { createTokenBucket } from '../base/token-bucket.ts';
import { createHanaCloud, type HanaCloud } from '../clients/hana-cloud/client.ts';
import { hanaConfigKinds } from '../controllers/hana/provider-configs.ts';
import { instanceMappingKind } from '../controllers/inventory/instancemapping/instance-mapping.ts';
import type { KymaClusters } from '../controllers/inventory/kymainstancemapping/kyma-cluster.ts';
import { kymaInstanceMappingKind } from '../controllers/inventory/kymainstancemapping/kyma-instance-mapping.ts';
import { createMappingClaims } from '../controllers/inventory/mapping/mapping-claims.ts';
import { createSightings } from '../controllers/inventory/mapping/sightings.ts';
import type { ClusterConfig } from '../kube/cluster-config.ts';
import { createClusterPool } from '../kube/cluster-pool.ts';
import { createEventBroadcaster } from '../kube/event-broadcaster.ts';
import { createInformer } from '../kube/informer.ts';
import { createObjectNotifier } from '../kube/object-notifier.ts';
import { createKubeClient, type RestClient } from '../kube/rest-client.ts';
import { createLeaderElector } from '../runtime/leader-election.ts';
import { createManagedController } from '../runtime/managed/managed-controller.ts';
import { controllerName, type ManagedKind } from '../runtime/managed/managed-kind.ts';
import { jitterFraction } from '../runtime/managed/poll.ts';
import type { Managed } from '../runtime/managed/resource.ts';
import { createManager, type Manager } from '../runtime/manager.ts';
import { createPrometheusMetrics } from '../runtime/metrics/prometheus.ts';
import { startStateMetrics } from '../runtime/metrics/state-metrics.ts';
import { createProviderConfigs } from '../runtime/providerconfig/provider-configs.ts';
import type { StartFlags } from './flags.ts';
import { leaderLease } from './leader-lease.ts';

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
  /** Asked before each change in HANA Cloud; default: this process may make it. */
  readonly fence?: Fence;
  /** PEM certificates that the HANA Cloud client trusts besides; for tests within one process. */
  readonly trustedCertificates?: readonly string[];
}

export function openConnections(options: ConnectionOptions): Connections {
  const { config, flags, log, metrics, env, clock = systemClock } = options;
  const random = systemRandom;
  const client = createKubeClient({ config, clusterName: 'management cluster', clock, random, metrics });
  const notifier = createObjectNotifier({ client, clock, random, log });
  const remote = createClusterPool({ client, notifier, clock, random, log, metrics });
  const hanaCloud = createHanaCloud({
    clock,
    random,
    log,
    metrics,
    env,
    externalCalls: createSemaphore(flags.maxExternalCalls),
    allowPrivateEndpoints: flags.allowPrivateEndpoints,
    cacheTokens: flags.tokenCache,
    ...(options.fence ? { fence: options.fence } : {}),
    ...(options.trustedCertificates ? { trustedCertificates: options.trustedCertificates } : {}),
  });
  return {
    client,
    clusters: { own: { client, notifier }, remote },
    hanaCloud,
    close: async () => {
      remote.close();
      notifier.close();
      await hanaCloud.close();
      await client.close();
    },
  };
}

export interface ProviderOptions extends Omit<ConnectionOptions, 'fence' | 'flags' | 'metrics'> {
  readonly flags: StartFlags;
}

/** How long a stopping provider tries to write the events that still wait. */
const FLUSH_EVENTS_MS = 5000;

/** A manager with everything added; nothing runs yet. */
export function createProvider(options: ProviderOptions): Manager {
  const { flags, log, clock = systemClock } = options;
  const metrics = createPrometheusMetrics({ processMetrics: true });
  const fence = () => leaderElector?.assertLeading();
  const connections = openConnections({ ...options, metrics, fence });
  const { client, clusters, hanaCloud } = connections;
  const common = { client, clock, log, metrics, random: systemRandom };
  const leaderElector = flags.leaderElection
    ? createLeaderElector({ ...common, ...leaderLease(flags, options.config, options.env) })
    : undefined;
  const manager = createManager({
    clock,
    log,
    metrics,
    metricsAddress: flags.metricsBindAddress,
    healthAddress: flags.healthProbeBindAddr,
    ...(leaderElector ? { leaderElector } : {}),
  });
  // Polls of all kinds share one allowance; what somebody changed never waits for it.
  const pacer = createTokenBucket({
    clock,
    ratePerSecond: flags.maxReconcileRate,
    burst: 10 * flags.maxReconcileRate,
  });
  const broadcaster = createEventBroadcaster(common);
  manager.addComponent('events', () => () => broadcaster.close(AbortSignal.timeout(FLUSH_EVENTS_MS)));

  const configs = createProviderConfigs({
    ...common,
    kinds: hanaConfigKinds,
    recorderFor: broadcaster.recorderFor,
  });
  manager.addComponent('provider configurations', () => configs.start());
  for (const controller of configs.controllers) manager.addController(controller);

  const addKind = <R extends Managed>(kind: ManagedKind<R>) => {
    const name = controllerName(kind.type);
    const selection = flags.watchLabelSelector === '' ? {} : { labelSelector: flags.watchLabelSelector };
    const cache = createInformer<R>({ ...common, type: kind.type, selection });
    manager.addComponent(`${name} cache`, () => cache.start());
    manager.addComponent(`${name} state metrics`, () =>
      startStateMetrics({ ...common, type: kind.type, cache, intervalMs: flags.pollStateMetric }),
    );
    manager.addController(
      createManagedController<R>({
        ...common,
        // Mappings need nothing of their provider configuration, but count as its users.
        kind: { ...kind, configUse: configs.useOf(kind.type, { readsConfig: false }) },
        cache,
        fence,
        recorder: broadcaster.recorderFor(name),
        pacer,
        workers: flags.maxReconcileRate,
        pollIntervalMs: flags.poll,
        minPollIntervalMs: flags.minPollInterval,
        pollIntervalHook: jitterFraction(flags.pollJitterPercentage / 100, systemRandom),
        managementPolicies: flags.enableManagementPolicies,
      }),
    );
  };
  const shared = { hanaCloud, claims: createMappingClaims({ clock }), sightings: createSightings() };
  addKind<KymaInstanceMapping>(kymaInstanceMappingKind({ ...shared, clusters }));
  addKind<InstanceMapping>(instanceMappingKind({ ...shared, cluster: clusters.own }));
  return {
    ...manager,
    // The last to go: events and the Lease's release travel on them.
    run: async (signal) => {
      try {
        await manager.run(signal);
      } finally {
        await connections.close();
      }
    },
  };
}
