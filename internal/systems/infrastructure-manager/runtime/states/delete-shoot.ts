import { type Shoot, shoots } from '../../../../../apis/gardener/kinds.ts';
import { pollAfter, requeue } from '../../../../framework/controller/index.ts';
import { isNotFound, wasDeleted } from '../../../../framework/kube/index.ts';
import { namespaceOf } from '../../gardener/gardener.ts';
import { ask, gardenerRefusal } from '../../gardener/refusal.ts';
import { annotationConfirmDeletion, isDeletionConfirmed } from '../metadata.ts';
import type { RuntimeRun } from '../run.ts';
import { messages } from '../status/messages.ts';
import { conditionTypes, type Reason, reasons } from '../status/reasons.ts';
import { end, next, type Step } from '../step.ts';
import { deleteAuthenticationConfig } from './authentication-config.ts';
import { readShoot } from './take-snapshot.ts';

/** Safety net beside the watch of Shoots, in ms. */
const POLL_MS = 90_000;

/** Confirms and requests the deletion of the Shoot, and waits until Gardener has deleted it. */
export async function deleteShoot(run: RuntimeRun): Promise<Step> {
  const { shoot, context, status } = run;
  if (shoot === undefined) return next('RemoveFinalizer');
  if (wasDeleted(shoot)) {
    // What Gardener does meanwhile.
    await status.store();
    return end(pollAfter(POLL_MS));
  }
  await context.guard.acquireOwnership();
  await context.guard.beforeWrite({ destructive: true });
  const { deprovisioned: type } = conditionTypes;
  try {
    await confirmDeletion(run, shoot);
    await deleteOwnAuthenticationConfig(run, shoot);
    await requestDeletion(run, shoot);
  } catch (error) {
    if (isNotFound(error)) return checkGone(run, shoot);
    const refusal = gardenerRefusal(error);
    if (refusal !== 'refused' && refusal !== 'forbidden') throw error;
    const isConfig = error instanceof AuthenticationConfigError;
    const reason: Reason = isConfig ? reasons.structuredConfigDeleted : reasons.shootDeleted;
    const message = isConfig ? messages.authenticationConfigDeleteFailed : messages.shootDeleteFailed;
    context.log.info('cannot delete the Shoot', { error: String(error) });
    status.deletion({ type, reason, status: 'False', message });
    await status.store();
    return end(requeue);
  }
  const reason = reasons.shootDeleted;
  status.deletion({ type, reason, status: 'Unknown', message: messages.deletionStarted });
  await status.store({ isResult: true });
  return end(pollAfter(POLL_MS));
}

/** The Shoot may be gone already, though the informer had it. */
async function checkGone(run: RuntimeRun, { metadata: { name } }: Shoot): Promise<Step> {
  run.shoot = await readShoot(run, name);
  return run.shoot === undefined ? next('RemoveFinalizer') : end(requeue);
}

const keyOf = ({ gardener }: RuntimeRun, { metadata: { namespace, name } }: Shoot) => ({
  namespace: namespace ?? namespaceOf(gardener),
  name,
});

async function confirmDeletion(run: RuntimeRun, shoot: Shoot): Promise<void> {
  if (isDeletionConfirmed(shoot)) return;
  const { gardener, context } = run;
  const { uid } = shoot.metadata;
  const patch = { metadata: { uid, annotations: { [annotationConfirmDeletion]: 'true' } } };
  context.guard.assertMayWrite();
  await ask(() => gardener.client.mergePatch(shoots, keyOf(run, shoot), patch, context));
}

async function requestDeletion(run: RuntimeRun, shoot: Shoot): Promise<void> {
  const { gardener, context } = run;
  const { uid } = shoot.metadata;
  const preconditions = uid === undefined ? {} : { preconditions: { uid } };
  context.guard.assertMayWrite();
  await ask(() => gardener.client.delete(shoots, keyOf(run, shoot), { ...context, ...preconditions }));
}

class AuthenticationConfigError extends Error {}

/** Only that of this program: owners may name another one. */
async function deleteOwnAuthenticationConfig(run: RuntimeRun, shoot: Shoot): Promise<void> {
  const named = shoot.spec?.kubernetes.kubeAPIServer?.structuredAuthentication?.configMapName;
  if (!named) return;
  try {
    await deleteAuthenticationConfig(run);
  } catch (cause) {
    if (gardenerRefusal(cause) === undefined) throw cause;
    throw new AuthenticationConfigError('cannot delete the authentication configuration', { cause });
  }
}
