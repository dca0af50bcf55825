/**
 * The reconciler of managed resources. One reconcile reads the resource, connects to the external API, observes the
 * external resource, makes at most one change (create, update, delete, or delete and create), and stores the status.
 * The steps are those of crossplane-runtime (`pkg/reconciler/managed`). steps/failures.ts has the events and
 * conditions of a failed step, steps/report.ts its effect on the queue.
 */
import { ProviderError } from '../base/errors/errors.ts';
import { hasFinalizer, managedFinalizer } from '../controller/reconcile/finalizer.ts';
import { reportingFailures, StepFailure } from '../controller/reconcile/handle-error.ts';
import { undoingIfGone } from '../controller/reconcile/undo-create.ts';
import { putObject } from '../controller/reconcile/working-copy.ts';
import { done, type ReconcileResult, requeue, requeueInProgress } from '../controller/reconcile-result.ts';
import { wasDeleted } from '../kube/object/object.ts';
import type { ConnectionDetails } from './connection/connection-publisher.ts';
import type { ExternalClient, Observation } from './kind/external-client.ts';
import { DEFAULT_CREATION_GRACE_PERIOD_MS, recordsCreateOutcome } from './kind/managed-kind.ts';
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
  upToDatePending,
} from './resource/conditions.ts';
import type { Managed } from './resource/managed.ts';
import {
  createdRecently,
  createIncomplete,
  isPaused,
  recordedExternalName,
  setCreateIntent,
  setCreateSucceeded,
  setExternalName,
  wasCreateSent,
} from './resource/meta.ts';
import { createExternal, isCreatedButNeverFound } from './steps/create.ts';
import {
  deleteExternal,
  finalize,
  undoOf,
  waitForFinalizers,
  warnOfUnknownCreation,
} from './steps/delete.ts';
import { type FailureRule, failures, step } from './steps/messages/failures.ts';
import * as messages from './steps/messages/messages.ts';
import {
  acknowledgeRequest,
  connect,
  disconnect,
  initialize,
  newExternalName,
  type Observed,
  observe,
  pause,
  resolveReferences,
} from './steps/observe.ts';
import { conclude, type Reconciliation } from './steps/reconciliation.ts';
import { concludeUnlessReplaceable, replaceExternal } from './steps/replace.ts';
import { reportFailure } from './steps/report.ts';
import { updateExternal } from './steps/update.ts';

/** Reconciles one managed resource. */
export async function reconcileManaged<R extends Managed>(
  reconciliation: Reconciliation<R>,
): Promise<ReconcileResult> {
  try {
    return await reportFailures(reconciliation, () => beforeConnect(reconciliation));
  } finally {
    await reconciliation.changes.sent();
  }
}

const reportFailures = <R extends Managed>(
  reconciliation: Reconciliation<R>,
  steps: () => Promise<ReconcileResult>,
): Promise<ReconcileResult> =>
  reportingFailures<FailureRule>(steps, (failure) => reportFailure(reconciliation, failure));

/** The steps that need no external call. */
async function beforeConnect<R extends Managed>(reconciliation: Reconciliation<R>): Promise<ReconcileResult> {
  const { kind, policies } = reconciliation;
  const resource = reconciliation.copy.object;
  if (isPaused(resource) || policies.paused) return pause(reconciliation);
  acknowledgeRequest(reconciliation);
  if (policies.problem !== undefined) {
    reconciliation.events.recordWithStatus('Warning', messages.reasonInvalidPolicy, policies.problem);
    return conclude(reconciliation, done, reconcileError(policies.problem));
  }
  const deleted = wasDeleted(resource);
  if (deleted && !(policies.deletesExternal && hasFinalizer(resource, managedFinalizer)))
    return finalize(reconciliation);
  const { onlyObserve: onlyObserved } = policies;
  await step(failures.acquireOwnership, () => reconciliation.guard.acquireOwnership({ onlyObserved }));
  await step(failures.initialize, () => initialize(reconciliation));
  if (createIncomplete(resource)) {
    reconciliation.log.debug('the outcome of an earlier create is unknown');
    if (!deleted && !kind.deterministicExternalName) {
      // The previous owner may still record it.
      await step(failures.create, reconciliation.guard.assertOwner);
      reconciliation.events.recordWithStatus(
        'Warning',
        messages.reasonCannotInitialize,
        messages.createIncompleteText,
      );
      return conclude(reconciliation, done, creating(), reconcileError(messages.createIncompleteText));
    }
  }
  if (!deleted) await step(failures.resolveReferences, () => resolveReferences(reconciliation));
  const client = await step(failures.connect, () => connect(reconciliation));
  try {
    return await undoingIfGone(
      reconciliation.copy,
      reconciliation,
      () => reportFailures(reconciliation, () => afterConnect(reconciliation, client)),
      undoOf(reconciliation, client),
    );
  } finally {
    await disconnect(reconciliation, client);
  }
}

