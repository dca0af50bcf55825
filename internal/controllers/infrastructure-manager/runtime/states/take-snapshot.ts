import { type Shoot, shoots } from '../../../../../apis/gardener/kinds.ts';
import { getIfExists } from '../../../../kube/client/get-if-exists.ts';
import { isOlder } from '../../../../kube/object/resource-version.ts';
import { namespaceOf, shootInformer, shootKey, slimShoot } from '../../gardener/gardener.ts';
import { ask } from '../../gardener/refusal.ts';
import { type RuntimeRun, remember, shootNameOf } from '../run.ts';
import { next, type Step } from '../step.ts';
import { showShootErrors } from './show-shoot-errors.ts';

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
