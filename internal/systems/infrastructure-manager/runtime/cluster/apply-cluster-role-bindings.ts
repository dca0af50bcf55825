import { objectOwnershipOf } from '../ownership/object-ownership.ts';
import { isAuditLogRequested, type RuntimeRun } from '../run.ts';
import { messages } from '../status/messages.ts';
import { conditionTypes, reasons } from '../status/reasons.ts';
import { end, next, type Step } from '../step.ts';
import { applyBindings } from './apply-bindings.ts';
import { clusterFailed } from './cluster-failed.ts';
import { rememberConfigured } from './configured.ts';
import { useRuntimeCluster } from './runtime-cluster.ts';

const { configured: type } = conditionTypes;

/** Makes the administrators of the cluster those of the Runtime, which is Ready then. */
export async function applyClusterRoleBindings(run: RuntimeRun): Promise<Step> {
  const { object, status } = run;
  const admins = object.spec?.security.administrators ?? [];
  try {
    await useRuntimeCluster(run, (cluster) => applyBindings(cluster, objectOwnershipOf(run), admins));
  } catch (error) {
    return clusterFailed(run, error, {
      type,
      reason: reasons.configurationError,
      message: messages.bindingsFailed,
      isFalse: true,
    });
  }
  const configured = {
    type,
    reason: reasons.administratorsConfigured,
    status: 'True',
    message: messages.administratorsConfigured,
  } as const;
  if (isAuditLogRequested(run)) {
    // Stored together with the result of a later state.
    status.keepState(configured);
    return next('MigrateToDedicatedAuditLog');
  }
  status.ready(configured);
  await status.store();
  return end(rememberConfigured(run));
}
