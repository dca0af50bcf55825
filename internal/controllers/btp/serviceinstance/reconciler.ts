/**
 * The reconcile of a ServiceInstance, from top to bottom. Everything that must survive a restart is in the status:
 *
 * - `instanceID`: the instance in Service Manager
 * - `operationURL` and `operationType`: the operation to poll. `operationType` alone: a create is sent, or was sent and its
 *   result is unknown; the instance is looked up in Service Manager by its name and identity
 * - `hashedSpec`: the spec that Service Manager accepted last
 */

import { ThrottledError, wrap } from '../../../base/errors/errors.ts';
import { parseTimestamp } from '../../../base/time/timestamp.ts';
import {
  type Operation,
  parseOperationURL,
  ServiceManagerError,
  type ServiceInstance as SmInstance,
} from '../../../clients/service-manager/index.ts';
import type { ReconcileResult, Reconciler } from '../../../runtime/index.ts';
import {
  done,
  hasFinalizer,
  removeFinalizer,
  requeue,
  requeueAfter,
  requeueInProgress,
  requeueOnConflict,
  storeFinalizer,
  wasDeleted,
} from '../../../runtime/index.ts';
import { isFinal } from './decisions/final-state.ts';
import { recoveredState } from './decisions/recovered-state.ts';
import { shareAction } from './decisions/share-action.ts';
import { updateNeeded } from './decisions/update-needed.ts';
import {
  acceptParameters,
  type PreparedParameters,
  prepareParameters,
  watchesParameters,
} from './parameters/prepare-parameters.ts';
import { unwatchSecrets } from './parameters/watched-secrets.ts';
import { finalizer, type ServiceInstance } from './resource.ts';
import {
  beginRun,
  type InstanceMemory,
  type InstanceReconcilerOptions,
  instanceIDOf,
  isConcurrent,
  isNoFailure,
  noOperation,
  operationTypeOf,
  type Run,
  reporting,
  scrubbed,
  setStatus,
  writeOptions,
} from './run.ts';
import { settle } from './settle.ts';
import { share } from './share.ts';
import { contentOf, findInstance, identityOf, listOf, planSelectionOf, tagsOf } from './sm-requests.ts';
import { isMd5, specHash } from './spec/spec-hash.ts';
import { conditionsOf, succeededOf } from './status/conditions.ts';
import {
  asyncErrorText,
  deleteAfterRecoveryText,
  deleteNeedsCredentials,
  pendingText,
  recoveredSharedText,
  successText,
} from './status/messages.ts';
import { reasons } from './status/reasons.ts';

/** Polls of an operation, after which a create whose result is unknown counts as without effect. */
const POLLS_UNTIL_KNOWN = 6;

/** More to do at once. */
const again = requeueAfter(0);

export function createInstanceReconciler(
  options: InstanceReconcilerOptions,
): Reconciler<ServiceInstance, InstanceMemory> {
  return (copy, context) =>
    requeueOnConflict(async () => {
      const { object: instance } = copy;
      if (wasDeleted(instance) && !hasFinalizer(instance, finalizer)) return done;
      await context.guard.acquireOwnership();
      try {
        return await connect(beginRun(copy, context, options), reconcileInstance);
      } catch (error) {
        if (error instanceof ThrottledError) return requeueInProgress(error.retryAfterMs);
        throw error;
      }
    });
}

/** Without credentials nothing is done; the external resource of a deleted instance may exist. */
async function connect(
  run: Omit<Run, 'client'>,
  use: (run: Run) => Promise<ReconcileResult>,
): Promise<ReconcileResult> {
  const { signal, reserve } = run.context;
  let client: Run['client'] | undefined;
  const refused = await reporting(run, undefined, async () => {
    try {
      client = await run.connect(run.instance, { signal, reserve });
      return done;
    } catch (error) {
      if (!wasDeleted(run.instance) || isNoFailure(error)) throw error;
      throw wrap(error, deleteNeedsCredentials);
    }
  });
  if (client === undefined) return refused;
  try {
    return await use({ ...run, client });
  } finally {
    await client.close();
  }
}

