import { type Clock, sleep } from '../../../framework/base/index.ts';
import {
  isConflict,
  isNotFound,
  type KubeClient,
  type KubeObject,
  keyString,
  type Lease,
  type ObjectKey,
  type ResourceType,
} from '../../../framework/kube/index.ts';

import { leases } from '../../../framework/kube/object/resource-type.ts';

export const deployments: ResourceType<KubeObject & { readonly spec?: { readonly replicas?: number } }> = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
};

export interface StopOperatorOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly deployment: Required<ObjectKey>;
  /** Names of the Leases that its pods hold, in its namespace. */
  readonly leases: readonly string[];
  /** Called with what stays. */
  readonly report: (line: string) => void;
  /** A new signal for one request. */
  readonly signal: () => AbortSignal;
}

const POLL_MS = 1000;
/** The grace period of the pods, and the time after which a Lease expires, in ms. */
const TIMEOUT_MS = 60_000;

/**
 * Ends the pods of the operator while they still have their rights, so that they release their Leases, and deletes these. An
 * uninstallation removes both at once; the Leases would stay, and the pods of the next installation would wait until they expire.
 * A Lease that is still held stays.
 */
export async function stopOperator(options: StopOperatorOptions): Promise<void> {
  const { client, clock, deployment, report, signal } = options;
  try {
    const { uid } = (await client.getMetadata(deployments, deployment, { signal: signal() })).metadata;
    const body = { metadata: { uid }, spec: { replicas: 0 } };
    await client.mergePatch(deployments, deployment, body, { signal: signal() });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  const deadline = clock.monotonic() + TIMEOUT_MS;
  let left = options.leases.map((name) => ({ namespace: deployment.namespace, name }));
  for (;;) {
    const freed = await Promise.all(left.map((key) => deleteIfFree(key, options)));
    left = left.filter((_, i) => freed[i] === false);
    if (left.length === 0) return;
    if (clock.monotonic() >= deadline) break;
    await sleep(clock, POLL_MS, signal());
  }
  for (const key of left) report(`Lease ${keyString(key)} stays: it is held`);
}

/** @returns whether it is gone */
async function deleteIfFree(
  key: ObjectKey,
  { client, clock, signal }: StopOperatorOptions,
): Promise<boolean> {
  try {
    const lease = await client.get(leases, key, { signal: signal() });
    if (isHeld(lease, clock)) return false;
    const { uid = '', resourceVersion = '' } = lease.metadata;
    await client.delete(leases, key, { signal: signal(), preconditions: { uid, resourceVersion } });
    return true;
  } catch (error) {
    if (isNotFound(error)) return true;
    // A pod has acquired it meanwhile.
    if (isConflict(error)) return false;
    throw error;
  }
}

function isHeld({ spec = {} }: Lease, clock: Clock): boolean {
  const { holderIdentity = '', renewTime = '', leaseDurationSeconds = 0 } = spec;
  return holderIdentity !== '' && Date.parse(renewTime) + leaseDurationSeconds * 1000 > clock.now();
}
