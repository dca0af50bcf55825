/**
 * The story of a managed resource, told from top to bottom: one reconcile reads it, connects to the other side,
 * observes what is there, takes at most one step towards what is asked (create, update, delete, or delete and create
 * where only that helps), and says how it went. Each line is one step of Crossplane's reconciler; what a failing step
 * tells users stands in steps/failures.ts, and what that means for the queue in steps/report.ts.
 */
import { ProviderError } from '../../base/errors/errors.ts';
import type { ConnectionDetails } from '../connection/connection-publisher.ts';
import {
  done,
  gone,
  type Reconcile,
  type ReconcileResult,
  requeue,
  requeueAfter,
} from '../controller/reconcile-result.ts';
import {
  creating,
  deleting,
  dropCondition,
  getCondition,
  observeMatched,
  reconcileError,
  reconcileSuccess,
  setConditions,
  typeReady,
  typeUpToDate,
  updateRestricted,
} from '../resource/conditions.ts';
import type { Managed } from '../resource/managed.ts';
import {
  createdRecently,
  createIncomplete,
  externalNameFrom,
  isPaused,
  setCreateSucceeded,
  setExternalName,
  wasDeleted,
} from '../resource/meta.ts';
import { foreignFinalizers, hasFinalizer, managedFinalizer } from '../steps/finalizer.ts';
import { requeueOnConflict } from '../steps/requeue.ts';
import { putObject } from '../steps/working-copy.ts';
import type { ExternalClient, Observation } from './kind/external-client.ts';
import { DEFAULT_CREATION_GRACE_PERIOD_MS } from './kind/managed-kind.ts';
import { createPasses, type ManagedReconcilerOptions } from './passes.ts';
import { connect, disconnect } from './steps/connect.ts';
import { createExternal } from './steps/create.ts';
import { deleteExternal, letGo, warnOfUnknownCreation } from './steps/delete.ts';
import { failures, StepFailure, step } from './steps/failures.ts';
import { initialize } from './steps/initialize.ts';
import { newExternalName, type Observed, observe } from './steps/observe.ts';
import { conclude, type Pass } from './steps/pass.ts';
import { pause } from './steps/pause.ts';
import { acknowledgeRequest } from './steps/reconcile-request.ts';
import { concludeUnlessReplaceable, replaceExternal } from './steps/replace.ts';
import { reportFailure } from './steps/report.ts';
import { resolveReferences } from './steps/resolve-references.ts';
import { updateExternal } from './steps/update.ts';
import * as words from './steps/words.ts';

/** The reconcile function of a kind, for a controller. */
export function createManagedReconciler<R extends Managed>(options: ManagedReconcilerOptions<R>): Reconcile {
  const passes = createPasses(options);
  return async (key, signal, occasion) => {
    using pass = await passes.begin(key, signal, occasion);
    if (pass === undefined) return gone;
    try {
      const result = await requeueOnConflict(() => reconcile(pass));
      return pass.guard.notAfterDelay(result);
    } finally {
      options.wakeUps?.watch(key, pass.targets);
      await pass.changes.sent();
    }
  };
}

async function reconcile<R extends Managed>(pass: Pass<R>): Promise<ReconcileResult> {
  try {
    return await beforeConnect(pass);
  } catch (failure) {
    if (failure instanceof StepFailure) return await reportFailure(pass, failure);
    throw failure;
  }
}

