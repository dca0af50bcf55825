/**
 * Puts the rooms together: one client, its informers and notifiers, HANA Cloud, and a controller for each kind. The
 * command `start` runs what this returns; so do the integration tests, within their own process.
 */
import { type Clock, systemClock } from '../base/clock.ts';
import type { Fence } from '../base/fence.ts';
import type { Logger } from '../base/logger.ts';
import { systemRandom } from '../base/random.ts';
import { createSemaphore } from '../base/semaphore.ts';
import { createTokenBucket } from '../base/token-bucket.ts';
import { createHanaCloud, type HanaCloud } from '../clients/hana-cloud/client.ts';
import type { KymaClusters } from '../controllers/inventory/kymainstancemapping/kyma-cluster.ts';
import { createMappingClaims } from '../controllers/inventory/mapping/mapping-claims.ts';
import { createSightings } from '../controllers/inventory/mapping/sightings.ts';
import type { ClusterConfig } from '../kube/cluster-config.ts';
import { createClusterPool } from '../kube/cluster-pool.ts';
import { createEventBroadcaster } from '../kube/event-broadcaster.ts';
import { createInformer } from '../kube/informer.ts';
import { createObjectNotifier } from '../kube/object-notifier.ts';
import { createKubeClient, type RestClient } from '../kube/rest-client.ts';
import type { GatedKind } from '../runtime/gate/gated-kind.ts';
import { createGatedKinds } from '../runtime/gate/gated-kinds.ts';
import { createLeaderElector } from '../runtime/leader-election.ts';
import { createManagedController } from '../runtime/managed/managed-controller.ts';
import { controllerName, type ManagedKind } from '../runtime/managed/managed-kind.ts';
import { jitterFraction } from '../runtime/managed/poll.ts';
import type { Managed } from '../runtime/managed/resource.ts';
import { createManager, type Manager } from '../runtime/manager.ts';
import { createPrometheusMetrics } from '../runtime/metrics/prometheus.ts';
import { startStateMetrics } from '../runtime/metrics/state-metrics.ts';
import { createProviderConfigs, type ProviderConfigs } from '../runtime/providerconfig/provider-configs.ts';
import type { StartFlags } from './flags.ts';
import { managedKinds } from './kinds.ts';
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

  const selection = flags.watchLabelSelector === '' ? {} : { labelSelector: flags.watchLabelSelector };
  const gated = <R extends Managed>(kind: ManagedKind<R>, configs: ProviderConfigs): GatedKind => {
    const name = controllerName(kind.type);
    return {
      name,
      needs: [kind.type],
      build: () => {
        const cache = createInformer<R>({ ...common, type: kind.type, selection });
        const controller = createManagedController<R>({
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
        });
        return {
          controller,
          start: () => {
            const metrics = { ...common, type: kind.type, cache, intervalMs: flags.pollStateMetric };
            const stops = [cache.start(), startStateMetrics(metrics)];
            return () => {
              for (const stop of stops) stop();
            };
          },
          forget: () => cache.forget(),
        };
      },
    };
  };
  const generations = new Set(managedKinds.map(({ configs }) => configs));
  const configs = new Map(
    [...generations].map((kinds) => [
      kinds,
      createProviderConfigs({ ...common, kinds, recorderFor: broadcaster.recorderFor }),
    ]),
  );
  const parts = {
    clusters,
    cluster: clusters.own,
    hanaCloud,
    claims: createMappingClaims({ clock }),
    sightings: createSightings(),
  };
  const kinds = [
    ...[...configs.values()].flatMap((generation) => generation.kinds),
    ...managedKinds.flatMap((entry) => {
      const used = configs.get(entry.configs);
      return used === undefined ? [] : [entry.with(parts, (kind) => gated(kind, used))];
    }),
  ];
  const running = createGatedKinds({ ...common, notifier: clusters.own.notifier, kinds, manager });
  manager.addComponent('kinds', () => running.start());
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
