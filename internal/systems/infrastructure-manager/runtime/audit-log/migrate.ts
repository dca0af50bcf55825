import { jsonEqual } from '../../../../framework/base/json/json-equal.ts';
import { valueAt } from '../../../../framework/base/json/json-field.ts';
import { requeue } from '../../../../framework/controller/index.ts';
import type { AuditData } from '../rendering.ts';
import { RenderingProblem } from '../rendering-problem.ts';
import type { RuntimeRun } from '../run.ts';
import { messages } from '../status/messages.ts';
import { conditionTypes, reasons } from '../status/reasons.ts';
import { end, next, type Step } from '../step.ts';
import { assignedAuditLog, auditDataOfAuditLog, claimAuditLog } from './audit-logs.ts';

const { auditLogConfigured: type } = conditionTypes;

/** Claims the AuditLog of a Runtime whose cluster is ready, and waits until its Shoot uses it. */
export async function migrateToDedicatedAuditLog(run: RuntimeRun): Promise<Step> {
  const { status } = run;
  try {
    await claimAuditLog(run);
    const isUsed = !isAuditLogDue(run);
    const reason = reasons.customAuditLogConfigured;
    const message = messages.auditLogConfigured;
    if (isUsed) {
      // Stored together with the result of the next state.
      status.keepState({ type, reason, status: 'True', message });
      return next('CopyAuditLogReadCredentials');
    }
    status.pending({ type, reason, status: 'Unknown', message });
    await status.store();
    // The Shoot is patched then.
    return end(requeue);
  } catch (error) {
    if (!(error instanceof RenderingProblem)) throw error;
    const shown = status.condition(type);
    if (shown?.message !== error.message) run.onUnexpectedStop();
    status.failed({ type, reason: error.reason, message: error.message });
    await status.store();
    return end(requeue);
  }
}

/** Whether the Runtime has an AuditLog that its Shoot does not use. */
export function isAuditLogDue(run: RuntimeRun): boolean {
  const assigned = assignedAuditLog(run);
  if (assigned === undefined || run.shoot === undefined) return false;
  return !jsonEqual(auditDataOfAuditLog(assigned), usedData(run.shoot));
}

/** Where the Shoot sends its audit logs. */
function usedData({ spec }: NonNullable<RuntimeRun['shoot']>): AuditData {
  const config = spec?.extensions?.find((each) => each.type === 'shoot-auditlog-service')?.providerConfig;
  const text = (name: string) => String(valueAt(config, [name]) ?? '');
  const reference = text('secretReferenceName');
  const secretName = spec?.resources?.find(({ name }) => name === reference)?.resourceRef.name ?? '';
  return { tenantID: text('tenantID'), serviceURL: text('serviceURL'), secretName };
}
