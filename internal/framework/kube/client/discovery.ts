import { isNotFound } from '../errors/errors.ts';
import type { ResourceType } from '../object/resource-type.ts';
import type { CallOptions, GroupVersion, KubeClient } from './client.ts';

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
    return (await client.discover(type, options)).some(({ name }) => name === type.plural);
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/**
 * The type of a kind that is only known by name, such as one of a manifest. Undefined: the server does not serve it.
 *
 * @throws as `isServed`
 */
export async function typeOfKind(
  client: Pick<KubeClient, 'discover'>,
  { group, version, kind }: GroupVersion & Pick<ResourceType, 'kind'>,
  options?: CallOptions,
): Promise<ResourceType | undefined> {
  try {
    const served = await client.discover({ group, version }, options);
    const found = served.find((each) => each.kind === kind && !each.name.includes('/'));
    return found && { group, version, kind, plural: found.name, namespaced: found.namespaced };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
