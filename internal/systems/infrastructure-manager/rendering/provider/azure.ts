import type { ExtensionSchemas } from '../../../../../apis/gardener/kinds.ts';
import { quoted, RenderingError, rawDocument } from '../model/extender.ts';
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

const apiVersion = 'azure.provider.extensions.gardener.cloud/v1alpha1';

const ZONES = 'spec.shoot.provider.workers.zones';

const REFUSALS = {
  tooShort: 'CIDR prefix length must be bigger than or equal to 16',
  tooLong: 'CIDR prefix length must be less than or equal to 24',
};

/** In minutes; the least that Azure allows. */
const IDLE_TIMEOUT = 4;

const subnetsAt = ({ base, prefixLength, size }: NodesRange, position: number) => ({
  cidr: rangeOf(base + BigInt(position) * size, prefixLength),
});

type Zone = ExtensionSchemas['AzureZone'];

function newZones(
  range: NodesRange,
  zones: readonly string[],
  existing: Parameters<typeof placeZones>[3],
): Zone[] {
  const names = zones.map(numberOf);
  const subnets = placeZones(zones, range, (position) => subnetsAt(range, position), existing);
  return subnets.map(({ cidr }, index) => ({
    name: names[index] ?? 0,
    cidr,
    natGateway: { enabled: true, idleConnectionTimeoutMinutes: IDLE_TIMEOUT },
  }));
}

function numberOf(zone: string): number {
  if (!/^[1-8]$/.test(zone))
    throw new RenderingError(ZONES, `zone name ${quoted(zone)} is not valid, must be between 1 and 8`);
  return Number(zone);
}

function assertCount(count: number): void {
  if (count > MAX_ZONES)
    throw new RenderingError(ZONES, 'Number of networking zones must be between 0 and 8');
}

export const azure: Infrastructure = {
  create: (nodes, zones) => {
    assertCount(zones.length);
    assertDistinct(zones, ZONES);
    const range = parseNodes(nodes, REFUSALS);
    const config: ExtensionSchemas['AzureInfrastructureConfig'] = {
      apiVersion,
      kind: 'InfrastructureConfig',
      zoned: zones.length > 0,
      networks: {
        vnet: { cidr: nodes },
        ...(zones.length === 0 ? {} : { zones: newZones(range, zones, []) }),
      },
    };
    return rawDocument(config);
  },
  addZones: (live, nodes, zones) =>
    withAddedZones(live, zones, (added, existing) => {
      // One subnet for all: zones of nodes need none of their own, and Azure cannot change it.
      if (existing.entries.length === 0) return [];
      assertCount(existing.entries.length + added.length);
      return newZones(parseNodes(nodes, REFUSALS), added, liveRanges(existing, ['cidr'])).map(rawDocument);
    }),
  controlPlane: () => {
    const config: ExtensionSchemas['AzureControlPlaneConfig'] = { apiVersion, kind: 'ControlPlaneConfig' };
    return rawDocument(config);
  },
};
