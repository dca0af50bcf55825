import { seeds, shoots } from '../../../apis/gardener/kinds.ts';
import { gardenerClusters } from '../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import { runtimes } from '../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { readAll } from '../../framework/base/configuration/configuration.ts';
import { type Deps, InvalidConfigurationError, messageOf } from '../../framework/base/index.ts';
import {
  type Cluster,
  type ClusterConfig,
  configMaps,
  createClusterPool,
  loadClusterConfig,
  secrets,
} from '../../framework/kube/index.ts';
import type { LoadedModule, ModuleContext, OpenModule } from '../../framework/module/module.ts';
import { inNamespaces, type Purpose, type RequiredRight, rightsFor } from '../../framework/module/right.ts';
import { startHttpServer, untilAborted } from '../../framework/process/index.ts';
import { loadConfiguration } from './configuration/configuration.ts';
import { reloadedConfiguration } from './configuration/reloaded-configuration.ts';
import { diagnoseRuntime } from './diagnosis/diagnose-runtime.ts';
import { previewPatches } from './diagnosis/preview-patches.ts';
import { type Gardener, namespaceOf } from './gardener/gardener.ts';
import { limitRequests } from './gardener/limited-client.ts';
import { gardenerClusterKind } from './gardenercluster/kind.ts';
import { createRefusedKubeconfigs } from './gardenercluster/rotation.ts';
import { registryCacheKind } from './registrycache/kind.ts';
import {
  createRuntimeEvents,
  createWatcherListener,
  MAX_EVENT_BYTES,
  type RuntimeEvents,
} from './registrycache/watcher-listener.ts';
import { createShootRendering, type RenderingOptions } from './rendering/shoot-rendering.ts';
import { auditLogs } from './runtime/audit-log-kind.ts';
import { bootstrapperSettings, checkBootstrapper } from './runtime/bootstrapper/bootstrapper.ts';
import { clusterTrustBundles } from './runtime/bootstrapper/manifests.ts';
import { runtimeKind } from './runtime/kind.ts';
import { checkFlags, type InfrastructureManagerFlags } from './settings/flags.ts';

const resources: Purpose = { name: 'infrastructure-manager-resources', neededFor: 'Runtimes' };
const clusters: Purpose = {
  name: 'infrastructure-manager-clusters',
  neededFor: 'GardenerClusters',
};
const caches: Purpose = {
  name: 'infrastructure-manager-registry-caches',
  neededFor: 'caches of image registries',
};
const accessControl: Purpose = {
  name: 'infrastructure-manager-access-control',
  neededFor: 'who may connect to API servers',
};
const auditLogPurpose: Purpose = {
  name: 'infrastructure-manager-audit-logs',
  neededFor: 'audit logs of one runtime each',
};
const bootstrapper: Purpose = {
  name: 'infrastructure-manager-bootstrapper',
  neededFor: 'the runtime bootstrapper',
};
const trustBundles: Purpose = {
  name: 'infrastructure-manager-trust-bundle',
  neededFor: 'the certificates of the runtime bootstrapper',
};
const kubeconfigs: Purpose = {
  name: 'infrastructure-manager-kubeconfigs',
  neededFor: 'Secrets with the kubeconfigs of runtimes',
};

/** On the management cluster, in the namespace of the Runtimes. */
const infrastructureManagerRights = ({
  runtimeNamespace,
  registryCacheConfigControllerEnabled,
  apiServerAclEnabled,
  dedicatedAuditLoggingEnabled,
  runtimeBootstrapperEnabled,
  runtimeBootstrapperKcpClusterTrustBundle,
}: Pick<
  InfrastructureManagerFlags,
  | 'runtimeNamespace'
  | 'registryCacheConfigControllerEnabled'
  | 'apiServerAclEnabled'
  | 'dedicatedAuditLoggingEnabled'
  | 'runtimeBootstrapperEnabled'
  | 'runtimeBootstrapperKcpClusterTrustBundle'
>): readonly RequiredRight[] => [
  ...inNamespaces(
    [
      ...rightsFor(resources, runtimes, ['get', 'list', 'watch', 'update']),
      ...rightsFor(resources, runtimes, ['update'], 'status'),
      ...(registryCacheConfigControllerEnabled ? rightsFor(caches, runtimes, ['patch']) : []),
      ...rightsFor(clusters, gardenerClusters, ['get', 'list', 'watch', 'create', 'update', 'delete']),
      ...rightsFor(clusters, gardenerClusters, ['update'], 'status'),
      ...(apiServerAclEnabled ? rightsFor(accessControl, configMaps, ['list', 'watch']) : []),
      ...(dedicatedAuditLoggingEnabled
        ? rightsFor(auditLogPurpose, auditLogs, ['list', 'watch', 'update'])
        : []),
      ...(runtimeBootstrapperEnabled ? rightsFor(bootstrapper, configMaps, ['get', 'list', 'watch']) : []),
      ...rightsFor(kubeconfigs, secrets, ['get', 'list', 'watch', 'create', 'update', 'delete']),
    ],
    [runtimeNamespace],
  ),
  ...(runtimeBootstrapperEnabled && runtimeBootstrapperKcpClusterTrustBundle !== ''
    ? rightsFor(trustBundles, clusterTrustBundles, ['get', 'list', 'watch'])
    : []),
];

