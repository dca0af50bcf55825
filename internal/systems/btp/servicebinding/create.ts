import { ProviderError } from '../../../framework/base/index.ts';

import {
  hasFinalizer,
  type ReconcileResult,
  requeue,
  requeueInProgress,
  step,
  storeFinalizer,
} from '../../../framework/controller/index.ts';
import { instanceKey } from '../credentials/credential-users.ts';
import { finalizer, staleLabel } from '../metadata.ts';
import { adopt } from '../operations/recover.ts';
import { hide, identityOf, noOperation, setStatus, writeOptions } from '../operations/run.ts';
import { readParameters } from '../parameters/read-parameters.ts';
import type { ServiceBinding as SmBinding } from '../service-manager/index.ts';
import { succeededOf } from '../status/conditions.ts';
import { pendingText, reasons } from '../status/messages.ts';
import { externalNameOf } from '../status/service-resource.ts';
import { type BindingRun, remember } from './binding-run.ts';
import { writeSecret } from './bound-secret.ts';
import { findBinding, findReplaced, readBinding, setBindingID } from './external-binding.ts';

/**
 * For a binding without an ID in the status. It is looked up first: an earlier create may have taken effect, or an object of the
 * same identity had it before.
 */
export async function recoverOrCreate(run: BindingRun): Promise<ReconcileResult | undefined> {
  const { instance } = run;
  // Gone since the steps were decided. The next reconcile shows it.
  if (!instance?.status?.instanceID) return requeue;
  const { instanceID } = instance.status;
  const steps = async () => {
    const replacedID = run.object.metadata.labels?.[staleLabel];
    if (replacedID) return adoptReplaced(run, instanceID, replacedID);
    const found = await findBinding(run, instanceID);
    return found === undefined ? create(run, instanceID) : recover(run, instanceID, found);
  };
  return step('create', steps);
}

/**
 * A replaced binding keeps credentials that exist. Without them it is of no use. Users can write the label, so the ID is not
 * recorded before Service Manager has confirmed whose binding it is.
 */
async function adoptReplaced(
  run: BindingRun,
  instanceID: string,
  bindingID: string,
): Promise<ReconcileResult> {
  const { copy, conditions, status, context } = run;
  // First: a deletion finds the binding by its identity, as well.
  await storeFinalizer(copy, finalizer, context);
  const found = await findReplaced(run, instanceID, bindingID);
  if (found !== undefined) return recover(run, instanceID, found);
  conditions.notFound(bindingID);
  await status.store();
  return requeue;
}

async function create(run: BindingRun, instanceID: string): Promise<ReconcileResult | undefined> {
  const { object: binding, client, conditions, status, settings, context } = run;
  const { parameters, confidential } = await readParameters(binding, { ...run, ...context });
  hide(run, confidential);
  await assertOwnInstance(run, instanceID);
  setStatus(binding, { instanceID });
  await context.guard.beforeWrite({ record: () => recordIntent(run) });
  const content = {
    name: externalNameOf(binding),
    serviceInstanceID: instanceID,
    identity: identityOf(run),
    parameters,
  };
  const change = await client.createBinding(content, writeOptions(run));
  if (change.state === 'in-progress') {
    const { id, operationURL } = change;
    setBindingID(run, id);
    setStatus(binding, { operationURL, operationType: 'create' });
    conditions.inProgress('create');
    await status.storeResult();
    return requeueInProgress(settings.pollIntervalMs);
  }
  const { id, subaccountID } = change.resource;
  remember(run, { observedAt: context.clock.monotonic() });
  setBindingID(run, id);
  setStatus(binding, { subaccountID, ...noOperation });
  await writeSecret(run, change.resource);
  conditions.succeeded('create');
  await status.storeResult();
  return undefined;
}

/** @throws if Service Manager has the instance of this ID for another namespace: a binding would get its credentials */
async function assertOwnInstance(run: BindingRun, id: string): Promise<void> {
  const { object: binding, client, ownResources, context } = run;
  const { namespace } = instanceKey(binding);
  if (ownResources.isKnown(namespace, id)) return;
  const found = await client.getInstance(id, context);
  if (found === undefined || ownResources.own(namespace, found, client.viewer) !== undefined) return;
  throw new ProviderError(
    'transient',
    `cannot bind service instance ${id}: it does not belong to namespace ${namespace}`,
  );
}

/** The finalizer alone is the record of the first create. */
async function recordIntent({
  object: binding,
  copy,
  conditions,
  status,
  context,
}: BindingRun): Promise<void> {
  const isFirst = !hasFinalizer(binding, finalizer) && succeededOf(binding) === undefined;
  await storeFinalizer(copy, finalizer, context);
  setStatus(binding, { operationType: 'create' });
  if (isFirst) return;
  const { reason = reasons.blocked } = succeededOf(binding) ?? {};
  if (reason === reasons.blocked) conditions.inProgress('create', pendingText);
  await status.store();
}

/** Adopts a binding that was created by an earlier reconcile, or for an object of the same identity. */
async function recover(run: BindingRun, instanceID: string, listed: SmBinding): Promise<ReconcileResult> {
  const { object: binding, copy, status, context } = run;
  await storeFinalizer(copy, finalizer, context);
  setBindingID(run, listed.id);
  setStatus(binding, { instanceID });
  const isComplete = !listed.ready || listed.credentials !== undefined;
  const read = isComplete ? listed : await readBinding(run);
  // Gone since it was listed.
  if (read === undefined) return requeue;
  const { credentials } = read;
  const found = credentials === undefined ? listed : { ...listed, credentials };
  if (found.ready || credentials !== undefined) {
    await context.guard.beforeWrite();
    await writeSecret(run, found);
  }
  const result = await adopt(run, found);
  await status.storeResult();
  return result;
}
