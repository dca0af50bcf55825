import type { ByteBudget } from '../../base/collections/byte-budget.ts';
import { createDeps, type Deps } from '../../base/deps.ts';
import { type CircuitBreaker, createCircuitBreaker } from '../../http/limits/circuit-breaker.ts';
import type { KubeClient } from '../client/client.ts';
import type { RestClient } from '../client/rest-client.ts';
import { createSharedReads, type SharedReads } from '../client/shared-reads.ts';
import type { ClusterConfig } from '../config/cluster-config.ts';
import { createObjectWatcher, type ObjectWatcher } from '../watched-objects/object-watcher.ts';

/** The connections and watches of one cluster, shared by all its users. */
export interface RemoteCluster {
  readonly client: KubeClient;
  readonly reads: SharedReads;
  readonly objectWatcher: ObjectWatcher;
  /** Open while requests to the cluster time out. */
  readonly breaker: CircuitBreaker;
  /** Counts a user; the returned function ends its use, once. */
  use(): () => void;
  /** Ends the watches at once, after a last call of each subscriber. Connections end with the last user. */
  retire(): void;
}

export interface RemoteClusterOptions extends Deps {
  readonly config: ClusterConfig;
  readonly connect: (config: ClusterConfig) => RestClient;
  readonly idleMs: number;
  /** Memory for the names of its watches. */
  readonly names: ByteBudget;
  /** Called once, after `idleMs` without users and subscribers. */
  readonly onIdle: () => void;
}

export function createRemoteCluster(options: RemoteClusterOptions): RemoteCluster {
  const deps = createDeps(options);
  const { clock } = deps;
  const { idleMs } = options;
  const client = options.connect(options.config);
  const objectWatcher = createObjectWatcher({ ...deps, client, names: options.names });
  let users = 0;
  let usedAt = clock.monotonic();
  let retired = false;
  let cancelIdle: () => void;
  const checkIdle = () => {
    const idle = users === 0 && objectWatcher.size() === 0 ? clock.monotonic() - usedAt : 0;
    if (idle >= idleMs) options.onIdle();
    else cancelIdle = clock.after(idleMs - idle, checkIdle);
  };
  cancelIdle = clock.after(idleMs, checkIdle);
  const closeIfUnused = () => {
    if (retired && users === 0) void client.close();
  };
  return {
    client,
    reads: createSharedReads({ ...deps, client }),
    objectWatcher,
    breaker: createCircuitBreaker({ ...deps, name: client.clusterName }),
    use: () => {
      users++;
      let ended = false;
      return () => {
        if (ended) return;
        ended = true;
        users--;
        usedAt = clock.monotonic();
        closeIfUnused();
      };
    },
    retire: () => {
      if (retired) return;
      retired = true;
      cancelIdle();
      objectWatcher.close();
      closeIfUnused();
    },
  };
}
