/**
 * The reconcile of a ServiceInstance, from top to bottom. Everything that must survive a restart is in the status:
 *
 * - `instanceID`: the instance in Service Manager
 * - `operationURL` and `operationType`: the operation to poll. `operationType` alone: a create is sent, or was sent and its
 *   result is unknown; the instance is looked up in Service Manager by its name and identity
 * - `hashedSpec`: the spec that Service Manager accepted last
 */

import type { ServiceBinding } from '../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { kindOf, ThrottledError } from '../../../framework/base/index.ts';
import {
  hasFinalizer,
  isNoFailure,
  type ReconcileResult,
  type Reconciler,
  requeue,
  requeueAfter,
  requeueInProgress,
  step,
  storeFinalizer,
} from '../../../framework/controller/index.ts';
import { NoResponseError } from '../../../framework/http/index.ts';
import { keyOf, keyString, wasDeleted } from '../../../framework/kube/index.ts';
import { finalizer } from '../metadata.ts';
import {
  admitsBindingsOf,
  type BindingsOfInstances,
  mayBeBound,
} from '../operations/bindings-of-instances.ts';
import { isGoneInServiceManager } from '../operations/delete-own.ts';
import { deleteResource, isOrphaned, orphanResource } from '../operations/deletion.ts';
import { poll } from '../operations/poll.ts';
import { scrubbed, textOf } from '../operations/report-failure.ts';
import {
  LONG_MOMENT_MS,
  leftOfMoment,
  operationTypeOf,
  operationURLOf,
  type ServiceReconcilerOptions,
  setStatus,
  writeOptions,
} from '../operations/run.ts';
import {
  type ServiceKindOptions,
  serviceReconciler,
  withServiceManager,
} from '../operations/service-reconciler.ts';
import {
  type ServiceInstanceUpdate,
  ServiceManagerError,
  type ServiceInstance as SmInstance,
} from '../service-manager/index.ts';
import { conditionsOf, isReady, observedGenerationOf, succeededOf } from '../status/conditions.ts';
import { asyncErrorText, pendingText, type Reason, reasons } from '../status/messages.ts';
import { recoverOrCreate } from './create.ts';
import {
  acceptedSpecOf,
  isFinal,
  isTakenBack,
  isUpdateRequested,
  shareAction,
  unknownSpec,
  updateNeeded,
} from './decisions.ts';
import { hasDifferentContent, lookForDrift } from './drift.ts';
import { cleanUpOf, readInstance, withInstance } from './external-instance.ts';
import {
  type InstanceMemory,
  type InstanceRun,
  instanceIDOf,
  removeShared,
  setFoundShared,
  setShared,
  sharedText,
  type UnconnectedInstanceRun,
  unsharedText,
} from './instance-run.ts';
import {
  acceptParameters,
  type PreparedParameters,
  prepareParameters,
  watchesParameters,
  withdrawParameters,
} from './prepare-parameters.ts';
import type { ServiceInstance } from './resource.ts';
import { afterChange, settle } from './settle.ts';
import { contentOf, planSelectionOf } from './sm-requests.ts';
import { contentHash, isMd5, knownHashes, recallHashes, specHash } from './spec-hash.ts';

export const createInstanceReconciler = ({
  bindings,
  ...options
}: ServiceReconcilerOptions & Pick<ServiceKindOptions, 'bindings'>): Reconciler<
  ServiceInstance,
  InstanceMemory
> =>
  serviceReconciler(options, (run: UnconnectedInstanceRun) =>
    hashingOnce(run, async () => {
      const { object: instance } = run;
      if (isOrphaned(instance))
        return orphanResource(run, { id: instanceIDOf(instance), cleanUp: cleanUpOf(run) });
      const isWaiting = wasDeleted(instance) && operationTypeOf(instance) !== 'delete';
      const waiting = isWaiting ? await waitForBindings(run, bindings) : undefined;
      if (waiting !== undefined) return waiting;
      if (mayBeUnrecorded(run)) recordDoubt(run);
      return withServiceManager(run, instance, (client) => withInstance(run, client), reconcileInstance);
    }),
  );

