/**
 * A provider is a process that runs kinds against one API server. This file connects what every provider has: caches,
 * controllers, events, provider configurations, kinds that start and stop with their CRDs, leader election, metrics
 * and probes.
 */
import {
  type ConcurrencyLimiter,
  createConcurrencyLimiter,
} from '../base/concurrency/concurrency-limiter.ts';
import type { Fence } from '../base/concurrency/fence.ts';
import { createTokenBucket } from '../base/concurrency/token-bucket.ts';
import { createDeps, type DepsWith } from '../base/deps.ts';
import type { Metrics } from '../base/telemetry/metrics.ts';
import type { GatedKind } from '../controller/gate/gated-kind.ts';
import { createGatedKinds } from '../controller/gate/gated-kinds.ts';
import { type Controllers, createControllers } from '../controller/manager/controllers.ts';
import type { WithStatus } from '../controller/reconcile/working-copy.ts';
import { type ReconciledKind, reconciledKind } from '../controller/reconciled-kind.ts';
import type { Webhook } from '../controller/webhook/webhook.ts';
import { createWebhookServer } from '../controller/webhook/webhook-server.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { type Cluster, createCluster } from '../kube/cluster/cluster.ts';
import { createLeaderElector, type LeaderElectionOptions } from '../kube/lease/leader-election.ts';
import type { ObjectWatcher } from '../kube/watched-objects/object-watcher.ts';
import { createManager, type Manager } from '../process/manager/manager.ts';
import { startAndStop } from '../process/manager/runnable.ts';
import { createPrometheusMetrics, type MetricsPage } from '../process/telemetry/prometheus.ts';
import type { ChangeLog } from './changelog/change-log.ts';
import { controllerName, type ManagedKind } from './kind/managed-kind.ts';
import { jitterFraction } from './kind/poll.ts';
import { createManagedController } from './managed-controller.ts';
import { startStateMetrics } from './metrics/state-metrics.ts';
import type { ConfigKinds } from './providerconfig/model/provider-config.ts';
import { createProviderConfigs, type ProviderConfigs } from './providerconfig/provider-configs.ts';
import type { Managed } from './resource/managed.ts';

export interface ProviderSettings {
  /** Interval between polls of a settled resource, in ms; default 60000. */
  readonly pollIntervalMs: number;
  /** Jitter of the poll interval in either direction, as a share from 0 to 1; default 0.1. */
  readonly pollJitter: number;
  /** Lower bound for the annotation `crossplane.io/poll-interval`, in ms; default 1000. */
  readonly minPollIntervalMs: number;
  /** Workers of each controller, and polls per second of all controllers together; default 100. */
  readonly maxReconcileRate: number;
  /** Deadline of all external calls of one reconcile together, unless the kind has its own, in ms; default 60000. */
  readonly externalTimeoutMs: number;
  /** Interval between counts of resources for metrics, in ms; default 5000. */
  readonly stateMetricsIntervalMs: number;
  /** Whether `spec.managementPolicies` is respected; default true. */
  readonly managementPolicies: boolean;
  /** Only resources with these labels are reconciled, e.g. `shard=a`; default: all. */
  readonly labelSelector: string;
  /** Address of /metrics: `:8080`, `host:port`, or `0` for none; default `:8080`. */
  readonly metricsAddress: string;
  /** Address of /healthz and /readyz; default `:8081`. */
  readonly healthAddress: string;
  /** Address of the HTTPS server for webhooks, which runs only if there are any; default `:9443`. */
  readonly webhookAddress: string;
  /** Folder with `tls.crt` and `tls.key` of that server, reloaded when they change. Required with webhooks. */
  readonly webhookCertificateFolder: string;
}

/** The cluster of the resources, or a client of it, neither of which is closed, and more. */
export type ProviderOptions = Omit<DepsWith<'log'>, 'metrics'> &
  ({ readonly client: KubeClient } | { readonly cluster: Cluster }) & {
    /** Default: prom-client, with the metrics of the process. */
    readonly metrics?: Metrics & MetricsPage;
    /** The Lease for leader election; default: no leader election. */
    readonly leaderElection?: Pick<LeaderElectionOptions, 'lease' | 'identity'>;
    readonly settings?: Partial<ProviderSettings>;
    /**
     * Limits the requests in progress; default: a limiter of its own. Share it with clients that use the same limit
     * keys.
     */
    readonly limiter?: ConcurrencyLimiter;
    /** Receives each attempt to change an external resource, and is not closed; default: none. */
    readonly changeLog?: ChangeLog;
  };

export interface Provider extends Manager, Controllers {
  /** With the defaults. */
  readonly settings: ProviderSettings;
  /** Watches single objects of the cluster; `target` returns the watched object for a WaitingError. */
  readonly objectWatcher: ObjectWatcher;
  /** Called before each external write; throws if another replica may lead. */
  readonly fence: Fence;
  /**
   * Reconciles the configurations of managed resources of one scope. Returns the same result for the same kinds.
   * Before `run`.
   */
  addConfigs(kinds: ConfigKinds): ProviderConfigs;
  /** Reconciles resources of a kind while its CRD is served. Before `run`. */
  addKind<R extends Managed>(kind: ManagedKind<R>, use?: KindUse): void;
  /** Runs a kind that is no managed resource while its CRD is served. Before `run`. */
  addGatedKind(kind: GatedKind): void;
  /** Reconciles objects that are no managed resources while their CRD is served. Before `run`. */
  addReconciled<T extends WithStatus, M>(kind: ReconciledKind<T, M>): void;
  /** Serves a webhook over HTTPS, whether or not this replica leads. Before `run`. */
  addWebhook(webhook: Webhook): void;
}

