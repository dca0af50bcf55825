import type { ServiceInstance as SmInstance } from '../../../clients/service-manager/index.ts';
import { type ReconcileResult, requeueInProgress, step } from '../../../controller/index.ts';
import { adopt } from '../operations/recover.ts';
import { identityOf, noOperation, setStatus, writeOptions } from '../operations/run.ts';
import { setInstanceID } from './external-instance.ts';
import type { InstanceRun } from './instance-run.ts';
import { acceptParameters, prepareParameters } from './parameters/prepare-parameters.ts';
import { afterChange } from './settle.ts';
import { setFoundShared } from './shared-condition.ts';
import { contentOf, findInstances, listOf, planSelectionOf, tagsOf } from './sm-requests.ts';
import { specHash } from './spec/spec-hash.ts';

/** For an instance without an ID in the status. */
export async function recoverOrCreate(run: InstanceRun): Promise<ReconcileResult> {
  const steps = async () => {
    const [found] = await findInstances(run);
    return found === undefined ? create(run) : recover(run, found);
  };
  return step('create', steps);
}

async function create(run: InstanceRun): Promise<ReconcileResult> {
  const { object: instance, client, conditions, status, settings, context } = run;
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
    setInstanceID(run, id);
    setStatus(instance, { operationURL, operationType: 'create' });
    conditions.inProgress('create');
    await status.storeResult();
    return requeueInProgress(settings.pollIntervalMs);
  }
  const { id, subaccountID } = change.resource;
  setInstanceID(run, id);
  setStatus(instance, { subaccountID, ...noOperation });
  conditions.succeeded('create');
  await status.storeResult();
  return afterChange(run);
}

/** Adopts an instance that was created by an earlier reconcile, or for an object of the same identity. */
async function recover(run: InstanceRun, found: SmInstance): Promise<ReconcileResult> {
  const { object: instance, status, context } = run;
  const before = instance.status ?? { conditions: [] };
  const current = specHash(instance.spec);
  const hashedSpec = (before.operationType === 'create' && before.hashedSpec) || current;
  setStatus(instance, { hashedSpec, tags: (await tagsOf(run, found)) ?? before.tags });
  // An edit that was made since the create was sent is not observed.
  const result = await adopt(run, found, { outdated: hashedSpec !== current });
  if (found.shared) setFoundShared(instance, context.clock.now());
  await status.storeResult();
  return result;
}
