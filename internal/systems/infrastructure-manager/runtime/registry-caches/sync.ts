import { messageOf, ProviderError } from '../../../../framework/base/errors/errors.ts';
import { isNoFailure } from '../../../../framework/controller/index.ts';
import { getIfExists } from '../../../../framework/kube/client/get-if-exists.ts';
import { secrets } from '../../../../framework/kube/index.ts';
import { type CacheOfRuntime, cachesOf } from '../../rendering/model/registry-caches.ts';
import { type RuntimeClusterUse, useRuntimeCluster } from '../cluster/runtime-cluster.ts';
import type { RuntimeRun } from '../run.ts';
import { conditionTypes, reasons } from '../status/reasons.ts';
import { showConfigState } from './config-status.ts';
import { type CacheCredentials, storeGardenSecrets } from './garden-secrets.ts';

/** The caches of the Runtime. */
export const cachesOfRuntime = ({ object: { spec } }: RuntimeRun): readonly CacheOfRuntime[] =>
  spec === undefined ? [] : cachesOf({ spec });

/**
 * Before a patch: copies the credentials of registry caches from the runtime to Gardener.
 *
 * @returns the names of the Secrets, by the uid of the cache; undefined: those that the Shoot has
 * @throws the error, after it is shown: a retry may help
 */
export async function syncRegistryCacheSecrets(
  run: RuntimeRun,
): Promise<ReadonlyMap<string, string> | undefined> {
  const caches = cachesOfRuntime(run);
  if (!run.settings.registryCaches || caches.length === 0) return undefined;
  try {
    const credentials = await useRuntimeCluster(run, async (cluster) => {
      const { registryCacheConfigured: reason } = reasons;
      const message = 'The registry cache is being configured';
      await showConfigState(cluster, caches, { state: 'Pending', status: 'Unknown', reason, message });
      return readCredentials(cluster, caches);
    });
    return credentials.length === 0 ? new Map() : await storeGardenSecrets(run, credentials);
  } catch (error) {
    if (isNoFailure(error)) throw error;
    const { registryCacheConfigured: type } = conditionTypes;
    const reason = reasons.registryCacheConfigurationFailed;
    run.status.pending({ type, reason, status: 'False', message: messageOf(error) });
    await run.status.store();
    throw error;
  }
}

async function readCredentials(
  { client, signal }: RuntimeClusterUse,
  caches: readonly CacheOfRuntime[],
): Promise<CacheCredentials[]> {
  const found: CacheCredentials[] = [];
  for (const cache of caches) {
    const { secretReferenceName: name } = cache.config;
    if (!name) continue;
    const { namespace } = cache;
    const secret = await getIfExists(client, secrets, { namespace, name }, { signal });
    if (secret === undefined)
      throw new ProviderError('transient', `Secret ${namespace}/${name} of a registry cache is missing`);
    found.push({ cache, data: secret.data ?? {} });
  }
  return found;
}

/** The Shoot could not be rendered with the caches: their users see it. */
export async function showCachesFailed(run: RuntimeRun): Promise<void> {
  const caches = cachesOfRuntime(run);
  if (!run.settings.registryCaches || caches.length === 0) return;
  const reason = 'RegistryCacheExtensionConfigurationFailed';
  const message = 'failed to apply registry cache configuration';
  try {
    await useRuntimeCluster(run, (cluster) =>
      showConfigState(cluster, caches, { state: 'Failed', status: 'False', reason, message }),
    );
  } catch (error) {
    run.context.log.info('cannot show that registry caches failed', { error: messageOf(error) });
  }
}