async function afterConnect<R extends Managed>(
  reconciliation: Reconciliation<R>,
  client: ExternalClient<R>,
): Promise<ReconcileResult> {
  const { policies } = reconciliation;
  const resource = reconciliation.copy.object;
  const wasNeverFound = isCreatedButNeverFound(resource);
  const observed = await step(failures.observe, () => observe(reconciliation, client));
  const { observation } = observed;
  if (observation.state === 'absent') {
    dropCondition(resource, typeUpToDate);
    if (policies.onlyObserve) throw new StepFailure(failures.observe, missing(messages.notExistingText));
    if (mayNotBeVisibleYet(reconciliation, observation)) {
      reconciliation.events.record('Normal', messages.reasonPending, messages.messagePending);
      return requeue;
    }
  }
  reconciliation.changes.observed(resource);
  if (wasDeleted(resource)) return finishDeletion(reconciliation, client, observation, wasNeverFound);
  if (observation.state === 'pending') return requeueWhilePending(reconciliation, observation);
  await step(failures.publish, () => publish(reconciliation, observation.connectionDetails));
  if (observation.state === 'present')
    return reconcileExisting(reconciliation, client, { ...observed, observation });
  if (!policies.allows('Create')) {
    await storeFinalizer(reconciliation);
    throw new StepFailure(failures.observe, missing(messages.missingWithoutCreateText));
  }
  // A create that is repeated for as long as its result is not found would leave an external resource each time.
  if (wasNeverFound && observation.createFailed !== true) {
    recordFound(reconciliation, observation);
    await storeFinalizer(reconciliation);
    throw new StepFailure(failures.observe, missing(messages.neverFoundText(observation.advice)));
  }
  await createExternal(reconciliation, client, newExternalName(resource, observation));
  return afterCreate(reconciliation, client);
}

/** The external resource exists and the managed resource is not being deleted. */
async function reconcileExisting<R extends Managed>(
  reconciliation: Reconciliation<R>,
  client: ExternalClient<R>,
  observed: Observed<R> & { observation: Present },
): Promise<ReconcileResult> {
  const { observation } = observed;
  if (observation.replace !== 'identity') recordFound(reconciliation, observation);
  await storeFinalizer(reconciliation);
  if (observation.replace !== undefined) {
    const forbidden = concludeUnlessReplaceable(reconciliation, observation);
    if (forbidden !== undefined) return forbidden;
    const isCreated = await replaceExternal(reconciliation, client, observation);
    if (!isCreated) return conclude(reconciliation, requeue, reconcileSuccess());
    return afterCreate(reconciliation, client);
  }
  await lateInitialize(reconciliation, observed);
  if (observation.upToDate) return settle(reconciliation, observation);
  const { diff } = observation;
  reconciliation.log.debug('external resource differs', { diff: diff ?? '' });
  if (!reconciliation.policies.allows('Update')) {
    const result = pollAndWatch(reconciliation, observation);
    return conclude(reconciliation, result, reconcileSuccess(), updateRestricted(diff));
  }
  await updateExternal(reconciliation, client, diff);
  return afterUpdate(reconciliation, client, observation);
}

