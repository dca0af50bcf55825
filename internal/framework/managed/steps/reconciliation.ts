import { findCause, messageOf, wrap } from '../../base/errors/errors.ts';
import { isObject, valueAt } from '../../base/json/json-value.ts';
import type { ReconcilerContext } from '../../controller/reconcile/reconciler.ts';
import { GoneError, type ObjectEvents, storeStatus } from '../../controller/reconcile/store-status.ts';
import type { WorkingCopy } from '../../controller/reconcile/working-copy.ts';
import type { ReconcileResult } from '../../controller/reconcile-result.ts';
import { isTooLarge, KubeApiError } from '../../kube/errors/errors.ts';
import type { ObjectWatcher } from '../../kube/watched-objects/object-watcher.ts';
import type { ReconcileChanges } from '../changelog/reconcile-changes.ts';
import type { ConnectionPublisher } from '../connection/connection-publisher.ts';
import type { ManagedKind } from '../kind/managed-kind.ts';
import type { Policies } from '../kind/policies.ts';
import type { ResourceTimings, Timing } from '../metrics/resource-timings.ts';
import { type NewCondition, setConditions } from '../resource/conditions.ts';
import type { Managed } from '../resource/managed.ts';
import type { ExternalCalls } from './external-calls.ts';
import { reasonCannotUpdateManaged } from './messages/messages.ts';

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
    await storeStatus(copy, reconciliation).catch((error: unknown) => {
      const refused = removeRefused(object, error);
      if (refused.length === 0) throw error;
      const fields = refused.map((name) => `atProvider.${name}`).join(', ');
      const text = `its status is stored without ${fields}, which the API server refuses: ${messageOf(error)}`;
      reconciliation.events.record('Warning', reasonCannotUpdateManaged, text);
      return storeStatus(copy, reconciliation);
    });
  } catch (error) {
    throw error instanceof GoneError ? error : wrap(error, 'cannot update managed resource status');
  }
  return result;
}

/**
 * Removes what the external system has in another form than the schema of the kind says, or more of than an object may have, so that the
 * conditions are stored at least.
 *
 * @returns the fields of `status.atProvider` that the API server refuses
 */
function removeRefused(object: Managed, error: unknown): readonly string[] {
  const atProvider = valueAt(object, ['status', 'atProvider']);
  if (!isObject(atProvider)) return [];
  const isRefused = isTooLarge(error) ? isLarge : isNamedIn(error);
  const entries = Object.entries(atProvider);
  const refused = entries.flatMap(([name, value]) => (isRefused(name, value) ? [name] : []));
  const kept = entries.filter(([name]) => !refused.includes(name));
  object.status = Object.assign({}, object.status, { atProvider: Object.fromEntries(kept) });
  return refused;
}

/** Of a status that is too large only fields with at most so many characters stay. */
const LARGE = 16 * 1024;

const isLarge = (name: string, value: unknown): boolean => JSON.stringify({ [name]: value }).length > LARGE;

function isNamedIn(error: unknown): (name: string) => boolean {
  const causes = findCause(error, KubeApiError)?.details?.causes;
  const names = causes?.map(({ field = '' }) => /^status\.atProvider\.([^.[]+)/.exec(field)?.[1]);
  return (name) => names?.includes(name) === true;
}