/** What can be decided without the other side. */
async function beforeConnect<R extends Managed>(pass: Pass<R>): Promise<ReconcileResult> {
  const { kind, policies } = pass;
  const resource = pass.copy.object;
  if (isPaused(resource) || policies.paused) return pause(pass);
  acknowledgeRequest(pass);
  if (policies.problem !== undefined) {
    pass.events.recordWithStatus('Warning', words.reasonInvalidPolicy, policies.problem);
    return conclude(pass, done, reconcileError(policies.problem));
  }
  const deleted = wasDeleted(resource);
  if (deleted && !(policies.deletesExternal && hasFinalizer(resource, managedFinalizer))) return letGo(pass);
  await step(failures.acquireOwnership, pass.guard.acquireOwnership);
  await step(failures.initialize, () => initialize(pass));
  if (createIncomplete(resource)) {
    pass.log.debug('the outcome of an earlier create is unknown');
    if (!deleted && !kind.deterministicExternalName) {
      // The previous owner may still record it.
      await step(failures.create, pass.guard.assertOwner);
      pass.events.recordWithStatus('Warning', words.reasonCannotInitialize, words.createIncompleteText);
      return conclude(pass, done, creating(), reconcileError(words.createIncompleteText));
    }
  }
  if (!deleted) await step(failures.resolveReferences, () => resolveReferences(pass));
  const client = await step(failures.connect, () => connect(pass));
  try {
    return await afterConnect(pass, client);
  } finally {
    await disconnect(pass, client);
  }
}

async function afterConnect<R extends Managed>(
  pass: Pass<R>,
  client: ExternalClient<R>,
): Promise<ReconcileResult> {
  const { policies } = pass;
  const resource = pass.copy.object;
  const observed = await step(failures.observe, () => observe(pass, client));
  const { observation } = observed;
  if (observation.state === 'absent') {
    dropCondition(resource, typeUpToDate);
    if (policies.onlyObserve) throw new StepFailure(failures.observe, missing(words.notExistingText));
    if (mayBeInvisible(pass, observation)) {
      pass.events.record('Normal', words.reasonPending, words.messagePending);
      return requeue;
    }
  }
  pass.changes.observed(resource);
  if (wasDeleted(resource)) return finishDeletion(pass, client, observation);
  if (observation.state === 'pending') return holdWhilePending(pass, observation);
  await step(failures.publish, () => publish(pass, observation.connectionDetails));
  if (observation.state === 'present') return keepInShape(pass, client, { ...observed, observation });
  if (!policies.allows('Create')) {
    await storeFinalizer(pass);
    throw new StepFailure(failures.observe, missing(words.missingWithoutCreateText));
  }
  await createExternal(pass, client, newExternalName(resource, observation));
  return afterCreate(pass, client);
}

/** The external resource exists and is not to be deleted. */
async function keepInShape<R extends Managed>(
  pass: Pass<R>,
  client: ExternalClient<R>,
  observed: Observed<R> & { observation: { state: 'present' } },
): Promise<ReconcileResult> {
  const { observation } = observed;
  if (observation.replace !== 'identity') recordFound(pass, observation);
  await storeFinalizer(pass);
  if (observation.replace !== undefined) {
    const forbidden = concludeUnlessReplaceable(pass, observation);
    if (forbidden !== undefined) return forbidden;
    await replaceExternal(pass, client, observation);
    return afterCreate(pass, client);
  }
  await lateInitialize(pass, observed);
  if (observation.upToDate) return settle(pass);
  const { diff } = observation;
  pass.log.debug('external resource differs', { diff: diff ?? '' });
  if (!pass.policies.allows('Update')) {
    return conclude(pass, pass.poll(), reconcileSuccess(), updateRestricted(diff));
  }
  await updateExternal(pass, client, diff);
  return conclude(pass, pass.poll(), reconcileSuccess());
}

/** Create was asked for and recorded; a second look may find the resource ready already. */
async function afterCreate<R extends Managed>(
  pass: Pass<R>,
  client: ExternalClient<R>,
): Promise<ReconcileResult> {
  const requested = () => conclude(pass, requeue, creating(), reconcileSuccess());
  if (!pass.kind.observeAfterCreate) return requested();
  const observed = await step(failures.observe, () => observe(pass, client));
  const { observation } = observed;
  if (observation.state === 'absent') return requested();
  if (observation.state === 'pending') return holdWhilePending(pass, observation);
  await step(failures.publish, () => publish(pass, observation.connectionDetails));
  await lateInitialize(pass, observed);
  if (!observation.upToDate) return conclude(pass, requeue, reconcileSuccess());
  return settle(pass);
}

