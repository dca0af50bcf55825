import { ProviderError } from '../../../base/errors/errors.ts';
import { type ReconcileResult, requeue, requeueInProgress, step } from '../../../controller/index.ts';
import { setStatus } from '../operations/run.ts';
import { conditionsOf, isReady, observedGenerationOf, succeededOf } from '../status/conditions.ts';
import { asyncErrorText } from '../status/messages.ts';
import { reasons } from '../status/reasons.ts';
import {
  type BindingRun,
  bindingIDOf,
  isEdited,
  remember,
  type UnconnectedBindingRun,
} from './binding-run.ts';
import { type SecretState, secretState, writeSecret } from './bound-secret.ts';
import { readBinding } from './external-binding.ts';
import { noCredentialsText, secretDeleted } from './messages.ts';
import { settled, untilResync } from './settled.ts';

/** Why Service Manager must be asked for a bound binding; undefined: nothing is to do. */
export async function maintenanceOf(run: UnconnectedBindingRun): Promise<Maintenance | undefined> {
  const { object: binding, status } = run;
  const isSettled =
    isReady(binding) &&
    succeededOf(binding)?.status === 'True' &&
    observedGenerationOf(binding) === binding.metadata.generation;
  const secret = isReady(binding) ? await secretState(run) : 'missing';
  if (isReady(binding) && secret === 'missing') status.record('Warning', secretDeleted, secretDeleted);
  if (isSettled && secret === 'current' && untilResync(run) > 0) return undefined;
  return { secret, isSettled };
}

export interface Maintenance {
  readonly secret: SecretState;
  /** The conditions say that the current generation is done. */
  readonly isSettled: boolean;
}

/** Compares the binding with Service Manager and writes its Secret. */
export async function maintain(
  run: BindingRun,
  { secret, isSettled }: Maintenance,
): Promise<ReconcileResult> {
  const { object: binding, conditions, status, context } = run;
  const wasReady = isReady(binding);
  const operation = wasReady ? 'update' : 'create';
  return step(operation, async () => {
    const found = await readBinding(run);
    if (found === undefined) {
      conditions.notFound(bindingIDOf(binding));
      await status.store();
      return requeue;
    }
    if (!found.ready && !wasReady) return notReady(run);
    await context.guard.beforeWrite();
    const isDue = isEdited(run) || succeededOf(binding)?.reason === reasons.updateFailed;
    // A response without credentials must not replace those in the Secret.
    const isKept = found.credentials === undefined && secret !== 'missing';
    if (isKept && isDue && wasReady) throw new ProviderError('transient', noCredentialsText);
    const isWritten = !isKept && (await writeSecret(run, found, { keepsMarks: wasReady && !isDue }));
    remember(run, { isEdited: false });
    setStatus(binding, { subaccountID: found.subaccountID ?? binding.status?.subaccountID });
    if (!wasReady) conditions.succeeded('create');
    else if (isWritten || isDue) conditions.succeeded('update');
    else if (!isSettled) conditions.succeeded('create');
    await status.storeResult();
    return settled(run);
  });
}

/** Its create failed or goes on without an operation that could be polled. Only users can do something about the first. */
async function notReady(run: BindingRun): Promise<ReconcileResult> {
  const { object: binding, conditions, status, settings } = run;
  const { reason } = succeededOf(binding) ?? {};
  if (reason === reasons.createInProgress) return requeueInProgress(settings.pollIntervalMs);
  if (conditionsOf(binding).length === 0 || reason === undefined || reason === reasons.blocked)
    conditions.operationFailed('create', asyncErrorText);
  else conditions.observed();
  await status.store();
  return settled(run);
}
