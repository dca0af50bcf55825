import type { ServiceInstance as SmInstance } from '../../../clients/service-manager/index.ts';
import { pollAfter, type ReconcileResult, requeueInProgress } from '../../../runtime/index.ts';
import { type Run, setStatus } from './run.ts';
import { specHash } from './spec/spec-hash.ts';
import { isReady, sharedOf, succeededOf } from './status/conditions.ts';
import { asyncErrorText } from './status/messages.ts';
import { reasons } from './status/reasons.ts';

/** Settled instances are observed again after this time, in ms. */
const RESYNC_MS = 10 * 3_600_000;

/** Nothing is left to do: the conditions say so, whatever they said before. */
export async function settle(run: Run, found: SmInstance): Promise<ReconcileResult> {
  const { instance, conditions, status, settings } = run;
  const isRefused = sharedOf(instance)?.reason === reasons.shareNotSupported;
  if (isRefused && instance.spec.shared !== true) conditions.removeShared();
  const { status: succeeded, reason } = succeededOf(instance) ?? {};
  if (!isReady(instance)) {
    if (found.ready) conditions.succeeded('create');
    else if (reason === reasons.failed) conditions.operationFailed('create', asyncErrorText);
  } else if (succeeded !== 'True') conditions.succeeded('create');
  else conditions.observed();
  if (isReady(instance) && !instance.status?.hashedSpec)
    setStatus(instance, { hashedSpec: specHash(instance.spec) });
  await status.store();
  const isPending = !isReady(instance) && reason === reasons.createInProgress;
  return isPending ? requeueInProgress(settings.pollIntervalMs) : pollAfter(RESYNC_MS);
}
