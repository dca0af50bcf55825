/** A reconciler of its own for widgets, as an author writes it: conditions of its own, the finalizer as the record of a create. */
import { hasFinalizer, removeFinalizer } from '../../controller/reconcile/finalizer.ts';
import {
  type Failure,
  handleError,
  reportingFailures,
  type StepFailure,
  step,
} from '../../controller/reconcile/handle-error.ts';
import type { Reconciler, ReconcilerContext } from '../../controller/reconcile/reconciler.ts';
import {
  createObjectEvents,
  type ObjectEvents,
  storeStatus,
} from '../../controller/reconcile/store-status.ts';
import { undoingIfGone } from '../../controller/reconcile/undo-create.ts';
import { putObject, type WorkingCopy } from '../../controller/reconcile/working-copy.ts';
import {
  done,
  pollAfter,
  type ReconcileResult,
  requeue,
  requeueAfter,
} from '../../controller/reconcile-result.ts';
import type { Widget } from '../../kube/fakes/widget.ts';
import { withCondition } from '../../kube/object/condition.ts';
import { wasDeleted } from '../../kube/object/object.ts';
import type { ReconcileContext } from '../kind/external-client.ts';
import { externalNameFrom, isPaused, setExternalName } from '../resource/meta.ts';
import { type ExternalSystem, type Found, PENDING_MS } from './external-system.fixture.ts';

export const ownFinalizer = 'example.org/widget';

type Step = 'Observe' | 'Create' | 'Delete';

interface Run {
  readonly external: ExternalSystem;
  readonly pollIntervalMs: number;
  readonly copy: WorkingCopy<Widget>;
  readonly context: ReconcilerContext<object>;
  readonly events: ObjectEvents;
  readonly call: ReconcileContext;
}

export function ownReconciler(external: ExternalSystem, pollIntervalMs: number): Reconciler<Widget, object> {
  return async (copy, context) => {
    const { object } = copy;
    const { guard, signal, recorder } = context;
    const events = createObjectEvents({ recorder, object: () => object });
    const call = { ...context, assertMayWrite: guard.assertMayWrite };
    const run: Run = { external, pollIntervalMs, copy, context, events, call };
    if (isPaused(object)) return conclude(run, done, 'Paused');
    if (wasDeleted(object) && !(hasFinalizer(object, ownFinalizer) && isDeletedWith(object))) {
      await removeFinalizer(copy, ownFinalizer, signal);
      return done;
    }
    await guard.acquireOwnership({ onlyObserved: isOnlyObserved(object) });
    const steps = () =>
      reportingFailures<Step>(
        () => afterOwnership(run),
        (failure) => report(run, failure),
      );
    return undoingIfGone(copy, context, steps, {
      isAllowed: () => isDeletedWith(object),
      remove: () => change(run, 'delete'),
      describe: () => ({ externalName: externalNameFrom(object) }),
    });
  };
}

async function afterOwnership(run: Run): Promise<ReconcileResult> {
  const { external, copy, context, call } = run;
  const { object } = copy;
  const found = await step<Step, Found>('Observe', () => external.observe(object, call));
  context.memory.set(found);
  if (wasDeleted(object)) return finishDeletion(run, found);
  if (found.state === 'pending') return conclude(run, requeueAfter(PENDING_MS), 'Pending');
  if (isOnlyObserved(object)) return conclude(run, pollAfter(run.pollIntervalMs), 'Observed');
  if (found.state === 'settled') {
    if (externalNameFrom(object) !== found.name) {
      setExternalName(object, found.name);
      copy.markChanged();
    }
    context.guard.stageClaim();
    if (copy.hasChanges()) await step<Step, void>('Observe', () => putObject(copy, context.signal));
    return conclude(run, pollAfter(run.pollIntervalMs), 'Settled');
  }
  if (found.state !== 'absent') await deleteExternal(run);
  await step<Step, void>('Create', async () => {
    await context.guard.beforeWrite({ record: () => recordIntent(run, found.name) });
    await change(run, 'create');
  });
  return conclude(run, pollAfter(run.pollIntervalMs), 'Settled', { isResult: true });
}

async function finishDeletion(run: Run, found: Found): Promise<ReconcileResult> {
  const { copy, context } = run;
  if (found.state === 'pending') return requeueAfter(PENDING_MS);
  if (found.state !== 'absent') {
    await deleteExternal(run);
    return requeue;
  }
  // The previous owner may still create it.
  await step<Step, void>('Delete', context.guard.assertOwner);
  await removeFinalizer(copy, ownFinalizer, context.signal);
  return done;
}

const deleteExternal = (run: Run): Promise<void> =>
  step<Step, void>('Delete', async () => {
    await run.context.guard.beforeWrite({ destructive: true });
    await change(run, 'delete');
  });

/** The API server refuses it unless it is of the newest version. */
async function recordIntent({ copy, context }: Run, externalName: string): Promise<void> {
  setExternalName(copy.object, externalName);
  context.guard.stageClaim();
  await copy.put(context.signal);
}

async function change({ external, copy, call }: Run, verb: 'create' | 'delete'): Promise<void> {
  call.assertMayWrite();
  await external[verb](copy.object, call);
}

function report(run: Run, { rule, cause }: StepFailure<Step>): Promise<ReconcileResult> {
  const show = async ({ error, text, isPostponed, result }: Failure) => {
    if (isPostponed) return result;
    run.events.recordWithStatus('Warning', `${rule}Failed`, text);
    await conclude(run, result, `${rule}Failed`);
    throw error;
  };
  return handleError(cause, { show }, run.context.log);
}

async function conclude(
  { copy: { object }, copy, context: { clock, signal }, events }: Run,
  result: ReconcileResult,
  reason: string,
  { isResult = false } = {},
): Promise<ReconcileResult> {
  const status = reason === 'Settled' ? 'True' : 'False';
  const succeeded = { type: 'Succeeded', status, reason } as const;
  const conditions = withCondition(object.status?.conditions ?? [], succeeded, clock.now());
  object.status = { ...object.status, conditions };
  await storeStatus(copy, { events, signal, isResult });
  return result;
}

const policiesOf = ({ spec }: Widget) => spec.managementPolicies ?? ['*'];
const isOnlyObserved = (object: Widget) => policiesOf(object).join() === 'Observe';
/** Whether the external resource is deleted with its object. */
const isDeletedWith = (object: Widget) =>
  object.spec.deletionPolicy !== 'Orphan' &&
  ['*', 'Delete'].some((action) => policiesOf(object).includes(action));
