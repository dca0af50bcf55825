import type { ByteBudget } from '../base/byte-budget.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Random } from '../base/random.ts';
import { type CircuitBreaker, createCircuitBreaker } from '../http/limits/circuit-breaker.ts';
import type { KubeClient } from './client.ts';
import type { ClusterConfig } from './cluster-config.ts';
import { createObjectNotifier, type ObjectNotifier } from './object-notifier.ts';
import type { RestClient } from './rest-client.ts';
import { createSharedReads, type SharedReads } from './shared-reads.ts';

/** The connections and watches to one cluster, shared by all that use it at the time. */
export interface RemoteCluster {
  readonly client: KubeClient;
  readonly reads: SharedReads;
  readonly notifier: ObjectNotifier;
  /** Keeps users away while the cluster swallows whatever is asked of it. */
  readonly breaker: CircuitBreaker;
  /** Counts a user; the returned function ends its use, once. */
  use(): () => void;
  /** Watches end at once and their observers are told; connections end with the last user. */
  retire(): void;
}

export interface RemoteClusterOptions {
  readonly config: ClusterConfig;
  readonly connect: (config: ClusterConfig) => RestClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly idleMs: number;
  /** What the names that its watches pass may take in memory. */
  readonly names: ByteBudget;
  /** Nobody used it, and nobody observed anything there, for `idleMs`. Called once. */
  readonly onIdle: () => void;
}

export function createRemoteCluster(options: RemoteClusterOptions): RemoteCluster {
  const { clock, random, log, idleMs } = options;
  const client = options.connect(options.config);
  const notifier = createObjectNotifier({ client, clock, random, log, names: options.names });
  let users = 0;
  let usedAt = clock.monotonic();
  let retired = false;
  let cancelIdle: () => void;
  const checkIdle = () => {
    const idle = users === 0 && notifier.size() === 0 ? clock.monotonic() - usedAt : 0;
    if (idle >= idleMs) options.onIdle();
    else cancelIdle = clock.after(idleMs - idle, checkIdle);
  };
  cancelIdle = clock.after(idleMs, checkIdle);
  const closeIfUnused = () => {
    if (retired && users === 0) void client.close();
  };
  return {
    client,
    reads: createSharedReads({ client, clock }),
    notifier,
    breaker: createCircuitBreaker({ clock, random, name: client.clusterName }),
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
      notifier.close();
      closeIfUnused();
    },
  };
}
