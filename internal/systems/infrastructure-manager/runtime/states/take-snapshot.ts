import { type Shoot, shoots } from '../../../../../apis/gardener/kinds.ts';
import { getIfExists } from '../../../../framework/kube/client/get-if-exists.ts';
import { wasDeleted } from '../../../../framework/kube/index.ts';
import { isOlder } from '../../../../framework/kube/object/resource-version.ts';
import { namespaceOf, shootInformer, shootKey, slimShoot } from '../../gardener/gardener.ts';
import { codesOf, describeErrors, type LastErrors } from '../../gardener/last-errors.ts';
import { ask } from '../../gardener/refusal.ts';
import { type RuntimeRun, remember, shootNameOf } from '../run.ts';
import { shootErrors } from '../status/messages.ts';
import { conditionTypes, reasons } from '../status/reasons.ts';
import { next, type Step } from '../step.ts';

/**
 * Reads the Shoot from the informer, or the result of the last own write if that is newer. That there is no Shoot is confirmed by
 * a GET, since it decides what is created, and when a deletion is complete.
 */
export async function takeSnapshot(run: RuntimeRun): Promise<Step> {
  const name = shootNameOf(run.object);
  run.shoot = name === undefined ? undefined : await findShoot(run, name);
  await showShootErrors(run);
  return next('Initialize');
}

async function findShoot(run: RuntimeRun, name: string): Promise<Shoot | undefined> {
  const { context, gardener } = run;
  const informer = shootInformer(context.informersAt(gardener.cluster), gardener);
  const cached = informer.get(shootKey(gardener, name));
  if (cached === undefined) return readShoot(run, name);
  const written = context.memory.get()?.written;
  if (written === undefined) return cached;
  const isAhead =
    written.metadata.uid === cached.metadata.uid &&
    isOlder(cached.metadata.resourceVersion ?? '', written.metadata.resourceVersion ?? '');
  if (isAhead) return written;
  const { written: _, ...rest } = context.memory.get() ?? {};
  context.memory.set(rest);
  return cached;
}

/** The newest version of the Shoot; undefined if it is proved that there is none. @throws UnprovenAbsenceError */
export async function readShoot(run: RuntimeRun, name: string): Promise<Shoot | undefined> {
  const { gardener, context } = run;
  const key = { namespace: namespaceOf(gardener), name };
  return ask(() => getIfExists(gardener.client, shoots, key, context));
}

/** Keeps the result of a write until the informer has it. */
export function rememberWritten(run: RuntimeRun, shoot: Shoot): void {
  run.shoot = shoot;
  remember(run, { written: slimShoot(shoot) });
}

const { shootOperationSucceeded: type } = conditionTypes;

/**
 * Shows why Gardener's operation fails, with all codes and texts, whatever the operation is. A Ready Runtime whose Shoot Gardener
 * reconciles again shows only an operation that has failed for good.
 */
async function showShootErrors(run: RuntimeRun): Promise<void> {
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

const withoutNumbers = (text: string): string =>
  text
    .split(' ')
    .map((word) => (/\d/.test(word) ? '#' : word))
    .join(' ');