/** The hashes of the spec are computed once for each generation. */
async function hashingOnce<T>(
  { object, context: { memory } }: UnconnectedInstanceRun,
  steps: () => Promise<T>,
): Promise<T> {
  // Writes replace parts of the object by the answer.
  const given = { ...object };
  const version = `${given.metadata.uid}/${given.metadata.generation}`;
  const known = memory.get()?.known;
  if (known?.version === version) recallHashes(given.spec, known.hashes);
  try {
    return await steps();
  } finally {
    if (knownHashes(given.spec) !== undefined) {
      const hashes = { spec: specHash(given.spec), content: contentHash(given) };
      memory.set({ ...memory.get(), known: { version, hashes } });
    }
  }
}

async function reconcileInstance(run: InstanceRun): Promise<ReconcileResult> {
  const { object: instance, copy, context } = run;
  const isDeleted = wasDeleted(instance);
  if (operationURLOf(instance) !== '' && (!isDeleted || operationTypeOf(instance) === 'delete')) {
    return poll(run, {
      afterChange: () => afterChange(run),
      onFailed: (type) => type === 'update' && withdrawUpdate(run),
    });
  }
  if (isDeleted) return deleteResource(run);
  migrateHash(run);
  const observed = await observe(run);
  if (observed === 'missing') return requeue;
  if (conditionsOf(instance).length === 0) await initialise(run);
  if (observed === undefined) return recoverOrCreate(run);
  await storeFinalizer(copy, finalizer, context);
  // In each reconcile, so that a Secret that was changed, deleted or created again is noticed.
  const parameters = watchesParameters(instance)
    ? await step('update', () => prepareParameters(run))
    : undefined;
  const key = keyString(keyOf(instance));
  const isSuspect = run.suspects.has(key);
  const hasDrifted = isSuspect && (await lookForDrift(run, observed));
  const result = await repair(run, observed, { parameters, hasDrifted });
  // Not before: a reconcile that got no slot, or failed, is no look.
  if (isSuspect) run.suspects.delete(key);
  return result;
}

/**
 * Whether Service Manager may have got an edit that the status does not have, which may be taken back by now: the last status could not be
 * stored, or the process that sent it has ended. Of the second, a generation that was never observed is the only trace.
 */
function mayBeUnrecorded({ copy: { original }, context: { memory } }: UnconnectedInstanceRun): boolean {
  const known = memory.get();
  if (known !== undefined) return known.isUnrecorded === true;
  const { generation = 0 } = original.metadata;
  const { acceptedSpec } = original.status ?? {};
  // Others are not updated.
  const isUpdated = isReady(original) && operationURLOf(original) === '';
  return isUpdated && acceptedSpec !== undefined && generation - observedGenerationOf(original) > 1;
}

/** What Service Manager has is not known: the next update is sent, whatever the spec is, also after failures and restarts. */
function recordDoubt(run: UnconnectedInstanceRun): void {
  setUnrecorded(run, true);
  setStatus(run.object, { acceptedSpec: unknownSpec });
}

const setUnrecorded = ({ context: { memory } }: UnconnectedInstanceRun, isUnrecorded: boolean): void =>
  memory.set({ ...memory.get(), isUnrecorded });

/** Brings the instance in Service Manager to its spec. */
async function repair(
  run: InstanceRun,
  observed: SmInstance,
  { parameters, hasDrifted }: { parameters: PreparedParameters | undefined; hasDrifted: boolean },
): Promise<ReconcileResult> {
  const { object: instance } = run;
  // An update that failed and is taken back may have had an effect.
  const isDifferent =
    hasDrifted || (isTakenBack(instance) && (await step('update', () => hasDifferentContent(run, observed))));
  const isChanged = isDifferent || parameters?.changed === true;
  if (isFinal(instance) && !isChanged) return settle(run, observed);
  if (updateNeeded(instance, isChanged)) return update(run, observed, parameters);
  const action = shareAction(instance);
  return action === undefined ? settle(run, observed) : share(run, action);
}

/** An MD5 hash cannot be compared; the spec counts as unchanged. */
function migrateHash({ object: instance }: InstanceRun): void {
  if (isMd5(instance.status?.hashedSpec ?? ''))
    setStatus(instance, { hashedSpec: specHash(instance.spec), acceptedSpec: undefined });
}

