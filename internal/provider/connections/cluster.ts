import type { ConcurrencyLimiter } from '../../base/concurrency/concurrency-limiter.ts';
import { createConcurrencyLimiter } from '../../base/concurrency/concurrency-limiter.ts';
import type { Deps } from '../../base/deps.ts';
import type { ModuleContext } from '../../controllers/module/module.ts';
import { createKubeClient } from '../../kube/client/rest-client.ts';
import type { ConnectionLimits } from '../../kube/cluster/cluster-pool.ts';
import type { ClusterConfig } from '../../kube/config/cluster-config.ts';
import { createReadOnlyTransport } from '../../kube/transport/read-only-transport.ts';
import { createTransport } from '../../kube/transport/transport.ts';
import { createObjectWatcher } from '../../kube/watched-objects/object-watcher.ts';
import { version } from '../version.ts';

export interface ClusterOptions {
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

/** The connection to the management cluster, and what modules need for others. */
export interface Cluster extends Omit<ModuleContext, 'flags'> {
  close(): Promise<void>;
}

export function openCluster(options: ClusterOptions): Cluster {
  const { deps, config, env, readOnly = false, trustedCertificates } = options;
  const connect = (of: ClusterConfig, limits: Partial<ConnectionLimits>, clusterName?: string) =>
    createKubeClient({
      ...deps,
      config: of,
      ...limits,
      ...(clusterName === undefined ? {} : { clusterName }),
      ...(readOnly
        ? { transport: createReadOnlyTransport(createTransport({ config: of, env, ...limits })) }
        : {}),
    });
  const client = connect(config, {}, 'management cluster');
  const objectWatcher = createObjectWatcher({ ...deps, client });
  return {
    deps,
    client,
    objectWatcher,
    limiter: options.limiter ?? createConcurrencyLimiter(deps),
    connect,
    env,
    version,
    readOnly,
    ...(trustedCertificates ? { trustedCertificates } : {}),
    close: async () => {
      objectWatcher.close();
      await client.close();
    },
  };
}
