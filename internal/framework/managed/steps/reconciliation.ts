import { wrap } from '../../base/errors/errors.ts';
import type { ReconcilerContext } from '../../controller/reconcile/reconciler.ts';
import { GoneError, type ObjectEvents, storeStatus } from '../../controller/reconcile/store-status.ts';
import type { WorkingCopy } from '../../controller/reconcile/working-copy.ts';
import type { ReconcileResult } from '../../controller/reconcile-result.ts';
import type { ObjectWatcher } from '../../kube/watched-objects/object-watcher.ts';
import type { ReconcileChanges } from '../changelog/reconcile-changes.ts';
import type { ConnectionPublisher } from '../connection/connection-publisher.ts';
import type { ManagedKind } from '../kind/managed-kind.ts';
import type { Policies } from '../kind/policies.ts';
import type { ResourceTimings, Timing } from '../metrics/resource-timings.ts';
import { type NewCondition, setConditions } from '../resource/conditions.ts';
import type { Managed } from '../resource/managed.ts';
import type { ExternalCalls } from './external-calls.ts';

/**
 * An external write that failed with a terminal error. Polls then only observe. A changed spec or external name, a
 * reconcile request or a restart allows the write again.
 */
export interface Refusal {
  readonly of: string;
  readonly error: unknown;
}

/** What is kept of a resource between its reconciles. */
export interface ManagedMemory {
  readonly refusal?: Refusal;
  readonly timing?: Timing;
}

/** One reconcile of one managed resource: what its steps share. */
export interface Reconciliation<R extends Managed> extends ReconcilerContext<ManagedMemory> {
  readonly kind: ManagedKind<R>;
  readonly policies: Policies;
  readonly copy: WorkingCopy<R>;
  readonly calls: ExternalCalls;
  /** Entries for the change log. */
  readonly changes: ReconcileChanges;
  readonly events: ObjectEvents;
  readonly publisher: ConnectionPublisher;
  readonly timings: ResourceTimings;
  readonly objectWatcher: Pick<ObjectWatcher, 'target'> | undefined;
  /** The next poll of a settled resource. */
  readonly poll: () => ReconcileResult;
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
  const { copy, clock } = reconciliation;
  const { object } = copy;
  setConditions(object, clock, ...conditions);
  const { generation } = object.metadata;
  if (generation !== undefined) object.status = { ...object.status, observedGeneration: generation };
  try {
    await storeStatus(copy, reconciliation);
  } catch (error) {
    throw error instanceof GoneError ? error : wrap(error, 'cannot update managed resource status');
  }
  return result;
}
