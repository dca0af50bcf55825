import type { WatchedObject } from '../../../base/errors/errors.ts';
import { kindOf, wrap } from '../../../base/errors/errors.ts';
import type { Random } from '../../../base/random.ts';
import type { Logger } from '../../../base/telemetry/logger.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { isNotFound, isUnknownKind } from '../../../kube/errors/errors.ts';
import type { ReconcileChanges } from '../../changelog/reconcile-changes.ts';
import type { ConnectionPublisher } from '../../connection/connection-publisher.ts';
import { type ReconcileResult, requeue } from '../../controller/reconcile-result.ts';
import type { ResourceTimings } from '../../metrics/resource-timings.ts';
import { type NewCondition, setConditions } from '../../resource/conditions.ts';
import type { Managed } from '../../resource/managed.ts';
import type { ObjectEvents } from '../../steps/object-events.ts';
import type { WorkingCopy } from '../../steps/working-copy.ts';
import type { WriteGuard } from '../../steps/write-guard.ts';
import type { ManagedKind } from '../kind/managed-kind.ts';
import type { Policies } from '../kind/policies.ts';
import type { ExternalCalls } from './external-calls.ts';
import type { Refusals } from './refusals.ts';

/** One reconcile of one managed resource: what its steps share. */
export interface Reconciliation<R extends Managed> {
  readonly key: string;
  readonly kind: ManagedKind<R>;
  readonly policies: Policies;
  readonly copy: WorkingCopy<R>;
  readonly client: KubeClient;
  readonly calls: ExternalCalls;
  /** Asked before each external write. */
  readonly guard: WriteGuard;
  /** What the change log hears of them. */
  readonly changes: ReconcileChanges;
  /** Ends with the whole reconcile's deadline; for the API server. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly events: ObjectEvents;
  readonly publisher: ConnectionPublisher;
  readonly refusals: Refusals;
  readonly timings: ResourceTimings;
  /** When a settled resource is looked at again. */
  readonly poll: () => ReconcileResult;
  /** What should wake the resource after this pass. */
  targets: readonly WatchedObject[];
}

/**
 * Ends a pass: states the conditions and the generation that all of the status is about, stores the status if it changed,
 * and hands the result to the queue. Tools that follow kstatus wait for that generation before they believe a condition;
 * crossplane-runtime leaves it out.
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
    // Whoever was deleted meanwhile needs no status; the next read will find nothing.
    if (isNotFound(error) && !isUnknownKind(error)) return requeue;
    // A status that cannot be stored for another reason may never be; then all the more it must be told.
    if (kindOf(error) !== 'conflict') reconciliation.events.recordPending();
    throw wrap(error, 'cannot update managed resource status');
  }
  reconciliation.events.recordPending();
  return result;
}
