import { done, hasFinalizer, storeFinalizer } from '../../../../framework/controller/index.ts';
import { wasDeleted } from '../../../../framework/kube/index.ts';
import { finalizer } from '../metadata.ts';
import { type RuntimeRun, remember } from '../run.ts';
import { messages } from '../status/messages.ts';
import { conditionTypes, reasons } from '../status/reasons.ts';
import { end, next, type Step } from '../step.ts';
import { refuseForeignShoot } from './refuse-foreign-shoot.ts';
import { showLastOperation } from './show-last-operation.ts';

/** Refuses the Shoot of another Runtime, adds the finalizer and the first condition, and selects creation, change or deletion. */
export async function initialize(run: RuntimeRun): Promise<Step> {
  const { object, copy, context, status, shoot } = run;
  showLastOperation(run);
  if (wasDeleted(object)) {
    if (hasFinalizer(object, finalizer)) return next('DeleteKubeconfig');
    // The Runtime belongs to others, who keep it.
    if (shoot === undefined) run.onUnexpectedStop();
    return end(done);
  }
  if (object.spec === undefined) return end(done);
  const refused = await refuseForeignShoot(run);
  if (refused !== undefined) return refused;
  await storeFinalizer(copy, finalizer, context.signal);
  if (shoot !== undefined) return next('SelectShootProcessing');
  if (status.condition(conditionTypes.provisioned) === undefined) {
    // No process sends a create before it has stored the condition.
    remember(run, { create: 'none' });
    status.pending({
      type: conditionTypes.provisioned,
      reason: reasons.initialised,
      status: 'Unknown',
      message: messages.initialized,
    });
    await status.store();
  }
  return next('CreateShoot');
}
