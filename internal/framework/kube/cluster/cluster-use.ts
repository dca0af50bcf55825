import { WaitingError, type WatchedObject } from '../../base/errors/errors.ts';
import type { Clock } from '../../base/time/clock.ts';
import { startStopwatch } from '../../base/time/stopwatch.ts';
import { type Attempt, SLOW_SHARE } from '../../http/limits/circuit-breaker.ts';
import { CALL_TIMEOUT_MS } from '../client/rest-client.ts';
import type { Cluster } from './cluster.ts';
import type { PooledCluster } from './pooled-cluster.ts';

/**
 * How a cluster responded. `answered`: a response other than a server error. `failed`: a server error or no connection; it
 * counts as `timed-out` if it took long, and not at all otherwise. `timed-out`: no response in time.
 */
export type CallOutcome = 'answered' | 'failed' | 'timed-out';

/** A failure that takes this long counts as a timeout, in ms. */
const SLOW_MS = SLOW_SHARE * CALL_TIMEOUT_MS;

/**
 * One use of a Cluster of a pool. It must be released; watched objects of the cluster's watcher stay valid afterwards.
 * Informers must be ended before.
 */
export interface ClusterUse {
  readonly cluster: Cluster;
  /** The kubeconfig Secret in the version in use: watched if the cluster refuses requests or does not respond. */
  readonly secretTarget: WatchedObject;
  /** Reports the outcome to the circuit breaker of the cluster. If it is not called, this use does not count. */
  report(outcome: CallOutcome): void;
  release(): void;
}

/**
 * @param secretTarget is watched while the circuit is open
 * @throws WaitingError while the circuit is open
 */
export function beginUse(
  { breaker, cluster, use }: PooledCluster,
  secretTarget: WatchedObject,
  clock: Clock,
): ClusterUse {
  const elapsedMs = startStopwatch(clock);
  let attempt: Attempt | undefined;
  try {
    attempt = breaker.enter();
  } catch (cause) {
    // A constant text, so that the condition does not change with each attempt.
    const message = `${cluster.displayName} is unreachable: it has not answered for a while and is left alone for now (circuit open)`;
    throw new WaitingError(message, { targets: [secretTarget], retry: true, cause });
  }
  const endUse = use();
  return {
    cluster,
    secretTarget,
    report: (outcome) => {
      if (outcome === 'answered') attempt?.succeeded();
      else if (outcome === 'timed-out' || elapsedMs() >= SLOW_MS) attempt?.failedSlowly();
      else attempt?.inconclusive();
      attempt = undefined;
    },
    release: () => {
      attempt?.inconclusive();
      attempt = undefined;
      endUse();
    },
  };
}
