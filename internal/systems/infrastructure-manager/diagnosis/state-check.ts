/** The check of what a Runtime says about itself: its state, and all conditions that are not True. */
import type { Runtime } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import type { Condition, ObjectKey } from '../../../framework/kube/index.ts';
import type { Remedy } from '../../../framework/module/diagnosis.ts';
import type { CheckResult } from '../../../framework/module/object-report.ts';
import { missingLabels } from '../rendering/shoot-rendering.ts';
import { messages, updateFailed } from '../runtime/status/messages.ts';
import { conditionTypes, reasons } from '../runtime/status/status.ts';
import { runtimeRemedies } from './remedies.ts';

/** @param shoot of the Runtime, in Gardener */
export function stateCheck({ metadata, status }: Runtime, shoot: ObjectKey): CheckResult {
  const { state, conditions = [] } = status ?? {};
  const open: readonly Condition[] = conditions.filter((condition) => condition.status !== 'True');
  const texts = open.map(
    ({ type, status: value, reason, message }) => `${type} is ${value}, ${reason}: ${message ?? ''}`,
  );
  const detail = [state ?? 'not observed yet', ...texts].join('; ');
  if (state === 'Ready' && open.length === 0) return { status: 'ok', detail };
  const isFalse = open.some(({ type, status: value }) => value === 'False' && !INFORMATIVE.has(type));
  return {
    status: state === 'Failed' || isFalse ? 'failed' : 'waiting',
    detail,
    ...remedyOf(open.find(needsChange), metadata, shoot),
  };
}

/** The Runtime has not failed because of them: its state says what that means for it. */
const INFORMATIVE: ReadonlySet<string> = new Set([
  conditionTypes.driftCorrected,
  conditionTypes.shootOperationSucceeded,
]);

/** Gardener answers 403 for invalid changes too: then the Runtime stays Pending. */
const needsChange = ({ type, status, message = '' }: Condition): boolean =>
  (status === 'False' && type !== conditionTypes.shootOperationSucceeded) ||
  message.startsWith(messages.pendingAfterForbidden);

function remedyOf(failed: Condition | undefined, runtime: ObjectKey, shoot: ObjectKey): Remedy {
  const { type, reason, message = '' } = failed ?? {};
  switch (type) {
    case conditionTypes.provisioned:
      return remedyOfProvisioning(reason, message, runtime, shoot);
    case conditionTypes.kubeconfigReady:
      return runtimeRemedies.runtimeId(runtime);
    case conditionTypes.oidcConfigured:
      return runtimeRemedies.issuers(runtime);
    case conditionTypes.configured:
      return runtimeRemedies.administrators(runtime);
    case conditionTypes.driftCorrected:
      return runtimeRemedies.spec(runtime);
    default:
      return runtimeRemedies.unknown(runtime);
  }
}

function remedyOfProvisioning(
  reason: string | undefined,
  message: string,
  runtime: ObjectKey,
  shoot: ObjectKey,
): Remedy {
  switch (reason) {
    case reasons.seedNotFound:
      return runtimeRemedies.seed(runtime);
    case reasons.shootNotOwned:
      return runtimeRemedies.shootName(runtime);
    case reasons.auditLogError:
      return runtimeRemedies.auditTenant();
    case reasons.creationError:
      return runtimeRemedies.failedOperation(shoot);
    case reasons.conversionError:
      return message.includes(missingLabels)
        ? runtimeRemedies.labels(runtime)
        : runtimeRemedies.spec(runtime);
    case reasons.processingError:
      // A refused write, or the codes of an operation that failed.
      return message.startsWith(updateFailed(''))
        ? runtimeRemedies.spec(runtime)
        : runtimeRemedies.failedOperation(shoot);
    default:
      return runtimeRemedies.spec(runtime);
  }
}