/** Records resources of a kind as users of their provider configurations. */
export interface KindUse {
  readonly configs: ProviderConfigs;
  /** Whether its Connect reads the configuration. */
  readonly readsConfig: boolean;
}

/** Time to write pending events at the stop, in ms. */
const FLUSH_EVENTS_MS = 5000;

/** Starts nothing before `run`, which resolves when everything has ended. */
export function createProvider(options: ProviderOptions): Provider {
  const { leaderElection, changeLog } = options;
  const metrics = options.metrics ?? createPrometheusMetrics({ processMetrics: true });
  const deps = createDeps({ ...options, metrics });
  const { clock, random } = deps;
  const settings = { ...DEFAULTS, ...options.settings };
  const limiter = options.limiter ?? createConcurrencyLimiter({ clock });
  const cluster = 'cluster' in options ? options.cluster : createCluster({ ...deps, client: options.client });
  const { client, informers, objectWatcher, events } = cluster;
  const common = { ...deps, client };
  const leaderElector = leaderElection && createLeaderElector({ ...common, ...leaderElection });
  const fence = () => leaderElector?.assertLeading();
  const manager = createManager({
    ...common,
    metrics,
    metricsAddress: settings.metricsAddress,
    healthAddress: settings.healthAddress,
    ...(leaderElector ? { leaderElector } : {}),
  });
  const controllers = createControllers({ ...common, manager });
  // Polls of all kinds share one rate; changes are not limited by it.
  const pollRate = createTokenBucket({
    clock,
    ratePerSecond: settings.maxReconcileRate,
    burst: 10 * settings.maxReconcileRate,
  });
  manager.add(startAndStop('events', () => () => events.close(AbortSignal.timeout(FLUSH_EVENTS_MS))));

  const selection = settings.labelSelector === '' ? {} : { labelSelector: settings.labelSelector };
  const gated = <R extends Managed>(kind: ManagedKind<R>, use?: KindUse): GatedKind => {
    const { type } = kind;
    const name = controllerName(type);
    return {
      name,
      needs: [type],
      build: () => {
        const cache = informers.of(type, { selection });
        const controller = createManagedController<R>({
          ...common,
          kind: {
            externalTimeoutMs: settings.externalTimeoutMs,
            ...kind,
            ...(use === undefined ? {} : { configUse: use.configs.useOf(type, use) }),
          },
          cache,
          fence,
          labelSelector: settings.labelSelector,
          ...(changeLog ? { changeLog } : {}),
          recorder: events.recorderFor(name),
          pollRate,
          limiter,
          workers: settings.maxReconcileRate,
          pollIntervalMs: settings.pollIntervalMs,
          minPollIntervalMs: settings.minPollIntervalMs,
          pollIntervalHook: jitterFraction(settings.pollJitter, random),
          managementPolicies: settings.managementPolicies,
        });
        return {
          controller,
          start: () => {
            const intervalMs = settings.stateMetricsIntervalMs;
            const stops = [cache.start(), startStateMetrics({ ...common, type, cache, intervalMs })];
            return () => {
              for (const stop of stops) stop();
            };
          },
          forget: () => cache.forget(),
        };
      },
    };
  };
  const kinds: GatedKind[] = [];
  const added = new Map<ConfigKinds, ProviderConfigs>();
  const webhooks: Webhook[] = [];
  const serveWebhooks = () => {
    if (webhooks.length === 0) return;
    const server = createWebhookServer({
      ...common,
      webhooks,
      address: settings.webhookAddress,
      certificateFolder: settings.webhookCertificateFolder,
    });
    manager.add(server);
    manager.addReadyCheck('webhook', server.check);
  };
  manager.add(
    startAndStop('kinds', () =>
      createGatedKinds({ ...common, objectWatcher, kinds, manager: { ...manager, ...controllers } }).start(),
    ),
  );
  return {
    ...manager,
    ...controllers,
    settings,
    objectWatcher,
    fence,
    addConfigs: (configKinds) => {
      const known = added.get(configKinds);
      if (known !== undefined) return known;
      const configs = createProviderConfigs({
        ...common,
        informers,
        kinds: configKinds,
        recorderFor: events.recorderFor,
      });
      kinds.push(...configs.kinds);
      added.set(configKinds, configs);
      return configs;
    },
    addKind: (kind, use) => {
      kinds.push(gated(kind, use));
    },
    addGatedKind: (kind) => {
      kinds.push(kind);
    },
    addReconciled: (kind) => {
      const { recorderFor } = events;
      const { labelSelector } = settings;
      kinds.push(reconciledKind(kind, { ...common, informers, recorderFor, labelSelector, fence }));
    },
    addWebhook: (webhook) => {
      webhooks.push(webhook);
    },
    run: async (signal) => {
      try {
        serveWebhooks();
        await manager.run(signal);
      } finally {
        if (!('cluster' in options)) await cluster.close();
      }
    },
  };
}

const DEFAULTS: ProviderSettings = {
  pollIntervalMs: 60_000,
  pollJitter: 0.1,
  minPollIntervalMs: 1000,
  maxReconcileRate: 100,
  externalTimeoutMs: 60_000,
  stateMetricsIntervalMs: 5000,
  managementPolicies: true,
  labelSelector: '',
  metricsAddress: ':8080',
  healthAddress: ':8081',
  webhookAddress: ':9443',
  webhookCertificateFolder: '',
};
