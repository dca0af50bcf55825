import type { ExtensionSchemas } from '../../../../../apis/gardener/kinds.ts';
import { RenderingError, rawDocument } from '../model/extender.ts';
import { rangeOf } from '../model/ipv4-range.ts';
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

const apiVersion = 'alicloud.provider.extensions.gardener.cloud/v1alpha1';

const ZONES = 'spec.shoot.provider.workers.zones';

const REFUSALS = {
  tooShort: 'CIDR prefix length must be bigger than or equal to 16',
  tooLong: 'CIDR prefix length must be less than or equal to 24',
};

/** Each zone has an eighth of the nodes. */
const subnetsAt = ({ base, prefixLength, size }: NodesRange, position: number) => ({
  workers: rangeOf(base + BigInt(position) * size, prefixLength),
});

function assertCount(count: number): void {
  if (count > MAX_ZONES)
    throw new RenderingError(ZONES, 'Number of networking zones must be between 0 and 8');
}

function newZones(nodes: string, zones: readonly string[], taken: Parameters<typeof placeZones>[3]) {
  const range = parseNodes(nodes, REFUSALS);
  const subnets = placeZones(zones, range, (position) => subnetsAt(range, position), taken);
  return subnets.map(({ workers }, index) => ({ name: zones[index] ?? '', workers }));
}

export const alicloud: Infrastructure = {
  create: (nodes, zones) => {
    assertCount(zones.length);
    assertDistinct(zones, ZONES);
    const config: ExtensionSchemas['AlicloudInfrastructureConfig'] = {
      apiVersion,
      kind: 'InfrastructureConfig',
      networks: { vpc: { cidr: nodes }, zones: newZones(nodes, zones, []) },
    };
    return rawDocument(config);
  },
  addZones: (live, nodes, zones) =>
    withAddedZones(live, zones, (added, existing) => {
      assertCount(existing.entries.length + added.length);
      return newZones(nodes, added, liveRanges(existing, ['workers'])).map(rawDocument);
    }),
  controlPlane: () => {
    const config: ExtensionSchemas['AlicloudControlPlaneConfig'] = { apiVersion, kind: 'ControlPlaneConfig' };
    return rawDocument(config);
  },
};
