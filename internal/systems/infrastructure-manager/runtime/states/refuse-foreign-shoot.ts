import { pollAfter } from '../../../../framework/controller/index.ts';
import { foreignShoot } from '../ownership/shoot-ownership.ts';
import type { RuntimeRun } from '../run.ts';
import { reasons } from '../status/reasons.ts';
import type { Step } from '../step.ts';
import { fail } from './fail.ts';

/** Safety net beside the watch of Shoots, in ms. */
const POLL_MS = 60_000;

/** How the reconcile ends if the Shoot belongs to another Runtime; undefined: it is that of this Runtime, or becomes it. */
export async function refuseForeignShoot(run: RuntimeRun): Promise<Step | undefined> {
  const refusal = await foreignShoot(run, 'adopt');
  return refusal === undefined ? undefined : fail(run, reasons.shootNotOwned, refusal, pollAfter(POLL_MS));
}
