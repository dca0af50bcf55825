import { messageOf } from '../../../../framework/base/errors/errors.ts';
import { isNoFailure } from '../../../../framework/controller/index.ts';
import { useRuntimeCluster } from '../cluster/runtime-cluster.ts';
import type { RuntimeRun } from '../run.ts';
import { messages } from '../status/messages.ts';
import { conditionTypes, type Reason, reasons } from '../status/reasons.ts';
import { next, type Step } from '../step.ts';
import { showConfigState } from './config-status.ts';
import { deleteGardenSecrets } from './garden-secrets.ts';
import { cachesOfRuntime } from './sync.ts';

const { registryCacheConfigured: type } = conditionTypes;

/** The Shoot has its caches: deletes Secrets in Gardener that it does not need, and shows users that the caches are ready. */
export async function cleanupRegistryCacheGardenSecrets(run: RuntimeRun): Promise<Step> {
  const caches = cachesOfRuntime(run);
  // A Runtime without caches never had Secrets unless its condition says so, and Gardener is not asked.
  if (!run.settings.registryCaches || (caches.length === 0 && !hadCaches(run))) return next('ConfigureSKR');
  await attempt(run, reasons.registryCacheCleanupFailed, async () => {
    await run.context.guard.acquireOwnership();
    await run.context.guard.beforeWrite();
    await deleteGardenSecrets(run, caches);
  });
  if (caches.length === 0) {
    run.status.remove(type);
    return next('ConfigureSKR');
  }
  const { registryCacheConfigured: reason } = reasons;
  const { registryCacheConfigured: message } = messages;
  await attempt(run, reasons.registryCacheConfigurationFailed, () =>
    useRuntimeCluster(run, (cluster) =>
      showConfigState(cluster, caches, { state: 'Ready', status: 'True', reason, message }),
    ),
  );
  // What the cluster asks for now is not known: its controller shows that.
  if (run.status.condition(type)?.reason === reasons.registryCacheError) return next('ConfigureSKR');
  // Stored together with the result of a later state.
  run.status.keepState({ type, reason, status: 'True', message });
  return next('ConfigureSKR');
}

/** Whether the Runtime had registry caches, so that there may be Secrets. */
export const hadCaches = ({ status }: RuntimeRun): boolean => status.condition(type) !== undefined;

/** @throws the error, after it is shown: a retry may help */
async function attempt(run: RuntimeRun, reason: Reason, action: () => Promise<unknown>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (isNoFailure(error)) throw error;
    const stated = { type, reason, status: 'False', message: messageOf(error) } as const;
    if (run.object.status?.state === 'Ready') run.status.keepState(stated);
    else run.status.pending(stated);
    await run.status.store();
    throw error;
  }
}
