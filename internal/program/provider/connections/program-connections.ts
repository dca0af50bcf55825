import type { Command } from 'commander';
import {
  buildInfo,
  type ConcurrencyLimiter,
  createConcurrencyLimiter,
  createDeps,
  type Deps,
  nopLogger,
  systemClock,
} from '../../../framework/base/index.ts';
import { CLUSTER_LIMITS } from '../../../framework/kube/client/cluster-limits.ts';
import {
  type ClusterConfig,
  type ConnectCluster,
  createCluster,
  createTransport,
  loadClusterConfig,
} from '../../../framework/kube/index.ts';
import { createReadOnlyTransport } from '../../../framework/kube/transport/read-only-transport.ts';
import type { ProcessLike } from '../../../framework/module/console/process-like.ts';
import type { CommandConnections, ModuleContext } from '../../../framework/module/module.ts';
import { addFlag, addSwitch } from '../../../framework/process/flag.ts';
import { createLogger, createPrometheusMetrics } from '../../../framework/process/index.ts';
import { defaultFlags, flagTable, type StartFlags } from '../flags.ts';

export interface ProgramConnectionsOptions {
  readonly deps: Deps;
  /** The management cluster. */
  readonly config: ClusterConfig;
  readonly env: NodeJS.ProcessEnv;
  /** Default: a new one. */
  readonly limiter?: ConcurrencyLimiter;
  /**
   * Transports refuse write requests to clusters (except dry runs and access reviews) and to external APIs (except
   * token requests). Default: false.
   */
  readonly readOnly?: boolean;
  /** Additional trusted certificates in PEM for clients of external APIs, for tests within one process. */
  readonly trustedCertificates?: readonly string[];
}

/** The management cluster, and what modules need to connect to others. */
interface ProgramConnections extends Omit<ModuleContext, 'flags'> {
  close(): Promise<void>;
}

export function openProgramConnections(options: ProgramConnectionsOptions): ProgramConnections {
  const { deps, env, readOnly = false, trustedCertificates } = options;
  const connect: ConnectCluster = (config, settings) => {
    const { connections } = CLUSTER_LIMITS[settings.trust ?? 'trusted'];
    const transport = createTransport({ config, env, connections, memory: settings.buffers });
    return createCluster({
      ...deps,
      ...settings,
      config,
      transport: readOnly ? createReadOnlyTransport(transport) : transport,
    });
  };
  const cluster = connect(options.config, {});
  return {
    deps,
    cluster,
    client: cluster.client,
    limiter: options.limiter ?? createConcurrencyLimiter(deps),
    connect,
    env,
    version: buildInfo.version,
    readOnly,
    ...(trustedCertificates ? { trustedCertificates } : {}),
    close: () => cluster.close(),
  };
}

// Flags of the commands other than `start` that connect to clusters and external APIs.

export interface ConnectionFlags
  extends Pick<StartFlags, 'kubeconfig' | 'debug'>,
    Partial<Pick<StartFlags, 'allowPrivateEndpoints'>> {
  readonly context?: string;
  readonly namespace?: string;
}

/**
 * Adds the flags of kubectl, and some that `start` has as well. Boolean flags take no value here.
 *
 * @param to whether the command connects to external APIs, or to clusters only
 */
export function addConnectionFlags(
  command: Command,
  env: NodeJS.ProcessEnv,
  to: { readonly externalApis: boolean },
): Command {
  const { kubeconfig, debug, 'allow-private-endpoints': privateEndpoints } = flagTable();
  addFlag(command, 'kubeconfig', kubeconfig);
  command
    .option('--context <name>', 'context of the kubeconfig; default: its current one')
    .option('-n, --namespace <name>', 'namespace of namespaced resources; default: that of the context');
  if (to.externalApis) addSwitch(command, 'allow-private-endpoints', privateEndpoints, env);
  addSwitch(command, 'debug', { ...debug, help: 'log on standard error' }, env);
  return command;
}

/** Connections of commands that only read. */
export type ReadOnlyConnections = CommandConnections<StartFlags>;

/** Connects by flags and environment, over transports that refuse write requests. */
export const openReadOnlyConnections = (
  flags: ConnectionFlags,
  host: ProcessLike,
): Promise<ReadOnlyConnections> => openConnections(flags, host, true);

/** Connects by flags and environment, for commands whose purpose is to write. */
export const openWritingConnections = (
  flags: ConnectionFlags,
  host: ProcessLike,
): Promise<CommandConnections<StartFlags>> => openConnections(flags, host, false);

async function openConnections(
  flags: ConnectionFlags,
  host: ProcessLike,
  readOnly: boolean,
): Promise<CommandConnections<StartFlags>> {
  const { env } = host;
  const { kubeconfig, context, debug, allowPrivateEndpoints = false } = flags;
  const config = await loadClusterConfig({ clock: systemClock, kubeconfig, context, env });
  const log = debug ? createLogger({ debug }) : nopLogger;
  const deps = createDeps({ log, metrics: createPrometheusMetrics() });
  const connections = openProgramConnections({ deps, config, env, readOnly });
  const defaults = defaultFlags();
  // The commands have no flag for it, and the environment of the provider if they run in its container.
  const clusterIdConfigMap = env.CLUSTER_ID_CONFIG_MAP || defaults.clusterIdConfigMap;
  return {
    ...connections,
    flags: { ...defaults, clusterIdConfigMap, kubeconfig, debug, allowPrivateEndpoints },
    namespace: flags.namespace || config.namespace || 'default',
    [Symbol.asyncDispose]: connections.close,
  };
}
