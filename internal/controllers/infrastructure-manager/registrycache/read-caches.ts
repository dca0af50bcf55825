import { ProviderError } from '../../../base/errors/errors.ts';
import { isUnknownKind } from '../../../kube/index.ts';
import { listAll } from '../runtime/cluster/list-all.ts';
import type { RuntimeClusterUse } from '../runtime/cluster/runtime-cluster.ts';
import type { RegistryCache } from '../runtime/rendering.ts';
import { cachesOf, customConfigs } from './custom-config.ts';

/** Of the caches of one runtime as JSON: those of thousands are in memory, and become a part of the Shoot. */
const MAX_BYTES = 16_384;

/**
 * The caches that the CustomConfigs of a runtime ask for. A cluster whose API server says that it does not serve the kind asks for none.
 *
 * @throws ProviderError if they are too many
 */
export async function readCaches(
  cluster: Pick<RuntimeClusterUse, 'client' | 'signal'>,
): Promise<readonly RegistryCache[]> {
  try {
    const caches = cachesOf(await listAll(cluster, customConfigs));
    if (Buffer.byteLength(JSON.stringify(caches)) <= MAX_BYTES) return caches;
  } catch (error) {
    if (isUnknownKind(error)) return [];
    throw error;
  }
  throw new ProviderError('terminal', `CustomConfigs have caches of more than ${MAX_BYTES} bytes`);
}
