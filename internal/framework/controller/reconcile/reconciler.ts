import type { Random } from '../../base/random.ts';
import type { Logger } from '../../base/telemetry/telemetry.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { Informers } from '../../kube/cache/informers.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { Cluster } from '../../kube/cluster/cluster.ts';
import type { EventRecorder } from '../../kube/events/event-broadcaster.ts';
import type { ReconcileRequest, ReconcileResult } from '../reconcile-result.ts';
import type { WithStatus, WorkingCopy } from './working-copy.ts';
import type { WriteGuard } from './write-guard.ts';

/**
 * Reconciles the object. Level-based: called at any time, more or less often than the object changed, and never twice
 * at a time for one object. Not called for a deleted object; add a finalizer if cleanup is needed.
 *
 * @throws to retry with backoff; a `terminal` error is not retried. A change of a `target` of the error requeues the
 * object. Conflicts, refusals of the guard and `GoneError` are no failures, and are requeued or dropped without a report
 */
export type Reconciler<T extends WithStatus, M = unknown> = (
  copy: WorkingCopy<T>,
  context: ReconcilerContext<M>,
) => Promise<ReconcileResult>;

/** By the keys of a label selector: the value, or that there must be no such label. */
export type ShardLabels = Readonly<Record<string, string | undefined>>;

/**
 * What the steps of one reconcile share.
 *
 * @typeParam M what the reconciler keeps for an object
 */
export interface ReconcilerContext<M = unknown> extends ReconcileRequest {
  /** `namespace/name`, or `name`. */
  readonly key: string;
  readonly client: KubeClient;
  /**
   * Informers that `sources` requested can be read here. One that has not been listed yet throws a WaitingError, since an
   * empty answer would mean that nothing exists.
   */
  readonly informers: Informers;
  /** The same of another cluster. */
  readonly informersAt: (cluster: Pick<Cluster, 'informers'>) => Informers;
  readonly clock: Clock;
  readonly random: Random;
  /** Log lines have the request, the uid and the version of the object. */
  readonly log: Logger;
  readonly recorder: EventRecorder;
  /** Aborted at the deadline of the reconcile. */
  readonly signal: AbortSignal;
  /** Called before external writes. Only for a kind with `finalizer`. */
  readonly guard: WriteGuard;
  readonly memory: ReconcilerMemory<M>;
  /** The labels that an object needs which this process creates for the object of the reconcile, and reconciles as well. */
  readonly shardLabels: ShardLabels;
}

/** A value for an object, kept between its reconciles until the object is gone or the process ends. */
export interface ReconcilerMemory<M> {
  get(): M | undefined;
  set(value: M): void;
}

/** Deadline of all external calls of one reconcile together, in ms. */
export function externalTimeoutOf({
  externalTimeoutMs = 60_000,
}: {
  readonly externalTimeoutMs?: number;
}): number {
  return externalTimeoutMs;
}

/**
 * Upper bound for external writes still in flight after an ownership check, in ms. A request may be sent just before
 * the deadline of external calls and end a little later.
 */
export function ownershipDelayOf(externalTimeoutMs: number): number {
  return externalTimeoutMs * (1 + IN_FLIGHT_SHARE);
}

/** Share of the time for external calls: a write may end this much after it. 10 s for 60 s. */
const IN_FLIGHT_SHARE = 1 / 6;
