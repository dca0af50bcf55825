import {
  pollAfter,
  type ReconcileResult,
  requeueAfter,
  requeueInProgress,
} from '../../../framework/controller/index.ts';
import { setStatus } from '../operations/run.ts';
import type { ServiceInstance as SmInstance } from '../service-manager/index.ts';
import { isReady, succeededOf } from '../status/conditions.ts';
import { asyncErrorText, reasons } from '../status/messages.ts';
import { isAccepted, isFinal, isUnsettledUpdate } from './decisions.ts';
import { type InstanceRun, removeShared, sharedOf } from './instance-run.ts';
import { watchesParameters } from './prepare-parameters.ts';
import type { ServiceInstance } from './resource.ts';
import { isOutdated, specHash } from './spec-hash.ts';

/** Settled instances are observed again after this time, in ms. */
const RESYNC_MS = 10 * 3_600_000;

/** What follows a create or update that succeeded. If nothing is left to do, Service Manager is not asked again. */
export function afterChange({ object: instance }: InstanceRun): ReconcileResult {
  const isSettled = isFinal(instance) && !isShareRefused(instance) && !watchesParameters(instance);
  return isSettled ? pollAfter(RESYNC_MS) : requeueAfter(0);
}

/** Nothing is left to do: the conditions say so, whatever they said before. */
export async function settle(run: InstanceRun, found: SmInstance): Promise<ReconcileResult> {
  const { object: instance, conditions, status, settings } = run;
  if (isShareRefused(instance) && instance.spec.shared !== true) removeShared(instance);
  const { status: succeeded, reason } = succeededOf(instance) ?? {};
  const wasReady = isReady(instance);
  if (!wasReady) {
    if (found.ready) conditions.succeeded('create', { outdated: isOutdated(instance) });
    else if (reason === reasons.failed) conditions.operationFailed('create', asyncErrorText);
  } else if (succeeded !== 'True') conditions.succeeded(isUnsettledUpdate(instance) ? 'update' : 'create');
  else conditions.observed();
  if (isReady(instance) && (!instance.status?.hashedSpec || isAccepted(instance)))
    setStatus(instance, { hashedSpec: specHash(instance.spec) });
  await status.store();
  if (!wasReady && isReady(instance)) return afterChange(run);
  const isPending = !isReady(instance) && reason === reasons.createInProgress;
  return isPending ? requeueInProgress(settings.pollIntervalMs) : pollAfter(RESYNC_MS);
}

const isShareRefused = (instance: ServiceInstance): boolean =>
  sharedOf(instance)?.reason === reasons.shareNotSupported;