async function reconcileInstance(run: Run): Promise<ReconcileResult> {
  const { instance, copy, context } = run;
  const isDeleted = wasDeleted(instance);
  const { operationURL = '' } = instance.status ?? {};
  if (operationURL !== '' && (!isDeleted || operationTypeOf(instance) === 'delete')) return poll(run);
  if (isDeleted) return deleteInstance(run);
  migrateHash(run);
  const observed = await observe(run);
  if (observed === 'missing') return requeue;
  if (conditionsOf(instance).length === 0) await initialise(run);
  await storeFinalizer(copy, finalizer, context.signal);
  if (observed === undefined) return recoverOrCreate(run);
  const parameters = watchesParameters(instance) ? await prepareWatched(run) : undefined;
  if (isFinal(instance) && parameters?.changed !== true) return settle(run, observed);
  if (updateNeeded(instance, parameters?.changed === true)) return update(run, parameters);
  const action = shareAction(instance);
  return action === undefined ? settle(run, observed) : share(run, action);
}

/** In each reconcile, so that a Secret that was changed, deleted or created again is noticed. */
async function prepareWatched(run: Run): Promise<PreparedParameters | undefined> {
  let prepared: PreparedParameters | undefined;
  await reporting(run, 'update', async () => {
    prepared = await prepareParameters(run);
    return done;
  });
  return prepared;
}

/** An MD5 hash cannot be compared; the spec counts as unchanged. */
function migrateHash({ instance }: Run): void {
  if (isMd5(instance.status?.hashedSpec ?? '')) setStatus(instance, { hashedSpec: specHash(instance.spec) });
}

/** The instance in Service Manager; undefined: none is known; missing: it is known, and not there. */
async function observe(run: Run): Promise<SmInstance | undefined | 'missing'> {
  const { instance, client, conditions, status, context } = run;
  const { instanceID = '' } = instance.status ?? {};
  if (instanceID === '') return undefined;
  const found = await client.getInstance(instanceID, context);
  if (found === undefined) {
    conditions.notFound(instanceID);
    await status.store();
    return 'missing';
  }
  const wasMissing = conditionsOf(instance).length > 0 && succeededOf(instance) === undefined;
  if (wasMissing) {
    if (found.ready) conditions.succeeded('create', { polled: true });
    else conditions.operationFailed('create', asyncErrorText, { polled: true });
    if (found.shared) conditions.shared(true, reasons.shareSucceeded, recoveredSharedText);
  }
  return found;
}

/** Stores the intent to create as well, before anything is sent. */
async function initialise({ instance, conditions, status }: Run): Promise<void> {
  conditions.inProgress('create', pendingText);
  const isNew = instanceIDOf(instance) === '';
  if (isNew) setStatus(instance, { operationType: 'create', hashedSpec: specHash(instance.spec) });
  await status.store();
}

async function recoverOrCreate(run: Run): Promise<ReconcileResult> {
  return reporting(run, 'create', async () => {
    const found = await findInstance(run);
    return found === undefined ? create(run) : recover(run, found);
  });
}

async function create(run: Run): Promise<ReconcileResult> {
  const { instance, client, conditions, status, settings, context } = run;
  const prepared = await prepareParameters(run);
  const { plan, offering } = await client.selectPlan(planSelectionOf(instance), context);
  setStatus(instance, { operationType: 'create', hashedSpec: specHash(instance.spec) });
  await context.guard.beforeWrite({ record: () => status.store() });
  const content = contentOf(instance, plan.id, prepared.parameters);
  const change = await client.createInstance({ ...content, identity: identityOf(run) }, writeOptions(run));
  acceptParameters(run, prepared);
  setStatus(instance, { tags: listOf(offering.tags) });
  if (change.state === 'in-progress') {
    const { id, operationURL } = change;
    setStatus(instance, { instanceID: id, operationURL, operationType: 'create' });
    conditions.inProgress('create');
    await status.storeResult();
    return requeueInProgress(settings.pollIntervalMs);
  }
  const { id, subaccountID } = change.resource;
  setStatus(instance, { instanceID: id, subaccountID, ...noOperation });
  conditions.succeeded('create');
  await status.storeResult();
  return again;
}

