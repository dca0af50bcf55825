import type { Deps } from '../../base/deps.ts';
import { type CircuitBreaker, createCircuitBreaker } from '../../http/limits/circuit-breaker.ts';
import type { Cluster } from './cluster.ts';

/** A Cluster with its users. */
export interface PooledCluster {
  readonly cluster: Cluster;
  /** Open while requests to the cluster time out. */
  readonly breaker: CircuitBreaker;
  /** Counts a user; the returned function ends its use, once. */
  use(): () => void;
  /** Ends the watches at once, after a last call of each subscriber. The cluster is closed with its last user. */
  retire(): void;
}

export interface PooledClusterOptions extends Pick<Deps, 'clock' | 'random'> {
  readonly cluster: Cluster;
  readonly idleMs: number;
  /** Called once, after `idleMs` without users and subscribers. */
  readonly onIdle: () => void;
}

export function createPooledCluster(options: PooledClusterOptions): PooledCluster {
  const { cluster, clock, random, idleMs } = options;
  const { objectWatcher } = cluster;
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
    if (retired && users === 0) void cluster.close();
  };
  return {
    cluster,
    breaker: createCircuitBreaker({ clock, random, name: cluster.displayName }),
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