/** Update was requested. A second observation may already find the external resource as the spec has it; it writes nothing. */
async function afterUpdate<R extends Managed>(
  reconciliation: Reconciliation<R>,
  client: ExternalClient<R>,
  updated: Present,
): Promise<ReconcileResult> {
  if (reconciliation.kind.observeAfterUpdate) {
    const { observation } = await step(failures.observe, () => observe(reconciliation, client));
    if (observation.state === 'pending') return requeueWhilePending(reconciliation, observation);
    if (observation.state === 'present' && observation.upToDate) return settle(reconciliation, observation);
  }
  return conclude(reconciliation, pollAndWatch(reconciliation, updated), reconcileSuccess());
}

/** Create was requested and recorded. A second observation may already find the external resource ready. */
async function afterCreate<R extends Managed>(
  reconciliation: Reconciliation<R>,
  client: ExternalClient<R>,
): Promise<ReconcileResult> {
  const requested = () => conclude(reconciliation, requeue, creating(), reconcileSuccess());
  if (!reconciliation.kind.observeAfterCreate) return requested();
  const observed = await step(failures.observe, () => observe(reconciliation, client));
  const { observation } = observed;
  if (observation.state === 'absent') return requested();
  if (observation.state === 'pending') return requeueWhilePending(reconciliation, observation);
  // A create that ends later may have its name from this observation.
  recordFound(reconciliation, observation);
  await storeFinalizer(reconciliation);
  await step(failures.publish, () => publish(reconciliation, observation.connectionDetails));
  await lateInitialize(reconciliation, observed);
  if (!observation.upToDate) return conclude(reconciliation, requeue, reconcileSuccess());
  return settle(reconciliation, observation);
}

type Present = Extract<Observation, { state: 'present' }>;

/** The external resource is up to date. */
function settle<R extends Managed>(
  reconciliation: Reconciliation<R>,
  observation: Present,
): Promise<ReconcileResult> {
  reconciliation.timings.unchanged(reconciliation.memory, reconciliation.copy.object);
  const result = pollAndWatch(reconciliation, observation);
  return conclude(reconciliation, result, reconcileSuccess(), observeMatched());
}

/** The next poll, or an earlier change of an object that Observe has read. */
function pollAndWatch<R extends Managed>(
  { poll }: Pick<Reconciliation<R>, 'poll'>,
  { targets = [] }: Present,
): ReconcileResult {
  return targets.length === 0 ? poll() : { ...poll(), targets };
}

async function finishDeletion<R extends Managed>(
  reconciliation: Reconciliation<R>,
  client: ExternalClient<R>,
  observation: Observation,
  wasNeverFound: boolean,
): Promise<ReconcileResult> {
  const waited = waitForFinalizers(reconciliation, requeue);
  if (waited !== undefined) return waited;
  if (observation.state === 'pending')
    return conclude(
      reconciliation,
      requeueInProgress(observation.checkAfterMs),
      deleting(observation.operation),
      reconcileSuccess(observation.operation),
    );
  if (observation.state === 'present') {
    await step(failures.delete, () => recordFoundToDelete(reconciliation, observation));
    await deleteExternal(reconciliation, client, failures.delete);
    return afterDelete(reconciliation, client);
  }
  // The previous owner may still create it.
  await step(failures.delete, reconciliation.guard.assertOwner);
  warnOfUnknownCreation(reconciliation, wasNeverFound);
  return finalize(reconciliation, observation.connectionDetails);
}

/**
 * Delete was accepted. A second observation may already find the external resource deleted; otherwise the next
 * reconcile does.
 */
async function afterDelete<R extends Managed>(
  reconciliation: Reconciliation<R>,
  client: ExternalClient<R>,
): Promise<ReconcileResult> {
  if (reconciliation.kind.observeAfterDelete) {
    setConditions(reconciliation.copy.object, reconciliation.clock, deleting());
    const { observation } = await step(failures.observe, () => observe(reconciliation, client));
    if (observation.state === 'absent') return finalize(reconciliation, observation.connectionDetails);
  }
  return conclude(reconciliation, requeue, deleting(), reconcileSuccess());
}

