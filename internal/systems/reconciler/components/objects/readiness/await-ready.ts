import { type Deps, inParallel, messageOf } from '../../../../../framework/base/index.ts';
import { isNotFound, type KubeObject, keyOf } from '../../../../../framework/kube/index.ts';

import type { Awaited, DeployOptions } from '../../model/deployer.ts';
import type { ManagedCluster } from '../../model/managed-cluster.ts';
import { replicaSets } from '../known-types.ts';
import type { PreparedObject } from '../prepared-object.ts';
import { checkOf } from './check-object.ts';
import { hasTimeToLive } from './job.ts';
import { NotReadyError } from './not-ready-error.ts';
import { poll } from './poll.ts';
import { pending, type Readiness, type ReadinessReads } from './readiness.ts';

export interface AwaitReadyOptions extends Pick<Deps, 'clock' | 'log'>, DeployOptions {
  readonly cluster: Pick<ManagedCluster, 'client' | 'name'>;
  readonly intervalMs: number;
  readonly timeoutMs: number;
}

/** Objects that are read at a time. */
const WIDTH = 8;
/** ReplicaSets of a Deployment; it keeps ten old ones by default. */
const MAX_REPLICA_SETS = 100;

/**
 * Waits until the objects of kinds with a readiness are ready. A read that fails is repeated by the next check.
 *
 * @returns those that were seen ready
 * @throws NotReadyError
 */
export async function awaitReady(
  objects: readonly PreparedObject[],
  options: AwaitReadyOptions,
): Promise<ReadonlySet<PreparedObject>> {
  const { cluster, signal, log } = options;
  const reads = readsOf(cluster, signal);
  const seen = new Set<PreparedObject>();
  let left = objects.filter(({ type }) => checkOf(type) !== undefined);
  const check = async () => {
    const states = new Map<PreparedObject, Readiness>();
    await inParallel(left, WIDTH, async (each) => {
      states.set(each, await readinessOf(each, options, reads));
    });
    const awaited: Awaited[] = [];
    const failures: Awaited[] = [];
    left = left.filter((each) => {
      const readiness = states.get(each);
      if (readiness === undefined) return false;
      if (readiness.state === 'ready') {
        if (!readiness.isGone) seen.add(each);
        return false;
      }
      (readiness.state === 'failed' ? failures : awaited).push({
        object: each.object,
        reason: readiness.reason,
      });
      return true;
    });
    if (failures.length > 0)
      throw new NotReadyError('objects cannot become ready', failures, { failed: true });
    return awaited;
  };
  try {
    await poll(check, { ...options, what: 'objects are not ready' });
    return seen;
  } catch (error) {
    log.info('objects of a component are not ready', { cluster: cluster.name, error: messageOf(error) });
    throw error;
  }
}

async function readinessOf(
  { object, type }: PreparedObject,
  { cluster, signal, log }: AwaitReadyOptions,
  reads: ReadinessReads,
): Promise<Readiness> {
  try {
    const live = await cluster.client.get(type, keyOf(object), { signal });
    return (await checkOf(type)?.(live, reads)) ?? pending('its readiness is unknown');
  } catch (error) {
    signal.throwIfAborted();
    // It was applied, so it has ended; whether well, nobody knows any more.
    if (isNotFound(error) && hasTimeToLive(object)) return { state: 'ready', isGone: true };
    if (isNotFound(error)) return pending('it does not exist');
    log.debug('cannot read an object whose readiness is awaited', { error: messageOf(error) });
    return pending(messageOf(error));
  }
}

const readsOf = ({ client }: Pick<ManagedCluster, 'client'>, signal: AbortSignal): ReadinessReads => ({
  replicaSets: async (namespace, labels) => {
    const labelSelector = Object.entries(labels)
      .map(([name, value]) => `${name}=${value}`)
      .join(',');
    const page = await client.list<KubeObject>(replicaSets, {
      namespace,
      labelSelector,
      limit: MAX_REPLICA_SETS,
      signal,
    });
    return page.items;
  },
});
