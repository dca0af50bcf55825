import { ProviderError } from '../../../framework/base/errors/errors.ts';
import { valueAt } from '../../../framework/base/json/json-field.ts';
import { getIfExists } from '../../../framework/kube/client/get-if-exists.ts';
import { customResourceDefinitions, isUnknownKind } from '../../../framework/kube/index.ts';
import { kymas, registryCacheConfigs, type WantedCache, wantedCaches } from '../registry-cache-config.ts';
import type { RuntimeClusterUse } from '../runtime/cluster/runtime-cluster.ts';
import { listAll } from '../runtime/cluster/runtime-cluster.ts';

/** Of the caches of one runtime as JSON: those of thousands are in memory, and become a part of the Shoot. */
const MAX_BYTES = 16_384;

const MODULE = 'registry-cache';

type ReadOnlyCluster = Pick<RuntimeClusterUse, 'client' | 'signal'>;

/**
 * The caches that the RegistryCacheConfigs of a runtime ask for; none if it does not have the module.
 *
 * @throws ProviderError if they are too many; KubeApiError if the runtime has modules, but no list of them
 */
export async function readCaches(cluster: ReadOnlyCluster): Promise<readonly WantedCache[]> {
  if (!(await hasModule(cluster))) return [];
  const caches = wantedCaches(await listConfigs(cluster));
  if (Buffer.byteLength(JSON.stringify(caches)) <= MAX_BYTES) return caches;
  throw new ProviderError('terminal', `RegistryCacheConfigs have more than ${MAX_BYTES} bytes`);
}

/** A cluster without the kind of modules has none. */
async function hasModule({ client, signal }: ReadOnlyCluster): Promise<boolean> {
  const crd = { name: 'kymas.operator.kyma-project.io' };
  if ((await getIfExists(client, customResourceDefinitions, crd, { signal })) === undefined) return false;
  const kyma = await client.get(kymas, { namespace: 'kyma-system', name: 'default' }, { signal });
  const modules = valueAt(kyma, ['spec', 'modules']);
  return Array.isArray(modules) && modules.some((module) => valueAt(module, ['name']) === MODULE);
}

async function listConfigs(cluster: ReadOnlyCluster) {
  try {
    return await listAll(cluster, registryCacheConfigs);
  } catch (error) {
    // The module is not installed yet.
    if (isUnknownKind(error)) return [];
    throw error;
  }
}
