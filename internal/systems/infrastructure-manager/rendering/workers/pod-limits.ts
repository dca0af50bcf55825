import type { Worker } from '../../../../../apis/gardener/kinds.ts';
import { parseIpv4Prefix } from '../model/ipv4-range.ts';
import { RenderingError } from '../model/rendering-error.ts';

/** Addresses of a node: each has a range of 256. */
const MAX_PODS = 254;
const PODS = 'spec.shoot.networking.pods';
const MAX_INT32 = 2 ** 31 - 1;

const podsOf = ({ kubernetes }: Worker): number | undefined => kubernetes?.kubelet?.maxPods;

const withPods = (worker: Worker, maxPods: number): Worker =>
  maxPods === podsOf(worker)
    ? worker
    : {
        ...worker,
        kubernetes: { ...worker.kubernetes, kubelet: { ...worker.kubernetes?.kubelet, maxPods } },
      };

/** The pools, whose limits of pods fit the addresses of a node and, one node of each together, those of the Shoot. */
export function limitPods(workers: readonly Worker[], pods: string): Worker[] {
  const limited = workers.map((worker) => {
    const own = podsOf(worker);
    return own === undefined ? worker : withPods(worker, Math.min(own, MAX_PODS));
  });
  const isLimited = limited.some((worker) => podsOf(worker) !== undefined);
  return pods === '' || !isLimited ? limited : limitSum(limited, addressesOf(pods));
}

/** Cuts the limits of the last pools first, to one at least. */
export function limitSum(workers: readonly Worker[], total: number): Worker[] {
  const limited = workers.filter((worker) => podsOf(worker) !== undefined);
  if (limited.length > total) {
    const pools = `${limited.length} workers with maxPods set (minimum 1 each)`;
    const problem = `maxPods clamping: cannot satisfy maxPods constraint: ${pools} exceed totalIPs ${total}`;
    throw new RenderingError(PODS, problem);
  }
  let excess = limited.reduce((sum, worker) => sum + (podsOf(worker) ?? 0), 0) - total;
  return workers
    .toReversed()
    .map((worker) => {
      const own = podsOf(worker);
      if (own === undefined || excess <= 0) return worker;
      const kept = Math.max(1, own - excess);
      excess -= own - kept;
      return withPods(worker, kept);
    })
    .toReversed();
}

/** Usable addresses of the range. @throws RenderingError */
export function addressesOf(pods: string): number {
  const prefix = parseIpv4Prefix(pods);
  const length = prefix?.prefixLength ?? 0;
  if (prefix === undefined || length < 2)
    throw new RenderingError(PODS, `invalid pods CIDR for maxPods calculation: ${pods.slice(0, 64)}`);
  if (length >= 31) return length === 32 ? 1 : 2;
  return Math.min(2 ** (32 - length) - 2, MAX_INT32);
}