/** Writes nothing while an external operation is in progress. */
async function requeueWhilePending<R extends Managed>(
  reconciliation: Reconciliation<R>,
  observation: Extract<Observation, { state: 'pending' }>,
): Promise<ReconcileResult> {
  const { operation, checkAfterMs, externalName } = observation;
  if (externalName !== undefined) recordFound(reconciliation, observation);
  await storeFinalizer(reconciliation);
  const resource = reconciliation.copy.object;
  const ready = getCondition(resource, typeReady) === undefined ? [creating(operation)] : [];
  const compared = getCondition(resource, typeUpToDate);
  const isOutdated =
    compared?.status === 'True' && compared.observedGeneration !== resource.metadata.generation;
  const upToDate = isOutdated ? [upToDatePending(operation)] : [];
  const result = requeueInProgress(checkAfterMs);
  return conclude(reconciliation, result, ...ready, reconcileSuccess(operation), ...upToDate);
}

async function lateInitialize<R extends Managed>(
  { copy, policies, signal }: Reconciliation<R>,
  { lateInitializedSpec }: Observed<R>,
): Promise<void> {
  if (lateInitializedSpec === undefined || !policies.allows('LateInitialize')) return;
  copy.object.spec = lateInitializedSpec;
  await step(failures.lateInitialize, () => copy.put(signal));
}

/**
 * Records the external name, with the intent if the kind has one: the name then belongs to the resource before the status
 * says so. If an earlier create has no recorded outcome, it has succeeded.
 */
function recordFound<R extends Managed>(
  { copy, clock, kind }: Reconciliation<R>,
  observation: Observation,
): void {
  const name = newExternalName(copy.object, observation);
  const incomplete = createIncomplete(copy.object);
  if (name !== undefined) {
    setExternalName(copy.object, name);
    if (!recordsCreateOutcome(kind)) setCreateIntent(copy.object);
  }
  if (incomplete) setCreateSucceeded(copy.object, clock.now());
  if (name !== undefined || incomplete) copy.markChanged();
}

/**
 * Delete, and later reconciles, need the name of what a create has made whose outcome was not known before the deletion. What was found
 * by another name than the recorded one, or before a create, may be of others.
 */
async function recordFoundToDelete<R extends Managed>(
  reconciliation: Reconciliation<R>,
  observation: Observation,
): Promise<void> {
  const { copy, signal } = reconciliation;
  const isNamed = recordedExternalName(copy.object) !== undefined;
  if (isNamed || !wasCreateSent(copy.object) || newExternalName(copy.object, observation) === undefined)
    return;
  recordFound(reconciliation, observation);
  await putObject(copy, signal);
}

async function storeFinalizer<R extends Managed>(reconciliation: Reconciliation<R>): Promise<void> {
  const { copy, guard, signal } = reconciliation;
  guard.stageClaim();
  if (copy.hasChanges()) await step(failures.addFinalizer, () => putObject(copy, signal));
}

function publish<R extends Managed>(
  reconciliation: Reconciliation<R>,
  details: ConnectionDetails = {},
): Promise<boolean> {
  return reconciliation.publisher.publish(reconciliation.copy.object, details, reconciliation.signal);
}

/** Whether the external resource was just created under this name, so that Observe may not find it yet. */
function mayNotBeVisibleYet<R extends Managed>(
  { kind, copy, clock }: Reconciliation<R>,
  observation: Extract<Observation, { state: 'absent' }>,
): boolean {
  if (observation.createFailed) return false;
  const { creationGracePeriodMs = DEFAULT_CREATION_GRACE_PERIOD_MS } = kind;
  const name = recordedExternalName(copy.object);
  // Without a recorded name it is that of the create, which Observe has learned.
  const another = ![undefined, name].includes(observation.externalName) && name !== undefined;
  return !another && createdRecently(copy.object, clock.now(), creationGracePeriodMs);
}

/** Only a change of the policies or of the external resource can help; polls find both. */
const missing = (text: string) => new ProviderError('terminal', text);