const shootPurpose: Purpose = { name: 'gardener-shoots', neededFor: 'Shoots' };
const adminKubeconfigs: Purpose = {
  name: 'gardener-kubeconfigs',
  neededFor: 'kubeconfigs of runtimes',
};
const authentication: Purpose = {
  name: 'gardener-authentication',
  neededFor: 'the authentication of Shoots by ConfigMaps',
};
const cacheCredentials: Purpose = {
  name: 'gardener-registry-caches',
  neededFor: 'credentials of registry caches',
};
const seedPurpose: Purpose = {
  name: 'gardener-seeds',
  neededFor: 'Runtimes with enforceSeedLocation, and what runtimes know about their control plane',
};

/** Of the user of the kubeconfig of Gardener, there. */
export function gardenerRights({
  gardenerProjectName: project,
  registryCacheConfigControllerEnabled,
}: Pick<
  InfrastructureManagerFlags,
  'gardenerProjectName' | 'registryCacheConfigControllerEnabled'
>): readonly RequiredRight[] {
  const ofProject = [
    ...rightsFor(shootPurpose, shoots, ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete']),
    ...rightsFor(adminKubeconfigs, shoots, ['create'], 'adminkubeconfig'),
    ...rightsFor(authentication, configMaps, ['get', 'list', 'watch', 'create', 'update', 'delete']),
    ...(registryCacheConfigControllerEnabled
      ? rightsFor(cacheCredentials, secrets, ['list', 'create', 'patch', 'delete'])
      : []),
  ];
  return [
    ...inNamespaces(ofProject, [namespaceOf({ project })]),
    ...rightsFor(seedPurpose, seeds, ['get', 'list']),
  ];
}

/**
 * All steps in a cluster follow each other, in ms. Each connection takes some 300 KiB, and there are thousands of clusters, which a start checks
 * one after the other: with 2 s the connections of a start over 5,000 took 60 MiB more, which malloc kept.
 */
const CLUSTER_IDLE_MS = 500;

export const infrastructureManager: LoadedModule<InfrastructureManagerFlags> = {
  configs: [],
  kinds: [],
  namespaces: ({ runtimeNamespace }) => [runtimeNamespace],
  rights: infrastructureManagerRights,
  otherClusters: async (context) => [
    { cluster: await connectGardener(context), rights: gardenerRights(context.flags) },
  ],
  open,
};

/** @throws InvalidConfigurationError */
async function open(context: ModuleContext<InfrastructureManagerFlags>): Promise<OpenModule> {
  // Commands only read, and need no configuration of Shoots.
  if (context.readOnly) return openForDiagnosis(context);
  const { deps, flags, client: management, connect } = context;
  const { gardenerProjectName: project } = flags;
  // The mistakes of both at once.
  const [configuration, gardenerConfig] = await readAll([
    reloadedConfiguration({ path: flags.converterConfigFilepath, project }, deps),
    gardenerConfigOf(context),
  ]);
  checkFlags(flags, configuration.current(), deps.log);
  const bootstrapper = bootstrapperSettings(flags);
  if (bootstrapper !== undefined) await checkBootstrapper(management, bootstrapper);
  const rendering = createShootRendering(configuration, renderingOptions(flags));
  const cluster = connect(gardenerConfig, GARDENER);
  const client = limitRequests(
    cluster.client,
    {
      timeoutMs: flags.gardenerRequestTimeout,
      ratePerSecond: flags.gardenerRatelimiterQps,
      burst: flags.gardenerRatelimiterBurst,
    },
    deps,
  );
  const { objectWatcher } = context.cluster;
  const pool = createClusterPool({
    ...{ ...deps, client: management, objectWatcher, connect },
    idleMs: CLUSTER_IDLE_MS,
  });
  const gardener: Gardener = { cluster, client, project };
  return {
    kinds: [],
    register: (provider) => {
      const stops = deps.metrics.counter({
        name: 'unexpected_stops_total',
        help: 'Reconciles of Runtimes that ended in a state from which nothing follows.',
      });
      stops.inc({}, 0);
      provider.addCluster(cluster);
      provider.add({ name: 'infrastructure-manager-configuration', start: configuration.follow });
      const refusedKubeconfigs = createRefusedKubeconfigs();
      const kind = runtimeKind({
        gardener,
        rendering,
        clusters: pool,
        refusedKubeconfigs,
        settings: {
          auditLogMandatory: flags.auditLogMandatory,
          upgradeShoots: flags.upgradeShoots,
          registryCaches: flags.registryCacheConfigControllerEnabled,
        },
        accessControlEnabled: flags.apiServerAclEnabled,
        bootstrapper,
        auditLogsEnabled: flags.dedicatedAuditLoggingEnabled,
        namespace: flags.runtimeNamespace,
        onConfigurationChange: configuration.onChange,
        onUnexpectedStop: () => stops.inc(),
        workers: flags.runtimeCtrlWorkersCnt,
        externalTimeoutMs: flags.gardenerCtrlReconcilationTimeout,
        deletions: {
          ...deps,
          recorder: provider.common.recorderFor('runtime-controller'),
          threshold: flags.massDeletionThreshold,
        },
      });
      const namespaces = [flags.runtimeNamespace];
      provider.addReconciled({ ...kind, namespaces });
      const clusters = gardenerClusterKind({
        ...{
          gardener,
          connect,
          clusters: pool,
          client: management,
          metrics: deps.metrics,
          refusedKubeconfigs,
        },
        rotation: {
          expirationMs: flags.kubeconfigExpirationTime,
          minimalRotation: Number(flags.minimalRotationTime),
        },
        workers: flags.gardenerClusterCtrlWorkersCnt,
        externalTimeoutMs: flags.gardenerCtrlReconcilationTimeout,
      });
      provider.addReconciled({ ...clusters, namespaces });
      if (!flags.registryCacheConfigControllerEnabled) return;
      const events = createRuntimeEvents();
      const caches = registryCacheKind({
        ...{ clusters: pool, refusedKubeconfigs, events, namespace: flags.runtimeNamespace },
        pollMs: flags.registryCacheReconcilePeriod,
      });
      provider.addReconciled({ ...caches, namespaces });
      provider.add({
        name: 'infrastructure-manager-registry-cache-listener',
        needsLeadership: true,
        start: (signal) =>
          listenToWatchers(events, { port: flags.registryCacheListenerPort, signal, ...deps }),
      });
    },
    // Also if nothing was registered; the provider may have closed it before.
    close: async () => {
      pool.close();
      await cluster.close();
    },
  };
}

const renderingOptions = (flags: InfrastructureManagerFlags): RenderingOptions => ({
  networkRestriction: flags.networkRestrictionEnabled,
  clusterTrustBundles:
    flags.runtimeBootstrapperEnabled && flags.runtimeBootstrapperKcpClusterTrustBundle !== '',
});

/** Serves the runtime watcher until the signal aborts. @throws if the port cannot be opened */
async function listenToWatchers(
  events: RuntimeEvents,
  {
    port,
    signal,
    clock,
    log,
  }: { readonly port: number; readonly signal: AbortSignal } & Pick<Deps, 'clock' | 'log'>,
): Promise<void> {
  const listener = createWatcherListener(events);
  const options = { clock, log, listener, address: `:${port}`, maxBodyBytes: MAX_EVENT_BYTES };
  const server = await startHttpServer(options);
  await untilAborted(signal);
  await server.close();
}

const GARDENER = { name: 'gardener', displayName: 'Gardener', required: false } as const;

const connectGardener = async (context: ModuleContext<InfrastructureManagerFlags>): Promise<Cluster> =>
  context.connect(await gardenerConfigOf(context), GARDENER);

/** @throws InvalidConfigurationError */
async function gardenerConfigOf({
  deps: { clock },
  flags,
}: Pick<ModuleContext<InfrastructureManagerFlags>, 'deps' | 'flags'>): Promise<ClusterConfig> {
  const path = flags.gardenerKubeconfigPath;
  try {
    return await loadClusterConfig({ clock, kubeconfig: path });
  } catch (cause) {
    throw new InvalidConfigurationError(
      `cannot use the kubeconfig of Gardener (--gardener-kubeconfig-path=${path}): ${messageOf(cause)}`,
      { cause },
    );
  }
}

async function openForDiagnosis(context: ModuleContext<InfrastructureManagerFlags>): Promise<OpenModule> {
  const { client, connect, deps, flags } = context;
  const gardener = await connectGardener(context);
  return {
    kinds: [],
    register: () => undefined,
    diagnose: async (question) => {
      const { gardenerProjectName: project } = flags;
      const to = { client, gardener: gardener.client, project };
      if (question.all !== true) return diagnoseRuntime({ ...question, ...to, connect, clock: deps.clock });
      const configuration = await loadConfiguration({ path: flags.converterConfigFilepath, project });
      return previewPatches({
        ...to,
        namespace: question.namespace ?? flags.runtimeNamespace,
        rendering: createShootRendering(configuration, renderingOptions(flags)),
        accessControlEnabled: flags.apiServerAclEnabled,
        auditLogsEnabled: flags.dedicatedAuditLoggingEnabled,
        signal: question.signal,
      });
    },
    close: () => gardener.close(),
  };
}
