import { findCause, ProviderError } from '../../../../framework/base/index.ts';

import type { ClusterResponse, ClusterState, MothershipClient } from '../../client/mothership-client.ts';
import { unreadableStateText } from './messages.ts';

export interface FoundCluster {
  readonly state: ClusterState;
  /** With the failures of its run. */
  readonly answer: ClusterResponse;
}

/**
 * Undefined: the mothership does not know the cluster. Only its status proves that: the state is also not found when it cannot be
 * read.
 */
export async function findCluster(
  mothership: MothershipClient,
  runtimeID: string,
  signal: AbortSignal,
): Promise<FoundCluster | undefined> {
  const answer = await orAbsent(mothership.clusterStatus(runtimeID, signal));
  if (answer === undefined) return undefined;
  const state = await orAbsent(mothership.clusterState(runtimeID, signal));
  if (state !== undefined) return { state, answer };
  // It may have been deleted in between.
  if ((await orAbsent(mothership.clusterStatus(runtimeID, signal))) === undefined) return undefined;
  throw new ProviderError('transient', unreadableStateText(runtimeID));
}

/** Nothing, for what the mothership does not know. */
export async function orAbsent<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (findCause(error, ProviderError)?.kind === 'not-found') return undefined;
    throw error;
  }
}
