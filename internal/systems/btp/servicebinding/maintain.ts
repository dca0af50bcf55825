import { createHash } from 'node:crypto';
import { ProviderError, ThrottledError } from '../../../framework/base/index.ts';

import {
  pollAfter,
  type ReconcileResult,
  requeue,
  requeueAfter,
  requeueInProgress,
  step,
} from '../../../framework/controller/index.ts';
import { keyOf, keyString } from '../../../framework/kube/index.ts';
import { isGoneInServiceManager } from '../operations/delete-own.ts';
import type { ServiceInstance } from '../serviceinstance/resource.ts';
import { isReady, observedGenerationOf, succeededOf } from '../status/conditions.ts';
import { asyncErrorText, reasons } from '../status/messages.ts';
import {
  type BindingRun,
  bindingIDOf,
  isEdited,
  marksOf,
  remember,
  type UnconnectedBindingRun,
} from './binding-run.ts';
import { hasOldInfo, type SecretState, secretState, writeSecret } from './bound-secret.ts';
import { readBinding, recordSubaccount } from './external-binding.ts';
import { noCredentialsText, secretDeleted } from './messages.ts';
import { rotationAction } from './rotation/rotate.ts';
import { nextDates } from './rotation/rotation-policy.ts';

/** Why Service Manager must be asked for a bound binding; undefined: nothing is to do. */
export async function maintenanceOf(
  run: UnconnectedBindingRun,
  instance: ServiceInstance,
): Promise<Maintenance | undefined> {
  const { object: binding, status } = run;
  const isSettled =
    isReady(binding) &&
    succeededOf(binding)?.status === 'True' &&
    observedGenerationOf(binding) === binding.metadata.generation;
  const secret = isReady(binding) ? await secretState(run) : 'missing';
  if (isReady(binding) && secret === 'missing') status.record('Warning', secretDeleted, secretDeleted);
  const mustLook = isSuspect(run) || untilResync(run) <= 0 || hasOldInfo(run, instance);
  if (isSettled && secret === 'current' && !mustLook) return undefined;
  return { secret, isSettled };
}

/** A list of Service Manager did not have the binding, or a user touched the object. */
function isSuspect(run: UnconnectedBindingRun): boolean {
  const { copy, context, suspects } = run;
  const { marks } = context.memory.get() ?? {};
  const touched = marks !== undefined && marks !== marksOf(copy.original);
  return suspects.has(keyString(keyOf(copy.original))) || touched;
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
): Promise<ReconcileResult | undefined> {
  const { object: binding, conditions, status, context, suspects } = run;
  const wasReady = isReady(binding);
  const operation = wasReady ? 'update' : 'create';
  const found = await readBinding(run).catch((error: unknown) => {
    // A comparison is no update: that it must wait is of no use to users.
    if (error instanceof ThrottledError && isSettled && secret === 'current' && !isEdited(run)) throw error;
    return step(operation, () => Promise.reject(error));
  });
  return step(operation, async () => {
    if (found === undefined) {
      if (await isGoneInServiceManager(run, bindingIDOf(binding))) {
        conditions.notFound(bindingIDOf(binding));
        await status.store();
        suspects.delete(keyString(keyOf(binding)));
      }
      return requeue;
    }
    suspects.delete(keyString(keyOf(binding)));
    if (!found.ready && !wasReady) return notReady(run);
    await context.guard.beforeWrite();
    const isDue = isEdited(run) || succeededOf(binding)?.reason === reasons.updateFailed;
    // A response without credentials must not replace those in the Secret.
    const isKept = found.credentials === undefined && secret !== 'missing';
    if (isKept && isDue && wasReady) throw new ProviderError('transient', noCredentialsText);
    const isWritten = !isKept && (await writeSecret(run, found));
    remember(run, { isEdited: false });
    recordSubaccount(binding, found);
    if (!wasReady) conditions.succeeded('create');
    else if (isWritten || isDue) conditions.succeeded('update');
    else if (!isSettled) conditions.succeeded('create');
    await status.storeResult();
    return undefined;
  });
}

/** Its create failed or goes on without an operation that could be polled. Only users can do something about the first. */
async function notReady(run: BindingRun): Promise<ReconcileResult | undefined> {
  const { object: binding, conditions, status, settings } = run;
  const { reason } = succeededOf(binding) ?? {};
  if (reason === reasons.createInProgress) return requeueInProgress(settings.pollIntervalMs);
  if (reason === undefined || reason === reasons.blocked)
    conditions.operationFailed('create', asyncErrorText);
  else conditions.observed();
  await status.store();
  return undefined;
}

/** Service Manager is asked for a settled binding after this time, in ms. */
const RESYNC_MS = 10 * 3_600_000;

/** Until then, nothing is left to do: Service Manager must be asked, a rotation is due, or a replaced binding expires. */
export function settled(run: UnconnectedBindingRun): ReconcileResult {
  // A rotation became due while the binding could not be rotated, or its new credentials are there.
  if (succeededOf(run.object)?.status === 'True' && rotationAction(run) !== undefined) return requeueAfter(0);
  const now = run.context.client.now();
  // What is overdue had no effect: something else is awaited, e.g. an instance that can be used.
  const waits = [untilResync(run), ...nextDates(run.object).map((at) => at - now)].filter(
    (waitMs) => waitMs > 0,
  );
  return pollAfter(Math.max(Math.min(RESYNC_MS, ...waits), 1));
}

/** In ms; negative: Service Manager must be asked. After a start the bindings are spread over the time. */
function untilResync(run: UnconnectedBindingRun): number {
  const { object, context } = run;
  const now = context.clock.monotonic();
  const known = context.memory.get()?.observedAt;
  const observedAt = known ?? now - shareOf(object.metadata.uid ?? '') * RESYNC_MS;
  if (known === undefined) remember(run, { observedAt });
  return observedAt + RESYNC_MS - now;
}

/** From 0 to 1, the same for the same text. */
const shareOf = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;