/** All is as asked. */
function settle<R extends Managed>(pass: Pass<R>): Promise<ReconcileResult> {
  pass.timings.unchanged(pass.key, pass.copy.object);
  return conclude(pass, pass.poll(), reconcileSuccess(), observeMatched());
}

async function finishDeletion<R extends Managed>(
  pass: Pass<R>,
  client: ExternalClient<R>,
  observation: Observation,
): Promise<ReconcileResult> {
  if (foreignFinalizers(pass.copy.object, managedFinalizer).length > 0) return requeue;
  switch (observation.state) {
    case 'pending':
      return conclude(
        pass,
        requeueAfter(observation.checkAfterMs),
        deleting(observation.operation),
        reconcileSuccess(observation.operation),
      );
    case 'present':
      await deleteExternal(pass, client, failures.delete);
      return afterDelete(pass, client);
    case 'absent':
      // The previous owner may still create it.
      await step(failures.delete, pass.guard.assertOwner);
      warnOfUnknownCreation(pass);
      return letGo(pass, observation.connectionDetails);
    default:
      return observation satisfies never;
  }
}

/** Delete was accepted. A second observation may find the resource gone already; else the next reconcile does. */
async function afterDelete<R extends Managed>(
  pass: Pass<R>,
  client: ExternalClient<R>,
): Promise<ReconcileResult> {
  if (pass.kind.observeAfterDelete) {
    setConditions(pass.copy.object, pass.clock, deleting());
    const { observation } = await step(failures.observe, () => observe(pass, client));
    if (observation.state === 'absent') return letGo(pass, observation.connectionDetails);
  }
  return conclude(pass, requeue, deleting(), reconcileSuccess());
}

/** Nothing is asked of the other side before it is done. */
async function holdWhilePending<R extends Managed>(
  pass: Pass<R>,
  { operation, checkAfterMs }: Extract<Observation, { state: 'pending' }>,
): Promise<ReconcileResult> {
  await storeFinalizer(pass);
  const ready = getCondition(pass.copy.object, typeReady) === undefined ? [creating(operation)] : [];
  return conclude(pass, requeueAfter(checkAfterMs), ...ready, reconcileSuccess(operation));
}

async function lateInitialize<R extends Managed>(
  { copy, policies, signal }: Pass<R>,
  { lateInitializedSpec }: Observed<R>,
): Promise<void> {
  if (lateInitializedSpec === undefined || !policies.allows('LateInitialize')) return;
  copy.object.spec = lateInitializedSpec;
  await step(failures.lateInitialize, () => copy.put(signal));
}

/** What was found is on record by its name, and a create that never reported back has evidently succeeded. */
function recordFound<R extends Managed>({ copy, clock }: Pass<R>, observation: Observation): void {
  const name = newExternalName(copy.object, observation);
  const incomplete = createIncomplete(copy.object);
  if (name !== undefined) setExternalName(copy.object, name);
  if (incomplete) setCreateSucceeded(copy.object, clock.now());
  if (name !== undefined || incomplete) copy.markChanged();
}

async function storeFinalizer<R extends Managed>(pass: Pass<R>): Promise<void> {
  const { copy, guard, signal } = pass;
  guard.stageClaim();
  if (copy.hasChanges()) await step(failures.addFinalizer, () => putObject(copy, signal));
}

function publish<R extends Managed>(pass: Pass<R>, details: ConnectionDetails = {}): Promise<boolean> {
  return pass.publisher.publish(pass.copy.object, details, pass.signal);
}

/** What was created a moment ago under the name in question need not show yet. */
function mayBeInvisible<R extends Managed>(
  { kind, copy, clock }: Pass<R>,
  observation: { readonly externalName?: string },
): boolean {
  const { creationGracePeriodMs = DEFAULT_CREATION_GRACE_PERIOD_MS } = kind;
  const name = externalNameFrom(copy.object);
  const another = observation.externalName !== undefined && observation.externalName !== name;
  return !another && createdRecently(copy.object, clock.now(), creationGracePeriodMs);
}

/** Only a change of policies, or of the other side, can help; polls see both. */
const missing = (text: string) => new ProviderError('terminal', text);
