import type { Clock } from '../../../base/clock.ts';
import type { WaitTarget } from '../../../base/errors.ts';
import { kindOf, wrap } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Random } from '../../../base/random.ts';
import type { KubeClient } from '../../../kube/client.ts';
import { isNotFound, isUnknownKind } from '../../../kube/errors.ts';
import type { EventRecorder, EventType } from '../../../kube/event-recorder.ts';
import type { PassChanges } from '../../changelog/pass-changes.ts';
import type { ConnectionPublisher } from '../../connection/connection-publisher.ts';
import { type ReconcileResult, requeue } from '../../controller/reconcile-result.ts';
import type { ResourceTimings } from '../../metrics/resource-timings.ts';
import { type NewCondition, setConditions } from '../../resource/conditions.ts';
import type { Managed } from '../../resource/managed.ts';
import { externalNameFrom } from '../../resource/meta.ts';
import type { WorkingCopy } from '../../steps/working-copy.ts';
import type { WriteGuard } from '../../steps/write-guard.ts';
import type { ManagedKind } from '../kind/managed-kind.ts';
import type { Policies } from '../kind/policies.ts';
import type { ExternalCalls } from './external-calls.ts';
import type { Refusals } from './refusals.ts';

/** One reconcile of one managed resource: what its steps share. */
export interface Pass<R extends Managed> {
  readonly key: string;
  readonly kind: ManagedKind<R>;
  readonly policies: Policies;
  readonly copy: WorkingCopy<R>;
  readonly client: KubeClient;
  readonly calls: ExternalCalls;
  /** Asked before each external write. */
  readonly guard: WriteGuard;
  /** What the change log hears of them. */
  readonly changes: PassChanges;
  /** Ends with the whole reconcile's deadline; for the API server. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly recorder: EventRecorder;
  readonly publisher: ConnectionPublisher;
  readonly refusals: Refusals;
  readonly timings: ResourceTimings;
  /** When a settled resource is looked at again. */
  readonly poll: () => ReconcileResult;
  /** Events that wait for the status which says that they were told. */
  readonly unsaid: (() => void)[];
  /** What should wake the resource after this pass. */
  targets: readonly WaitTarget[];
}

/** Records an event about the resource. */
export function tell<R extends Managed>(
  pass: Pass<R>,
  type: EventType,
  reason: string,
  message: string,
): void {
  const name = externalNameFrom(pass.copy.object);
  pass.recorder.record(
    pass.copy.object,
    type,
    reason,
    message,
    name === undefined ? {} : { 'external-name': name },
  );
}

/**
 * The same of an event that is not repeated once the status shows what it is about. It waits for that status: the next
 * pass would tell it again if others wrote the resource meanwhile, so that the status was not stored.
 */
export function tellWithStatus<R extends Managed>(
  pass: Pass<R>,
  type: EventType,
  reason: string,
  message: string,
): void {
  pass.unsaid.push(() => tell(pass, type, reason, message));
}

/** Records the events that waited for a status. */
export function tellUnsaid<R extends Managed>({ unsaid }: Pass<R>): void {
  for (const say of unsaid.splice(0)) say();
}

/**
 * Ends a pass: states the conditions and the generation that all of the status is about, stores the status if it changed,
 * and hands the result to the queue. Tools that follow kstatus wait for that generation before they believe a condition;
 * crossplane-runtime leaves it out.
 */
export async function conclude<R extends Managed>(
  pass: Pass<R>,
  result: ReconcileResult,
  ...conditions: readonly NewCondition[]
): Promise<ReconcileResult> {
  const { object } = pass.copy;
  setConditions(object, pass.clock, ...conditions);
  const { generation } = object.metadata;
  if (generation !== undefined) object.status = { ...object.status, observedGeneration: generation };
  try {
    await pass.copy.putStatus(pass.signal);
  } catch (error) {
    // Whoever was deleted meanwhile needs no status; the next read will find nothing.
    if (isNotFound(error) && !isUnknownKind(error)) return requeue;
    // A status that cannot be stored for another reason may never be; then all the more it must be told.
    if (kindOf(error) !== 'conflict') tellUnsaid(pass);
    throw wrap(error, 'cannot update managed resource status');
  }
  tellUnsaid(pass);
  return result;
}
