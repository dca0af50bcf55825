import { InvalidConfigurationError, messageOf } from '../../base/errors/errors.ts';
import type { Logger } from '../../base/telemetry/logger.ts';
import { type Cluster, createClusterPool, loadClusterConfig } from '../../kube/index.ts';
import type { LoadedModule, ModuleContext, OpenModule } from '../module/module.ts';
import type { Configuration } from './configuration/configuration.ts';
import { reloadedConfiguration } from './configuration/reloaded-configuration.ts';
import { diagnoseRuntime } from './diagnosis/diagnose-runtime.ts';
import type { Gardener } from './gardener/gardener.ts';
import { limitRequests } from './gardener/limited-client.ts';
import { gardenerClusterKind } from './gardenercluster/kind.ts';
import { createRefusedKubeconfigs } from './gardenercluster/refused-kubeconfigs.ts';
import { registryCacheKind } from './registrycache/kind.ts';
import { currentRendering } from './rendering/current-rendering.ts';
import { gardenerRights, infrastructureManagerRights } from './rights.ts';
import { runtimeKind } from './runtime/kind.ts';
import type { InfrastructureManagerFlags } from './settings/flags.ts';

/** All steps in a cluster follow each other, in ms. Each connection takes some 300 KiB, and there are thousands of clusters. */
const CLUSTER_IDLE_MS = 2000;

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
  const configuration = await reloadedConfiguration({ path: flags.converterConfigFilepath, project }, deps);
  warnOfFormerFlags(flags, deps.log);
  if (flags.apiServerAclEnabled && aclConfigMapOf(configuration.current()) === '')
    throw new InvalidConfigurationError(
      '--api-server-acl-enabled needs converter.kubernetes.kubeApiServer.acl.configMapName in the converter configuration',
    );
  const rendering = currentRendering(configuration, { networkRestriction: flags.networkRestrictionEnabled });
  const cluster = await connectGardener(context);
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
        ...{ gardener, connect, client: management, metrics: deps.metrics, refusedKubeconfigs },
        rotation: {
          expirationMs: flags.kubeconfigExpirationTime,
          minimalRotation: Number(flags.minimalRotationTime),
        },
        workers: flags.gardenerClusterCtrlWorkersCnt,
        externalTimeoutMs: flags.gardenerCtrlReconcilationTimeout,
      });
      provider.addReconciled({ ...clusters, namespaces });
      if (flags.registryCacheConfigControllerEnabled)
        provider.addReconciled({
          ...registryCacheKind({
            ...{ clusters: pool, refusedKubeconfigs },
            pollMs: flags.registryCacheReconcilePeriod,
          }),
          namespaces,
        });
    },
    // Also if nothing was registered; the provider may have closed it before.
    close: async () => {
      pool.close();
      await cluster.close();
    },
  };
}

const aclConfigMapOf = ({ converter }: Configuration): string =>
  converter.kubernetes.kubeApiServer.acl.configMapName;

/** Flags of the year before, which have no effect any more. */
function warnOfFormerFlags(
  { structuredAuthEnabled, customConfigControllerEnabled }: InfrastructureManagerFlags,
  log: Logger,
): void {
  if (structuredAuthEnabled)
    log.info('--structured-auth-enabled has no effect: users are always authenticated by a ConfigMap');
  if (customConfigControllerEnabled)
    log.info(
      '--custom-config-controller-enabled has no effect: its successor is --registry-cache-config-controller-enabled',
    );
}

async function connectGardener({
  deps: { clock },
  flags,
  connect,
}: ModuleContext<InfrastructureManagerFlags>): Promise<Cluster> {
  const path = flags.gardenerKubeconfigPath;
  try {
    const config = await loadClusterConfig({ clock, kubeconfig: path });
    return connect(config, { name: 'gardener', displayName: 'Gardener', required: false });
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
    diagnose: (question) =>
      diagnoseRuntime({
        ...question,
        ...{ client, connect, clock: deps.clock, gardener: gardener.client },
        project: flags.gardenerProjectName,
      }),
    close: () => gardener.close(),
  };
}
