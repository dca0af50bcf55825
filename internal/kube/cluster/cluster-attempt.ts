import { WaitingError, type WatchedObject } from '../../base/errors/errors.ts';
import type { Clock } from '../../base/time/clock.ts';
import { startStopwatch } from '../../base/time/stopwatch.ts';
import { type Attempt, SLOW_SHARE } from '../../http/limits/circuit-breaker.ts';
import { CALL_TIMEOUT_MS } from '../client/rest-client.ts';
import type { RemoteCluster } from './remote-cluster.ts';

/**
 * How a cluster responded. `answered`: a response other than a server error. `failed`: a server error or no connection; it
 * counts as `timed-out` if it took long, and not at all otherwise. `timed-out`: no response in time.
 */
export type CallOutcome = 'answered' | 'failed' | 'timed-out';

/** A failure that takes this long counts as a timeout, in ms. */
const SLOW_MS = SLOW_SHARE * CALL_TIMEOUT_MS;

export interface ClusterAttempt {
  readonly report: (outcome: CallOutcome) => void;
  /** It ends without an outcome, if none was reported. */
  readonly end: () => void;
}

/**
 * One use of a cluster, counted by its circuit breaker.
 *
 * @param target is watched while the circuit is open
 * @throws WaitingError while the circuit is open
 */
export function attemptAt(
  { breaker, client }: RemoteCluster,
  target: WatchedObject,
  clock: Clock,
): ClusterAttempt {
  const elapsedMs = startStopwatch(clock);
  let attempt: Attempt | undefined;
  try {
    attempt = breaker.enter();
  } catch (cause) {
    // A constant text, so that the condition does not change with each attempt.
    const message = `${client.clusterName} is unreachable: it has not answered for a while and is left alone for now (circuit open)`;
    throw new WaitingError(message, { targets: [target], retry: true, cause });
  }
  return {
    report: (outcome: CallOutcome) => {
      if (outcome === 'answered') attempt?.succeeded();
      else if (outcome === 'timed-out' || elapsedMs() >= SLOW_MS) attempt?.failedSlowly();
      else attempt?.inconclusive();
      attempt = undefined;
    },
    end: () => {
      attempt?.inconclusive();
      attempt = undefined;
    },
  };
}
