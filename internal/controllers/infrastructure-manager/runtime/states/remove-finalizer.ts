import { done, removeFinalizer, requeueAfter } from '../../../../controller/index.ts';
import { finalizer } from '../metadata.ts';
import { type RuntimeRun, remember } from '../run.ts';
import { messages } from '../status/messages.ts';
import { conditionTypes, reasons } from '../status/reasons.ts';
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
  context.guard.assertOwner();
  await removeFinalizer(copy, finalizer, context.signal);
  return end(done);
}

/** The ConfigMap is stored before the Shoot is created, so that of a Shoot that was refused is still there. */
async function removeUnusedAuthenticationConfig(run: RuntimeRun): Promise<void> {
  const { shoot, status, settings, context } = run;
  const wasShootDeleted = status.condition(conditionTypes.deprovisioned)?.reason === reasons.shootDeleted;
  if (!settings.structuredAuth || shoot !== undefined || wasShootDeleted) return;
  await context.guard.acquireOwnership();
  await context.guard.beforeWrite({ destructive: true });
  await deleteAuthenticationConfig(run);
}

/** No answer of a create is recorded, so one may have been sent. */
function createMayFollow({ copy: { original } }: RuntimeRun): boolean {
  const provisioned = original.status?.conditions?.find(({ type }) => type === conditionTypes.provisioned);
  if (provisioned === undefined) return false;
  const { reason, message = '' } = provisioned;
  return reason === reasons.initialised || message.startsWith(messages.creationRetryable);
}