/** The instance in Service Manager; undefined: none is known; missing: it is known, and not there. */
async function observe(run: InstanceRun): Promise<SmInstance | undefined | 'missing'> {
  const { object: instance, conditions, status, context } = run;
  const { instanceID = '' } = instance.status ?? {};
  if (instanceID === '') return undefined;
  const found = await readInstance(run);
  if (found === undefined) {
    if (await step(undefined, () => isGoneInServiceManager(run, instanceID))) {
      conditions.notFound(instanceID);
      await status.store();
      run.suspects.delete(keyString(keyOf(instance)));
    }
    return 'missing';
  }
  const wasMissing = conditionsOf(instance).length > 0 && succeededOf(instance) === undefined;
  if (wasMissing) {
    if (found.ready) conditions.succeeded('create', { polled: true });
    else conditions.operationFailed('create', asyncErrorText, { polled: true });
    if (found.shared) setFoundShared(instance, context.clock.now());
  }
  return found;
}

/** For a new instance in memory only: its finalizer is the record of the first create (`create.ts`). */
async function initialise({ object: instance, conditions, status, context }: InstanceRun): Promise<void> {
  conditions.inProgress('create', pendingText);
  if (instanceIDOf(instance) !== '') return status.store();
  setStatus(instance, { operationType: 'create', hashedSpec: specHash(instance.spec) });
  if (!hasFinalizer(instance, finalizer)) context.memory.set({ ...context.memory.get(), isUnsent: true });
}

/** Shares or unshares the instance. A throttled call is an operation in progress without a type. */
async function share(run: InstanceRun, action: 'share' | 'unshare'): Promise<ReconcileResult> {
  const { object: instance, client, conditions, status, context } = run;
  const shares = action === 'share';
  const show = (isShared: boolean, reason: Reason, message: string) =>
    setShared(instance, { isShared, reason, message }, context.clock.now());
  return step(undefined, async () => {
    await context.guard.beforeWrite();
    try {
      await client.shareInstance(instanceIDOf(instance), shares, writeOptions(run));
    } catch (error) {
      if (isNoFailure(error) || error instanceof ThrottledError || context.signal.aborted) throw error;
      const reason = shares ? shareFailure(error) : reasons.unshareFailed;
      show(!shares, reason, await scrubbed(run, textOf(error)));
      await status.store();
      return reason === reasons.shareNotSupported ? requeueAfter(0) : requeue;
    }
    if (succeededOf(instance)?.status !== 'True') conditions.succeeded('create');
    if (shares) show(true, reasons.shareSucceeded, sharedText);
    else if (instance.spec.shared === false) show(false, reasons.unshareSucceeded, unsharedText);
    else removeShared(instance);
    await status.storeResult();
    return requeueAfter(0);
  });
}

/**
 * Service Manager answers 400 if the service plan cannot be shared, and 500 if sharing is turned off in the region. A 500 of a gateway
 * says nothing about that.
 */
function shareFailure(error: unknown) {
  const refusals = [400, 500];
  const isRefused =
    error instanceof ServiceManagerError && refusals.includes(error.status) && !error.isEffectUnknown;
  return isRefused ? reasons.shareNotSupported : reasons.shareFailed;
}

/** Sends the spec to Service Manager. @param given the parameters, if they are prepared */
async function update(
  run: InstanceRun,
  observed: SmInstance,
  given: PreparedParameters | undefined,
): Promise<ReconcileResult> {
  const { object: instance, client, conditions, status, settings, context } = run;
  return step('update', async () => {
    const prepared = given ?? (await prepareParameters(run));
    const { plan } = await client.selectPlan(planSelectionOf(instance), context);
    const hashedSpec = specHash(instance.spec);
    // Until the update has succeeded.
    setStatus(instance, { acceptedSpec: acceptedSpecOf(instance) });
    await context.guard.beforeWrite();
    const content = contentOf(instance, plan.id, prepared.parameters);
    const sent = client.updateInstance(instanceIDOf(instance), content, writeOptions(run));
    const change = await sent.catch(async (error: unknown) => {
      if (!isWithoutEffect(error)) recordDoubt(run);
      if (!isRefusal(error) || (await changesAnything(run, observed, content))) throw error;
      return undefined;
    });
    // Until the status is stored.
    setUnrecorded(run, true);
    acceptParameters(run, prepared);
    setStatus(instance, { hashedSpec, forceReconcile: undefined });
    if (change?.state === 'in-progress') {
      const { operationURL } = change;
      setStatus(instance, { operationURL, operationType: 'update' });
      conditions.inProgress('update');
      await status.storeResult();
      setUnrecorded(run, false);
      return requeueInProgress(settings.pollIntervalMs);
    }
    setStatus(instance, { acceptedSpec: contentHash(instance) });
    conditions.succeeded('update');
    await status.storeResult();
    setUnrecorded(run, false);
    return afterChange(run);
  });
}

