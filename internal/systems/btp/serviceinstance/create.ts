import {
  hasFinalizer,
  type ReconcileResult,
  requeueInProgress,
  step,
  storeFinalizer,
} from '../../../framework/controller/index.ts';
import { finalizer } from '../metadata.ts';
import { showProgress } from '../operations/poll.ts';
import { adopt } from '../operations/recover.ts';
import { identityOf, noOperation, setStatus, writeOptions } from '../operations/run.ts';
import type { ServiceInstance as SmInstance } from '../service-manager/index.ts';
import { conditionsOf } from '../status/conditions.ts';
import { setInstanceID } from './external-instance.ts';
import { type InstanceRun, setFoundShared } from './instance-run.ts';
import { acceptParameters, prepareParameters } from './prepare-parameters.ts';
import type { ServiceInstance } from './resource.ts';
import { afterChange } from './settle.ts';
import { contentOf, findInstances, listOf, planSelectionOf, tagsOf } from './sm-requests.ts';
import { contentHash, specHash } from './spec-hash.ts';

/**
 * For an instance without an ID in the status. The record of a first create is its finalizer: it was stored by a write that the
 * API server refuses unless the object is unchanged, and an object with a finalizer and without conditions is looked up in Service
 * Manager. So a first status is stored only if the create takes longer than a moment, or an earlier one may have been sent.
 */
export async function recoverOrCreate(run: InstanceRun): Promise<ReconcileResult> {
  await prepare(run);
  const whileShown = showProgress(run);
  const steps = async () => {
    const [found] = await whileShown(() => findInstances(run));
    return found === undefined ? create(run, whileShown) : recover(run, found);
  };
  return step('create', steps);
}

/**
 * Stores the finalizer and confirms the credentials, at the same time, and before the instance has one of the few slots of Service
 * Manager. A reconcile that did not get a slot need not confirm them again.
 */
async function prepare(run: InstanceRun): Promise<void> {
  const { copy, context } = run;
  const preparing = [storeFinalizer(copy, finalizer, context), step('create', () => confirmCredentials(run))];
  await Promise.allSettled(preparing);
  await Promise.all(preparing);
}

async function confirmCredentials({ object, client, confirm, context }: InstanceRun): Promise<void> {
  const { memory, signal } = context;
  const { uid = '' } = object.metadata;
  const { confirmed: known } = memory.get() ?? {};
  const secrets = await confirm(client, signal, known?.uid === uid ? known.secrets : undefined);
  memory.set({ ...memory.get(), confirmed: { uid, secrets } });
}

async function create(
  run: InstanceRun,
  whileShown: ReturnType<typeof showProgress>,
): Promise<ReconcileResult> {
  const { object: instance, client, conditions, status, settings, context } = run;
  const prepared = await prepareParameters(run);
  const { plan, offering } = await whileShown(() => client.selectPlan(planSelectionOf(instance), context));
  setStatus(instance, { operationType: 'create', hashedSpec: specHash(instance.spec) });
  await context.guard.beforeWrite({ record: () => recordIntent(run) });
  const content = contentOf(instance, plan.id, prepared.parameters);
  const change = await whileShown(() =>
    client.createInstance({ ...content, identity: identityOf(run) }, writeOptions(run)),
  );
  acceptParameters(run, prepared);
  setStatus(instance, { tags: listOf(offering.tags) });
  if (change.state === 'in-progress') {
    const { id, operationURL } = change;
    setInstanceID(run, id);
    setStatus(instance, { operationURL, operationType: 'create' });
    conditions.inProgress('create');
    await status.storeResult();
    return requeueInProgress(settings.pollIntervalMs);
  }
  const { id, subaccountID } = change.resource;
  setInstanceID(run, id);
  setStatus(instance, { subaccountID, ...noOperation, acceptedSpec: contentHash(instance) });
  conditions.succeeded('create');
  await status.storeResult();
  return afterChange(run);
}

/** The finalizer alone is the record of the first create. It is not of a later one, whose predecessor may have taken effect. */
async function recordIntent({ copy, status, context: { memory } }: InstanceRun): Promise<void> {
  const { confirmed: _, isUnsent, ...rest } = memory.get() ?? {};
  memory.set(rest);
  const isFirst = conditionsOf(copy.original).length === 0 && isUnsent === true;
  if (!isFirst) await status.store();
}

/** Adopts an instance that was created by an earlier reconcile, or for an object of the same identity. */
async function recover(run: InstanceRun, found: SmInstance): Promise<ReconcileResult> {
  const { object: instance, copy, status, context } = run;
  const { original } = copy;
  const current = specHash(instance.spec);
  const recorded = original.status?.operationType === 'create' ? original.status.hashedSpec : undefined;
  // Without a status, the spec of a create that was sent is known only if it was never edited.
  const isUnknown = isUnrecorded(original) && original.metadata.generation !== 1;
  const hashedSpec = recorded || (isUnknown ? undefined : current);
  const tags = await tagsOf(run, found);
  setStatus(instance, { hashedSpec, ...(tags === undefined ? {} : { tags }) });
  // An edit that was made since the create was sent is not observed.
  const result = await adopt(run, found, { outdated: hashedSpec !== current });
  if (found.shared) setFoundShared(instance, context.clock.now());
  await status.storeResult();
  return result;
}

/** Whether a create may have been sent of which only the finalizer is left. */
const isUnrecorded = (instance: ServiceInstance): boolean =>
  hasFinalizer(instance, finalizer) && conditionsOf(instance).length === 0;
