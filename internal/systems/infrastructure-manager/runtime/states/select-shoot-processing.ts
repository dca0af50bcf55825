import { done, pollAfter } from '../../../../framework/controller/index.ts';
import { wasDeleted } from '../../../../framework/kube/index.ts';
import { isAuditLogDue } from '../audit-log/migrate.ts';
import { isChanged, isPatchForced, isPatchSuspended } from '../metadata.ts';
import { type RuntimeRun, remember } from '../run.ts';
import { messages } from '../status/messages.ts';
import { conditionTypes, reasons } from '../status/reasons.ts';
import { end, next, type Step } from '../step.ts';
import { hasDrift } from './drift.ts';

/** Safety net beside the watch of Shoots, in ms. */
const POLL_MS = 60_000;
/** Others that change the Shoot again and again must not cause a patch each time. */
const DRIFT_PAUSE_MS = 60_000;

/** Decides whether the Shoot is patched, or which of Gardener's operations to wait for. */
export async function selectShootProcessing(run: RuntimeRun): Promise<Step> {
  const { shoot, object } = run;
  if (shoot === undefined) return end(done);
  if (wasDeleted(shoot)) return waitUntilGone(run);
  const { lastOperation, observedGeneration } = shoot.status ?? {};
  if (shoot.spec?.dns?.domain === undefined || lastOperation === undefined) return end(pollAfter(POLL_MS));
  if (isPatchDue(run) || isDriftPatchDue(run)) return next('PatchExistingShoot');
  // What Gardener reports may belong to an earlier generation.
  const isObserved =
    observedGeneration === undefined || observedGeneration >= (shoot.metadata.generation ?? 0);
  if (!isObserved) return end(pollAfter(POLL_MS));
  // A reconcile that Gardener began itself.
  if (object.status?.state === 'Ready' && lastOperation.state !== 'Failed') return next('HandleKubeconfig');
  // A Restore follows a Migrate, and both are like a Reconcile. So is what a later Gardener may have: its state says what it means.
  return next(lastOperation.type === 'Create' ? 'WaitForShootCreation' : 'WaitForShootReconcile');
}

/** A patch is requested, or due since the Runtime or its AuditLog was changed; a suspended Runtime is not patched. */
const isPatchDue = (run: RuntimeRun): boolean => {
  const { object, shoot } = run;
  if (shoot === undefined || isPatchSuspended(object)) return false;
  return isPatchForced(object) || isChanged(object, shoot) || isAuditLogDue(run);
};

/** Whether others changed what the Runtime says, and the last patch because of that is long enough ago. */
function isDriftPatchDue(run: RuntimeRun): boolean {
  if (isPatchSuspended(run.object) || !hasDrift(run)) return false;
  const { clock, memory } = run.context;
  const last = memory.get()?.driftPatchedAt;
  const leftMs = last === undefined ? 0 : last + DRIFT_PAUSE_MS - clock.monotonic();
  if (leftMs > 0) run.recheckMs = leftMs;
  else remember(run, { driftPatchedAt: clock.monotonic() });
  return leftMs <= 0;
}

/** Others deleted the Shoot. It is created again when it is gone. */
async function waitUntilGone(run: RuntimeRun): Promise<Step> {
  run.status.pending({
    type: conditionTypes.provisioned,
    reason: reasons.processing,
    status: 'Unknown',
    message: messages.updateInProgress,
  });
  await run.status.store();
  return end(pollAfter(POLL_MS));
}