const isRefusal = (error: unknown): boolean =>
  error instanceof ServiceManagerError && (error.class === 'broker' || error.class === 'non-transient');

/**
 * Whether an update would have changed anything. One that took effect and whose answer was lost is repeated, and then refused where the
 * service can no longer be updated. Parameters are not shown: with them, the refusal stands. So does that of an update which a user requested.
 */
async function changesAnything(
  run: InstanceRun,
  observed: SmInstance,
  { parameters }: ServiceInstanceUpdate,
): Promise<boolean> {
  if (parameters !== undefined || isUpdateRequested(run.object)) return true;
  return observed.servicePlanID === undefined || hasDifferentContent(run, observed);
}

function isWithoutEffect(error: unknown): boolean {
  if (isNoFailure(error) || error instanceof ThrottledError || kindOf(error) === 'auth') return true;
  if (error instanceof NoResponseError) return !error.sent;
  // A success that the call does not have may be one all the same.
  return error instanceof ServiceManagerError && !error.isEffectUnknown && error.status >= 300;
}

/** An operation failed or is lost: Service Manager has what it had before. */
function withdrawUpdate(run: InstanceRun): void {
  setStatus(run.object, { hashedSpec: undefined });
  withdrawParameters(run);
}

// A deleted instance waits for its bindings, since Service Manager refuses to delete an instance that has bindings.

/**
 * Both are mostly deleted together, and the bindings are gone after a moment, a long one if many are deleted at once: until then no
 * condition names them.
 *
 * Undefined: no binding of this cluster is left, or the deletion of one failed. When the last one is gone, the instance is requested. Bindings of other
 * clusters are known to Service Manager only.
 */
async function waitForBindings(
  run: UnconnectedInstanceRun,
  bindings: Pick<BindingsOfInstances, 'of'>,
): Promise<ReconcileResult | undefined> {
  const { object: instance, conditions, status, settings, context } = run;
  const left = bindings.of(keyString(keyOf(instance))).filter((binding) => isBoundTo(instance, binding));
  // What keeps a binding may keep the instance as well, such as missing credentials. The instance says so too.
  if (left.length === 0 || left.some(isFailed)) return undefined;
  const { clock, memory } = context;
  const waitsSince = memory.get()?.waitsSince ?? clock.monotonic();
  memory.set({ ...memory.get(), waitsSince });
  const kept = left.filter((binding) => !wasDeleted(binding)).length;
  const leftMs = leftOfMoment(clock, waitsSince, kept > 0 ? undefined : LONG_MOMENT_MS);
  if (leftMs > 0) return requeueInProgress(leftMs);
  if (kept > 0) conditions.requestFailed('delete', keptBindingsText(kept));
  else conditions.inProgress('delete', deletedBindingsText(left.length));
  await status.store();
  return requeueInProgress(settings.pollIntervalMs);
}

/**
 * A binding of another instance, which had the name before, is none of this one. One that the instance refuses was never created, whatever
 * finalizers its users give it.
 */
const isBoundTo = (instance: ServiceInstance, binding: ServiceBinding): boolean =>
  mayBeBound(binding) &&
  (binding.status?.instanceID
    ? binding.status.instanceID === instanceIDOf(instance)
    : admitsBindingsOf(instance, binding.metadata.namespace));

const isFailed = (binding: ServiceBinding): boolean =>
  wasDeleted(binding) && (succeededOf(binding)?.reason.endsWith('Failed') ?? false);

const bindingsText = (count: number) => (count === 1 ? '1 ServiceBinding' : `${count} ServiceBindings`);

const keptBindingsText = (count: number): string =>
  `cannot delete the instance: it has ${bindingsText(count)} in this cluster. Delete ${count === 1 ? 'it' : 'them'} too`;

const deletedBindingsText = (count: number): string =>
  `the instance is deleted after its bindings: ${bindingsText(count)} left`;
