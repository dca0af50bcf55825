import type { ExtensionSchemas } from '../../../../../apis/gardener/kinds.ts';
import { RenderingError, rawDocument } from '../model/extender.ts';
import { rangeOf, sizeOf } from '../model/ipv4-range.ts';
import {
  assertDistinct,
  type Infrastructure,
  liveRanges,
  MAX_ZONES,
  type NodesRange,
  parseNodes,
  placeZones,
  withAddedZones,
} from './infrastructure.ts';

const apiVersion = 'aws.provider.extensions.gardener.cloud/v1alpha1';

const ZONES = 'spec.shoot.provider.workers.zones';

const PREFIX_LENGTH = 'CIDR prefix length must be between 16 and 24';
const REFUSALS = { tooShort: PREFIX_LENGTH, tooLong: PREFIX_LENGTH };

/** Zones of the main worker pool at most; later zones get smaller subnets. */
const BIG_ZONES = 3;

/**
 * The subnets of a zone by its position. Each of the first three has a quarter of the nodes: half of it for workers, a quarter each
 * for public and internal load balancers. The last quarter has the others, with three equal subnets each.
 */
function subnetsAt({ base, prefixLength, size }: NodesRange, position: number) {
  if (position < BIG_ZONES) {
    const start = base + BigInt(position) * 2n * size;
    return {
      workers: rangeOf(start, prefixLength),
      public: rangeOf(start + size, prefixLength + 1),
      internal: rangeOf(start + size + size / 2n, prefixLength + 1),
    };
  }
  const smaller = prefixLength + 3;
  const step = sizeOf(smaller);
  const start = base + BigInt(BIG_ZONES) * 2n * size + BigInt(position - BIG_ZONES) * 3n * step;
  return {
    workers: rangeOf(start, smaller),
    public: rangeOf(start + step, smaller),
    internal: rangeOf(start + 2n * step, smaller),
  };
}

const SUBNETS = ['workers', 'public', 'internal'] as const;

function assertCount(count: number): void {
  if (count < 1 || count > MAX_ZONES)
    throw new RenderingError(ZONES, 'Number of networking zones must be between 1 and 8');
}

export const aws: Infrastructure = {
  create: (nodes, zones, { dualStack = false } = {}) => {
    assertCount(zones.length);
    assertDistinct(zones, ZONES);
    const range = parseNodes(nodes, REFUSALS);
    const subnets = placeZones(zones, range, (position) => subnetsAt(range, position), []);
    const config: ExtensionSchemas['AwsInfrastructureConfig'] = {
      apiVersion,
      kind: 'InfrastructureConfig',
      ...(dualStack ? { dualStack: { enabled: true } } : {}),
      networks: {
        vpc: { cidr: nodes },
        zones: subnets.map((each, index) => ({ name: zones[index] ?? '', ...each })),
      },
    };
    return rawDocument(config);
  },
  addZones: (live, nodes, zones) =>
    withAddedZones(live, zones, (added, existing) => {
      assertCount(existing.entries.length + added.length);
      const range = parseNodes(nodes, REFUSALS);
      const taken = liveRanges(existing, SUBNETS);
      const subnets = placeZones(added, range, (position) => subnetsAt(range, position), taken);
      return subnets.map((each, index) => rawDocument({ name: added[index], ...each }));
    }),
  controlPlane: (_zones, { dualStack = false } = {}) => {
    const config: ExtensionSchemas['AwsControlPlaneConfig'] = {
      apiVersion,
      kind: 'ControlPlaneConfig',
      ...(dualStack ? { loadBalancerController: { enabled: true } } : {}),
    };
    return rawDocument(config);
  },
};