/** Adopts an instance that was created by an earlier reconcile, or for an object of the same identity. */
async function recover(run: Run, found: SmInstance): Promise<ReconcileResult> {
  const { instance, conditions, status, settings } = run;
  const before = instance.status ?? { conditions: [] };
  const current = specHash(instance.spec);
  const hashedSpec = (before.operationType === 'create' && before.hashedSpec) || current;
  setStatus(instance, {
    ...noOperation,
    instanceID: found.id,
    subaccountID: found.subaccountID ?? before.subaccountID,
    hashedSpec,
    ready: found.ready ? 'True' : 'False',
    tags: (await tagsOf(run, found)) ?? before.tags,
  });
  const state = recoveredState(found);
  // An edit that was made since the create was sent is not observed.
  if (state.state === 'succeeded') conditions.succeeded(state.type, { polled: hashedSpec !== current });
  else if (state.state === 'failed') conditions.operationFailed(state.type, await scrubbed(run, state.text));
  else {
    conditions.inProgress(state.type, await scrubbed(run, state.text));
    if (state.url !== '') setStatus(instance, { operationURL: state.url, operationType: state.type });
  }
  if (found.shared) conditions.shared(true, reasons.shareSucceeded, recoveredSharedText);
  await status.storeResult();
  return state.state === 'in-progress' ? requeueInProgress(settings.pollIntervalMs) : again;
}

async function update(run: Run, given: PreparedParameters | undefined): Promise<ReconcileResult> {
  const { instance, client, conditions, status, settings, context } = run;
  return reporting(run, 'update', async () => {
    const prepared = given ?? (await prepareParameters(run));
    const { plan } = await client.selectPlan(planSelectionOf(instance), context);
    const hashedSpec = specHash(instance.spec);
    await context.guard.beforeWrite();
    const content = contentOf(instance, plan.id, prepared.parameters);
    const change = await client.updateInstance(instanceIDOf(instance), content, writeOptions(run));
    acceptParameters(run, prepared);
    setStatus(instance, { hashedSpec, forceReconcile: undefined });
    if (change.state === 'in-progress') {
      setStatus(instance, { operationURL: change.operationURL, operationType: 'update' });
      conditions.inProgress('update');
      await status.storeResult();
      return requeueInProgress(settings.pollIntervalMs);
    }
    conditions.succeeded('update');
    await status.storeResult();
    return again;
  });
}

async function poll(run: Run): Promise<ReconcileResult> {
  const { instance, client, conditions, status, settings, context } = run;
  const type = operationTypeOf(instance);
  const { operationURL = '' } = instance.status ?? {};
  const result = await reporting(run, type, async () => {
    const operation = await operationAt(run, operationURL);
    if (operation === undefined) return lostOperation(run);
    switch (operation.state) {
      case 'pending':
      case 'in progress':
        if (operation.description) {
          conditions.inProgress(operation.type, await scrubbed(run, operation.description), { polled: true });
          await status.store();
        }
        return requeueInProgress(settings.pollIntervalMs);
      case 'failed':
        return operationFailed(run, operation);
      case 'succeeded':
        if (type === 'delete') return deletionSucceeded(run);
        if (type === 'create') {
          const found = await client.getInstance(instanceIDOf(instance), context);
          setStatus(instance, { subaccountID: found?.subaccountID ?? instance.status?.subaccountID });
        }
        conditions.succeeded(operation.type, { polled: true });
        setStatus(instance, noOperation);
        await status.store();
        return again;
      default:
        return operation.state satisfies never;
    }
  });
  // Its failures are not those of the operation, whose text stays in the condition.
  return result === removeOrphan ? removeFailedInstance(run) : result;
}

/** What a failed create left must be removed. */
const removeOrphan = requeueAfter(0);

/** Undefined: Service Manager does not have it any more. */
async function operationAt({ client, instance, context }: Run, url: string): Promise<Operation | undefined> {
  if (parseOperationURL(url) === undefined) return undefined;
  try {
    return await client.getOperation(url, { signal: context.signal, type: operationTypeOf(instance) });
  } catch (error) {
    const { class: kind } = error instanceof ServiceManagerError ? error : { class: undefined };
    if (kind === 'not-found' || kind === 'gone') return undefined;
    throw error;
  }
}

