import { kindOf, ThrottledError } from '../../../framework/base/errors/errors.ts';
import {
  isNoFailure,
  type ReconcileResult,
  requeueInProgress,
  step,
} from '../../../framework/controller/index.ts';
import { NoResponseError } from '../../../framework/http/index.ts';
import { setStatus, writeOptions } from '../operations/run.ts';
import { ServiceManagerError } from '../service-manager/index.ts';
import { acceptedSpecOf, unknownSpec } from './decisions/update-needed.ts';
import { type InstanceRun, instanceIDOf } from './instance-run.ts';
import {
  acceptParameters,
  type PreparedParameters,
  prepareParameters,
  withdrawParameters,
} from './parameters/prepare-parameters.ts';
import { afterChange } from './settle.ts';
import { contentOf, planSelectionOf } from './sm-requests.ts';
import { contentHash, specHash } from './spec/spec-hash.ts';

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
    // Until the update has succeeded.
    setStatus(instance, { acceptedSpec: acceptedSpecOf(instance) });
    await context.guard.beforeWrite();
    const content = contentOf(instance, plan.id, prepared.parameters);
    const change = await recordingDoubt(run, () =>
      client.updateInstance(instanceIDOf(instance), content, writeOptions(run)),
    );
    acceptParameters(run, prepared);
    setStatus(instance, { hashedSpec, forceReconcile: undefined });
    if (change.state === 'in-progress') {
      const { operationURL } = change;
      setStatus(instance, { operationURL, operationType: 'update' });
      conditions.inProgress('update');
      await status.storeResult();
      return requeueInProgress(settings.pollIntervalMs);
    }
    setStatus(instance, { acceptedSpec: contentHash(instance) });
    conditions.succeeded('update');
    await status.storeResult();
    return afterChange(run);
  });
}

/** After an update without a result, what Service Manager has is not known: the next one is sent, whatever the spec is. */
async function recordingDoubt<T>({ object }: InstanceRun, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!isWithoutEffect(error)) setStatus(object, { acceptedSpec: unknownSpec });
    throw error;
  }
}

function isWithoutEffect(error: unknown): boolean {
  if (isNoFailure(error) || error instanceof ThrottledError || kindOf(error) === 'auth') return true;
  if (error instanceof NoResponseError) return !error.sent;
  return error instanceof ServiceManagerError && !error.isEffectUnknown;
}

/** An operation failed or is lost: Service Manager has what it had before. */
export function withdrawUpdate(run: InstanceRun): void {
  setStatus(run.object, { hashedSpec: undefined });
  withdrawParameters(run);
}
