import { isNotFound } from '../errors/errors.ts';
import type { ResourceType } from '../object/resource-type.ts';
import type { CallOptions, KubeClient } from './client.ts';

/**
 * Whether the server serves the type, for kinds without a CRD, those of aggregated API servers.
 *
 * @throws a `transient` or `throttled` error while nothing is known: the aggregated server does not respond (503)
 */
export async function isServed(
  client: Pick<KubeClient, 'discover'>,
  type: ResourceType,
  options?: CallOptions,
): Promise<boolean> {
  try {
    return (await client.discover(type, options)).includes(type.plural);
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
