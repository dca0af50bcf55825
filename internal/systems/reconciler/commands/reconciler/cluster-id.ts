import { ProviderError } from '../../../../framework/base/index.ts';

import type { ClusterSummary } from '../../client/mothership-client.ts';
import type { CommandRun } from './run-command.ts';

/** Clusters of one name that a message lists. */
const MAX_LISTED = 10;

interface FoundCluster {
  readonly runtimeID: string;
  /** Undefined: no cluster has the name or runtimeID. The next request about it says so. */
  readonly summary: ClusterSummary | undefined;
}

/**
 * Finds a cluster by its name or its runtimeID.
 *
 * @throws terminal if several clusters have the name
 */
export async function findCluster(
  text: string,
  { client, signal }: Pick<CommandRun, 'client' | 'signal'>,
): Promise<FoundCluster> {
  const found = (await client.listClusters({ cluster: text }, MAX_LISTED, signal)).filter(
    ({ runtimeID, name }) => runtimeID === text || name === text,
  );
  const exact = found.find(({ runtimeID }) => runtimeID === text) ?? found[0];
  if (exact === undefined || exact.runtimeID === text || found.length === 1) {
    return { runtimeID: exact?.runtimeID ?? text, summary: exact };
  }
  const ids = found.map(({ runtimeID }) => runtimeID).join(', ');
  throw new ProviderError(
    'terminal',
    `cannot tell which cluster ${text} is: several have this name; give one of ${ids}`,
  );
}

/** The runtimeID of a cluster, as `findCluster` finds it. */
export const clusterIDOf = async (
  text: string,
  run: Pick<CommandRun, 'client' | 'signal'>,
): Promise<string> => (await findCluster(text, run)).runtimeID;
