import type { WatchedObject } from '../../base/errors/errors.ts';
import { kindOf, wrap } from '../../base/errors/errors.ts';
import type { Random } from '../../base/random.ts';
import type { Logger } from '../../base/telemetry/logger.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { ObjectEvents } from '../../controller/reconcile/object-events.ts';
import type { WorkingCopy } from '../../controller/reconcile/working-copy.ts';
import type { WriteGuard } from '../../controller/reconcile/write-guard.ts';
import { type ReconcileResult, requeue } from '../../controller/reconcile-result.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { isNotFound, isUnknownKind } from '../../kube/errors/errors.ts';
import type { ReconcileChanges } from '../changelog/reconcile-changes.ts';
import type { ConnectionPublisher } from '../connection/connection-publisher.ts';
import type { ManagedKind } from '../kind/managed-kind.ts';
import type { Policies } from '../kind/policies.ts';
import type { ResourceTimings } from '../metrics/resource-timings.ts';
import { type NewCondition, setConditions } from '../resource/conditions.ts';
import type { Managed } from '../resource/managed.ts';
import type { ExternalCalls } from './external-calls.ts';
import type { Refusals } from './refusals.ts';

/** One reconcile of one managed resource: the state that its steps share. */
export interface Reconciliation<R extends Managed> {
  readonly key: string;
  readonly kind: ManagedKind<R>;
  readonly policies: Policies;
  readonly copy: WorkingCopy<R>;
  readonly client: KubeClient;
  readonly calls: ExternalCalls;
  /** Called before each external write. */
  readonly guard: WriteGuard;
  /** Entries for the change log. */
  readonly changes: ReconcileChanges;
  /** Ends with the deadline of the reconcile; for requests to the API server. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly events: ObjectEvents;
  readonly publisher: ConnectionPublisher;
  readonly refusals: Refusals;
  readonly timings: ResourceTimings;
  /** The next poll of a settled resource. */
  readonly poll: () => ReconcileResult;
  /** Objects whose change requeues the resource after this reconcile. */
  targets: readonly WatchedObject[];
  /** Whether a request to create the external resource was sent, whatever its result. */
  createSent: boolean;
  /** Whether the API server does not have the resource any more, as the write of the status showed. */
  isGone: boolean;
}

/**
 * Ends a reconcile: sets the conditions and `status.observedGeneration`, stores the status if it changed, and returns
 * the result for the queue. kstatus compares that generation before it reads a condition; crossplane-runtime leaves
 * it out.
 */
export async function conclude<R extends Managed>(
  reconciliation: Reconciliation<R>,
  result: ReconcileResult,
  ...conditions: readonly NewCondition[]
): Promise<ReconcileResult> {
  const { object } = reconciliation.copy;
  setConditions(object, reconciliation.clock, ...conditions);
  const { generation } = object.metadata;
  if (generation !== undefined) object.status = { ...object.status, observedGeneration: generation };
  try {
    await reconciliation.copy.putStatus(reconciliation.signal);
  } catch (error) {
    // The resource was deleted; the next read will not find it.
    if (isNotFound(error) && !isUnknownKind(error)) {
      reconciliation.isGone = true;
      return requeue;
    }
    // The status may never be stored, so the events are recorded without it.
    if (kindOf(error) !== 'conflict') reconciliation.events.recordPending();
    throw wrap(error, 'cannot update managed resource status');
  }
  reconciliation.events.recordPending();
  return result;
}
