import { createDeps, nopLogger, systemClock } from '../../../framework/base/index.ts';
import { loadClusterConfig } from '../../../framework/kube/index.ts';

import type { ProcessLike } from '../../../framework/module/console/process-like.ts';
import type { CommandConnections } from '../../../framework/module/module.ts';
import { createLogger, createPrometheusMetrics } from '../../../framework/process/index.ts';
import { defaultFlags, type StartFlags } from '../flags.ts';
import { type ConnectionFlags, openProgramConnections } from './program-connections.ts';

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
