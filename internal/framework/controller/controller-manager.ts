/**
 * A program with controllers against one API server: caches, events, kinds that start and stop with their CRDs, webhooks,
 * leader election, metrics and probes. The model is `manager.Manager` of controller-runtime.
 */
import {
  type ConcurrencyLimiter,
  createConcurrencyLimiter,
} from '../base/concurrency/concurrency-limiter.ts';
import type { Fence } from '../base/concurrency/fence.ts';
import { createTokenBucket } from '../base/concurrency/token-bucket.ts';
import { createDeps, type DepsWith } from '../base/deps.ts';
import { ProviderError } from '../base/errors/errors.ts';
import { reportBuildInfo } from '../base/telemetry/build-info.ts';
import type { Metrics } from '../base/telemetry/telemetry.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { type Cluster, createCluster } from '../kube/cluster/cluster.ts';
import { createLeaderElector, type LeaderElectionOptions } from '../kube/leader-election.ts';
import { createManager, type Manager, startAndStop } from '../process/manager.ts';
import { createPrometheusMetrics, type MetricsPage } from '../process/telemetry/prometheus.ts';
import { createControllers } from './controllers.ts';
import { createGatedKinds, type GatedKind } from './gate/gated-kinds.ts';
import { gatedKind, type ObjectControllerOptions, type ReconciledKind } from './object-controller.ts';
import type { WithStatus } from './reconcile/working-copy.ts';
import type { Webhook } from './webhook/webhook.ts';
import { createWebhookServer } from './webhook/webhook-server.ts';

export interface ControllerSettings {
  /** Workers of each controller, and polls per second of all controllers together; default 100. */
  readonly maxReconcileRate: number;
  /** Deadline of all external calls of one reconcile together, unless the kind has its own, in ms; default 60000. */
  readonly externalTimeoutMs: number;
  /** Only objects with these labels are reconciled, e.g. `shard=a`; default: all. */
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

/** The cluster of the objects, or a client of it, neither of which is closed, and more. */
export type ControllerManagerOptions = Omit<DepsWith<'log'>, 'metrics'> &
  ({ readonly client: KubeClient } | { readonly cluster: Cluster }) & {
    /** Default: prom-client, with the metrics of the process. */
    readonly metrics?: Metrics & MetricsPage;
    /** Name of the program, e.g. `provider-notes`, for the metric `provider_notes_build_info`. Default: no such metric. */
    readonly program?: string;
    /** The Lease for leader election; default: no leader election. */
    readonly leaderElection?: Pick<LeaderElectionOptions, 'lease' | 'identity'>;
    readonly settings?: Partial<ControllerSettings>;
    /**
     * Limits the requests in progress; default: a limiter of its own. Share it with clients that use the same limit
     * keys.
     */
    readonly limiter?: ConcurrencyLimiter;
  };

export interface ControllerManager extends Manager {
  /** With the defaults. */
  readonly settings: ControllerSettings;
  /** The cluster of the objects. */
  readonly cluster: Cluster;
  /** Called before each external write; throws if another replica may lead. */
  readonly fence: Fence;
  /** What all controllers have in common. */
  readonly common: ObjectControllerOptions;
  /**
   * Adds another cluster for `sources` of kinds, and closes it at the stop. What is wrong with one that is not required stands
   * in /readyz and fails nothing. Before `run`.
   */
  addCluster(cluster: Cluster): void;
  /** Reconciles objects of a kind while its CRD is served. Before `run`. */
  addReconciled<T extends WithStatus, M>(kind: ReconciledKind<T, M>): void;
  /** Runs a kind while its CRD is served. Before `run`. */
  addGatedKind(kind: GatedKind): void;
  /** Serves a webhook over HTTPS, whether or not this replica leads. Before `run`. */
  addWebhook(webhook: Webhook): void;
}

/** Time to write pending events at the stop, in ms. */
const FLUSH_EVENTS_MS = 5000;

/** Starts nothing before `run`, which resolves when everything has ended. */
export function createControllerManager(options: ControllerManagerOptions): ControllerManager {
  const { leaderElection } = options;
  const metrics = options.metrics ?? createPrometheusMetrics({ processMetrics: true });
  if (options.program !== undefined) reportBuildInfo(metrics, options.program);
  const common = createDeps({ ...options, metrics });
  const cluster =
    'cluster' in options ? options.cluster : createCluster({ ...common, client: options.client });
  const { client, informers, objectWatcher, events } = cluster;
  const deps = { ...common, client };
  const { clock } = deps;
  const settings = { ...DEFAULTS, ...options.settings };
  const leaderElector = leaderElection && createLeaderElector({ ...deps, ...leaderElection });
  const fence = () => leaderElector?.assertLeading();
  const manager = createManager({
    ...deps,
    metrics,
    metricsAddress: settings.metricsAddress,
    healthAddress: settings.healthAddress,
    ...(leaderElector ? { leaderElector } : {}),
  });
  manager.add(startAndStop('events', () => () => events.close(AbortSignal.timeout(FLUSH_EVENTS_MS))));
  const controllerOptions: ObjectControllerOptions = {
    ...deps,
    informers,
    recorderFor: events.recorderFor,
    labelSelector: settings.labelSelector,
    fence,
    limiter: options.limiter ?? createConcurrencyLimiter({ clock }),
    // Polls of all kinds share one rate; changes are not limited by it.
    pollRate: createTokenBucket({
      clock,
      ratePerSecond: settings.maxReconcileRate,
      burst: 10 * settings.maxReconcileRate,
    }),
    workers: settings.maxReconcileRate,
    externalTimeoutMs: settings.externalTimeoutMs,
  };
  const kinds: GatedKind[] = [];
  const webhooks: Webhook[] = [];
  const serveWebhooks = () => {
    if (webhooks.length === 0) return;
    const { webhookAddress: address, webhookCertificateFolder: certificateFolder } = settings;
    const server = createWebhookServer({ ...deps, webhooks, address, certificateFolder });
    manager.add(server);
    manager.addReadyCheck('webhook', server.check);
  };
  const addGatedKind = (kind: GatedKind) => {
    if (kinds.some(({ name }) => name === kind.name))
      throw new ProviderError('terminal', `cannot start: two controllers have the name ${kind.name}`);
    kinds.push(kind);
  };
  const controllers = { ...createControllers({ ...deps, manager }), addReadyCheck: manager.addReadyCheck };
  manager.add(
    startAndStop('kinds', () =>
      createGatedKinds({ ...deps, objectWatcher, kinds, manager: controllers }).start(),
    ),
  );
  return {
    ...manager,
    settings,
    cluster,
    fence,
    common: controllerOptions,
    addCluster: (other) => {
      manager.add(startAndStop(`cluster ${other.name}`, () => () => other.close()));
      if (!other.required) manager.addReadyCheck(`cluster ${other.name}`, () => other.problem()?.text);
    },
    addGatedKind,
    addReconciled: (kind) => addGatedKind(gatedKind(kind, controllerOptions)),
    addWebhook: (webhook) => void webhooks.push(webhook),
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

const DEFAULTS: ControllerSettings = {
  maxReconcileRate: 100,
  externalTimeoutMs: 60_000,
  labelSelector: '',
  metricsAddress: ':8080',
  healthAddress: ':8081',
  webhookAddress: ':9443',
  webhookCertificateFolder: '',
};