/** The instance itself shows what became of it. An update is sent again. */
async function lostOperation(run: Run): Promise<ReconcileResult> {
  const { instance, client, conditions, status, context } = run;
  if (operationTypeOf(instance) === 'create') {
    const found = await client.getInstance(instanceIDOf(instance), context);
    if (found?.ready !== true) return operationFailed(run, { state: 'failed', type: 'create' });
    conditions.succeeded('create', { polled: true });
    setStatus(instance, { subaccountID: found.subaccountID ?? instance.status?.subaccountID });
  }
  setStatus(instance, noOperation);
  await status.store();
  return requeue;
}

async function operationFailed(run: Run, operation: Operation): Promise<ReconcileResult> {
  const { instance, conditions, status } = run;
  const text = await scrubbed(run, operation.errorDescription ?? asyncErrorText);
  conditions.operationFailed(operation.type, text, { polled: true });
  const type = operationTypeOf(instance);
  const isOrphan = type === 'create' || (type === 'delete' && !wasDeleted(instance));
  // Without the hash, the update is sent again.
  if (!isOrphan)
    setStatus(instance, { ...noOperation, ...(type === 'update' ? { hashedSpec: undefined } : {}) });
  await status.store();
  return isOrphan ? removeOrphan : requeue;
}

/** Orphan mitigation: what a failed create left is deleted before the next create. */
async function removeFailedInstance(run: Run): Promise<ReconcileResult> {
  const { instance, client, status, settings, context } = run;
  try {
    await context.guard.beforeWrite({ destructive: true });
    const deletion = await client.deleteInstance(instanceIDOf(instance), writeOptions(run));
    if (deletion.state === 'gone') return deletionSucceeded(run);
    setStatus(instance, { operationURL: deletion.operationURL, operationType: 'delete' });
    await status.storeResult();
  } catch (error) {
    if (!isConcurrent(error)) throw error;
  }
  return requeueInProgress(settings.pollIntervalMs);
}

/** The external resource is gone: the object may go, or the next create starts after the backoff. */
async function deletionSucceeded(run: Run): Promise<ReconcileResult> {
  if (wasDeleted(run.instance)) return finishDeletion(run);
  setStatus(run.instance, { ...noOperation, instanceID: undefined, ready: 'False' });
  await run.status.storeResult();
  return requeue;
}

async function deleteInstance(run: Run): Promise<ReconcileResult> {
  const { instance, client, conditions, status, settings, context } = run;
  return reporting(run, 'delete', async () => {
    if (instanceIDOf(instance) === '') {
      const found = await findInstance(run);
      if (found === undefined) return nothingToDelete(run);
      setStatus(instance, { ...noOperation, instanceID: found.id });
      conditions.inProgress('delete', deleteAfterRecoveryText);
      await status.store();
    }
    await context.guard.beforeWrite({ destructive: true });
    try {
      const deletion = await client.deleteInstance(instanceIDOf(instance), writeOptions(run));
      if (deletion.state === 'gone') return finishDeletion(run);
      setStatus(instance, { operationURL: deletion.operationURL, operationType: 'delete' });
    } catch (error) {
      // The next attempt succeeds after the operation in progress has ended.
      if (!isConcurrent(error)) throw error;
    }
    conditions.inProgress('delete');
    await status.storeResult();
    return requeueInProgress(settings.pollIntervalMs);
  });
}

/** A create whose result is unknown may still take effect, so the instance is looked up a few times. */
async function nothingToDelete(run: Run): Promise<ReconcileResult> {
  const { instance, conditions, status, settings, context } = run;
  const { pollIntervalMs } = settings;
  const deletedAt = parseTimestamp(instance.metadata.deletionTimestamp) ?? 0;
  const isUnknown = operationTypeOf(instance) === 'create' && (instance.status?.operationURL ?? '') === '';
  if (!isUnknown || context.clock.now() - deletedAt >= POLLS_UNTIL_KNOWN * pollIntervalMs) {
    return finishDeletion(run);
  }
  conditions.inProgress('delete');
  await status.store();
  return requeueInProgress(pollIntervalMs);
}

async function finishDeletion(run: Run): Promise<ReconcileResult> {
  const { copy, context, status } = run;
  context.guard.assertOwner();
  await unwatchSecrets(run.instance, [], context);
  await removeFinalizer(copy, finalizer, context.signal);
  status.record('Normal', reasons.deleted, successText('delete'));
  return done;
}
