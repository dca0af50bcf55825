import { messageOf } from '../../../../framework/base/errors/errors.ts';
import { done, removeFinalizer, requeueAfter } from '../../../../framework/controller/index.ts';
import { releaseAuditLog } from '../audit-log/audit-logs.ts';
import { finalizer } from '../metadata.ts';
import { hadCaches } from '../registry-caches/cleanup.ts';
import { deleteGardenSecrets } from '../registry-caches/garden-secrets.ts';
import { cachesOfRuntime } from '../registry-caches/sync.ts';
import { type RuntimeRun, remember } from '../run.ts';
import { messages } from '../status/messages.ts';
import { conditionTypes, type Reason, reasons } from '../status/reasons.ts';
import { end, type Step } from '../step.ts';
import { deleteAuthenticationConfig } from './authentication-config.ts';

/** API servers end requests within a minute: a create that was sent before takes effect by then, or never. */
const CREATE_MAY_FOLLOW_MS = 60_000;

/** The Shoot is gone. If a create may still take effect, the Runtime stays until that is impossible. */
export async function removeRuntimeFinalizer(run: RuntimeRun): Promise<Step> {
  const { copy, context } = run;
  if (createMayFollow(run)) {
    const now = context.clock.monotonic();
    const since = context.memory.get()?.absentSince ?? now;
    remember(run, { absentSince: since });
    const leftMs = since + CREATE_MAY_FOLLOW_MS - now;
    if (leftMs > 0) return end(requeueAfter(leftMs));
  }
  await removeUnusedAuthenticationConfig(run);
  await releaseAuditLog(run);
  await deleteCacheSecrets(run);
  context.guard.assertOwner();
  await removeFinalizer(copy, finalizer, context.signal);
  return end(done);
}

/** Credentials of registry caches in Gardener. That they cannot be deleted is shown, and tried again. */
async function deleteCacheSecrets(run: RuntimeRun): Promise<void> {
  if (cachesOfRuntime(run).length === 0 && !hadCaches(run)) return;
  const { status, context } = run;
  await context.guard.acquireOwnership();
  await context.guard.beforeWrite({ destructive: true });
  try {
    await deleteGardenSecrets(run, []);
  } catch (error) {
    const { deprovisioned: type } = conditionTypes;
    const message = `${messages.cacheSecretsDeleteFailed}: ${messageOf(error)}`;
    status.deletion({ type, reason: reasons.gardenerError, status: 'False', message });
    await status.store();
    throw error;
  }
}

/** The ConfigMap is stored before the Shoot is created, so that of a Shoot that was refused is still there. */
async function removeUnusedAuthenticationConfig(run: RuntimeRun): Promise<void> {
  const { shoot, status, context } = run;
  const { reason } = status.condition(conditionTypes.deprovisioned) ?? {};
  // Deleted with the Shoot, or that of the Shoot of another Runtime.
  const isDone = reason === reasons.shootDeleted || reason === reasons.shootNotOwned;
  if (shoot !== undefined || isDone) return;
  await context.guard.acquireOwnership();
  await context.guard.beforeWrite({ destructive: true });
  await deleteAuthenticationConfig(run);
}

/** Reasons that are stored only after a create had an answer, or of a Runtime that sends none. */
const ANSWERED: readonly string[] = [
  reasons.shootCreationCompleted,
  reasons.processing,
  reasons.configurationCompleted,
  reasons.creationError,
  reasons.processingError,
  reasons.shootNotOwned,
] satisfies readonly Reason[];

/**
 * A create may have been sent whose result is not known: by this process, or by an earlier one unless the condition says that the Shoot
 * existed. A condition that is False may be older than the last create.
 */
function createMayFollow({ copy: { original }, context }: RuntimeRun): boolean {
  const provisioned = original.status?.conditions?.find(({ type }) => type === conditionTypes.provisioned);
  if (provisioned === undefined) return false;
  const { create } = context.memory.get() ?? {};
  if (create !== undefined) return create === 'sent';
  const { reason, message } = provisioned;
  const isCreated =
    reason === reasons.pending &&
    (message === messages.shootPending || message === messages.creationInProgress);
  return !isCreated && !ANSWERED.includes(reason);
}
