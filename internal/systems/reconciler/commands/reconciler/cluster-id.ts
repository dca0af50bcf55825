import { ProviderError } from '../../../../framework/base/errors/errors.ts';
import type { CommandRun } from './run-command.ts';

/** Clusters of one name that a message lists. */
const MAX_LISTED = 10;

/**
 * The runtimeID of a cluster.
 *
 * @param text its name or its runtimeID; one that no cluster has is returned as it is, so that the request about it says so
 * @throws terminal if several clusters have the name
 */
export async function clusterIDOf(
  text: string,
  { client, signal }: Pick<CommandRun, 'client' | 'signal'>,
): Promise<string> {
  const found = (await client.listClusters({ cluster: text }, MAX_LISTED, signal)).filter(
    ({ runtimeID, name }) => runtimeID === text || name === text,
  );
  const exact = found.find(({ runtimeID }) => runtimeID === text) ?? found[0];
  if (exact === undefined || exact.runtimeID === text || found.length === 1) return exact?.runtimeID ?? text;
  const ids = found.map(({ runtimeID }) => runtimeID).join(', ');
  throw new ProviderError(
    'terminal',
    `cannot tell which cluster ${text} is: several have this name; give one of ${ids}`,
  );
}
