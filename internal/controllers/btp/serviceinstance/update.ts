import { type ReconcileResult, requeueInProgress, step } from '../../../controller/index.ts';
import { setStatus, writeOptions } from '../operations/run.ts';
import { type InstanceRun, instanceIDOf } from './instance-run.ts';
import {
  acceptParameters,
  type PreparedParameters,
  prepareParameters,
} from './parameters/prepare-parameters.ts';
import { afterChange } from './settle.ts';
import { contentOf, planSelectionOf } from './sm-requests.ts';
import { specHash } from './spec/spec-hash.ts';

/** Sends the spec to Service Manager. @param given the parameters, if they are prepared */
export async function update(
  run: InstanceRun,
  given: PreparedParameters | undefined,
): Promise<ReconcileResult> {
  const { object: instance, client, conditions, status, settings, context } = run;
  return step('update', async () => {
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
    return afterChange(run);
  });
}
