import { wasDeleted } from '../../../../kube/index.ts';
import { codesOf, describeErrors, type LastErrors } from '../../gardener/last-errors.ts';
import type { RuntimeRun } from '../run.ts';
import { shootErrors } from '../status/messages.ts';
import { conditionTypes, reasons } from '../status/reasons.ts';

const { shootOperationSucceeded: type } = conditionTypes;

/**
 * Shows why Gardener's operation fails, with all codes and texts, whatever the operation is. A Ready Runtime whose Shoot Gardener
 * reconciles again shows only an operation that has failed for good.
 */
export async function showShootErrors(run: RuntimeRun): Promise<void> {
  const { shoot, status, object } = run;
  const { lastOperation, lastErrors = [] } = shoot?.status ?? {};
  const { state = '' } = lastOperation ?? {};
  if (shoot === undefined || state === 'Succeeded') status.remove(type);
  const isShown = state === 'Failed' || (object.status?.state !== 'Ready' && state !== 'Succeeded');
  // Between two attempts there may be none.
  if (!isShown || lastErrors.length === 0) return;
  const shown = status.condition(type);
  const message = shootErrors(`${lastOperation?.type} ${state}: ${describe(lastErrors)}`);
  // Texts may have times and numbers of requests: the same error is not shown anew with each attempt.
  if (shown !== undefined && withoutNumbers(shown.message ?? '') === withoutNumbers(message)) return;
  status.keepState({ type, reason: reasons.shootErrors, status: 'False', message });
  // The states of a deletion store nothing while they wait.
  if (wasDeleted(object)) await status.store();
}

/** `ERR_A, ERR_B: 1) First description 2) Second description`. */
const describe = (errors: LastErrors): string => {
  const codes = codesOf(errors).join(', ');
  return `${codes === '' ? '' : `${codes}: `}${describeErrors(errors).trim()}`;
};

const withoutNumbers = (text: string): string => text.replace(/[\da-f]*\d[\da-f]*/gi, '#');
