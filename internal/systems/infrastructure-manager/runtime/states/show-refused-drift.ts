import type { Shoot } from '../../../../../apis/gardener/kinds.ts';
import { messageOf } from '../../../../framework/base/errors/errors.ts';
import { otherOwnersOf } from '../../gardener/field-owners.ts';
import type { Difference } from '../../gardener/plan-update.ts';
import type { RuntimeRun } from '../run.ts';
import { driftRefused } from '../status/messages.ts';
import { conditionTypes, reasons } from '../status/reasons.ts';

/** Fields that a message names. */
const MAX_FIELDS = 5;

/**
 * Shows which fields others changed that Gardener does not let be set back, and who owns them. The Runtime keeps its state: nothing of
 * it has failed.
 */
export function showRefusedDrift(
  run: RuntimeRun,
  live: Shoot,
  drift: readonly Difference[],
  error: unknown,
): void {
  const named = drift.slice(0, MAX_FIELDS).map(({ path }) => {
    const owners = otherOwnersOf(live, path);
    return `${path.join('.')}${owners.length === 0 ? '' : ` (owned by ${owners.join(', ')})`}`;
  });
  const more = drift.length > MAX_FIELDS ? [`${drift.length - MAX_FIELDS} more`] : [];
  run.status.keepState({
    type: conditionTypes.driftCorrected,
    reason: reasons.driftRefused,
    status: 'False',
    message: driftRefused(`${[...named, ...more].join(', ')}: ${messageOf(error)}`),
  });
}
