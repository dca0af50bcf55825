import { ThrottledError } from '../../../framework/base/errors/errors.ts';
import {
  isNoFailure,
  type ReconcileResult,
  requeue,
  requeueAfter,
  step,
} from '../../../framework/controller/index.ts';
import { scrubbed, textOf } from '../operations/report-failure.ts';
import { writeOptions } from '../operations/run.ts';
import { ServiceManagerError } from '../service-manager/index.ts';
import { succeededOf } from '../status/conditions.ts';
import { type Reason, reasons } from '../status/reasons.ts';
import { type InstanceRun, instanceIDOf } from './instance-run.ts';
import { removeShared, setShared, sharedText, unsharedText } from './shared-condition.ts';

/** Shares or unshares the instance. A throttled call is an operation in progress without a type. */
export async function share(run: InstanceRun, action: 'share' | 'unshare'): Promise<ReconcileResult> {
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
