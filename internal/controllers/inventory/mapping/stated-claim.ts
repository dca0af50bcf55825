import type { MappingList } from '../../../clients/hana-cloud/client.ts';
import type { Managed } from '../../../runtime/managed/resource.ts';
import type { MappingClientOptions } from './mapping-client.ts';

/**
 * Puts the resource among those that ask for the mapping it describes. What a cluster-scoped one says, an admin has
 * written, and it counts as said. A namespaced one may describe whatever its author likes: were that enough, a tenant
 * could stop the mappings of all others by naming them. It counts once HANA Cloud has shown the instance to the
 * resource's own credentials, or while the status says that the mapping was seen.
 */
export async function stateClaim<R extends Managed>(
  { claims, hana, described }: Pick<MappingClientOptions<R>, 'claims' | 'hana' | 'described'>,
  resource: R,
  signal: AbortSignal,
): Promise<void> {
  if (resource.metadata.namespace !== undefined && !claims.counts(resource, described)) {
    // That it was shown to these credentials a moment ago is as good.
    const isEnough = (list: MappingList) => list.state === 'listed';
    const { state } = await hana.listMappings(described.serviceInstanceID, { signal, isEnough });
    if (state !== 'listed') return;
  }
  claims.state(resource, described);
}
