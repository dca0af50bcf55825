import type { ExtensionSchemas } from '../../../../../apis/gardener/kinds.ts';
import { quoted, RenderingError, rawDocument } from '../model/extender.ts';
import { formatRange, parseIpv4Prefix, rangeOf, sizeOf } from '../model/ipv4-range.ts';
import { type Infrastructure, readLiveZones } from './infrastructure.ts';

const apiVersion = 'gdch.provider.extensions.gardener.gdc.goog/v1alpha1';

const ZONES = 'spec.shoot.provider.workers.zones';
const NODES = 'spec.shoot.networking.nodes';

/** By the number of zones: bits between the range of the nodes and a subnet. */
const BITS = [0, 0, 1, 2];
const MAX_ZONES = 3;

/** The nodes, cut in as many equal parts as a power of two that has room for the zones. */
function zonesOf(nodes: string, zones: readonly string[]): ExtensionSchemas['GdchZone'][] {
  const prefix = parseIpv4Prefix(nodes);
  if (prefix === undefined)
    throw new RenderingError(NODES, `${quoted(nodes)}: invalid nodeCIDR: must be a parseable IPv4 CIDR`);
  if (zones.length < 1 || zones.length > MAX_ZONES)
    throw new RenderingError(ZONES, `got ${zones.length}: zone count must be between 1 and 3`);
  const repeated = zones.find((zone, index) => zones.indexOf(zone) !== index);
  if (repeated !== undefined)
    throw new RenderingError(ZONES, `${quoted(repeated)} repeated: zone names must be unique`);
  const length = prefix.prefixLength + (BITS[zones.length] ?? 0);
  if (length > 32) {
    const parts = `prefix /${prefix.prefixLength} too small for ${zones.length} zones`;
    throw new RenderingError(NODES, `${parts}: nodeCIDR prefix too small for requested zone count`);
  }
  const { first } = rangeOf(prefix.address, prefix.prefixLength);
  return zones.map((name, index) => ({
    name,
    CIDR: formatRange(rangeOf(first + BigInt(index) * sizeOf(length), length)),
  }));
}

export const gdch: Infrastructure = {
  create: (nodes, zones, { parentReference = { name: '' } } = {}) => {
    const config: ExtensionSchemas['GdchInfrastructureConfig'] = {
      apiVersion,
      kind: 'InfrastructureConfig',
      enableEgress: true,
      networks: {
        nodeCIDR: nodes,
        zones: zonesOf(nodes, zones),
        parentReference,
      },
    };
    return rawDocument(config);
  },
  // The size of a subnet follows from the number of zones, so that those that exist would change.
  addZones: (live, _nodes, zones) => {
    const existing = readLiveZones(live);
    const added = zones.filter((zone) => !existing.names.has(zone));
    if (added.length === 0) return live;
    if (existing.entries.length + added.length > MAX_ZONES) {
      const count = existing.entries.length + added.length;
      throw new RenderingError(ZONES, `got ${count}: zone count must be between 1 and 3`);
    }
    const names = added.map(quoted).join(', ');
    const problem = `zones cannot be added to a Shoot on gdch, since subnets of its zones would change: ${names}`;
    throw new RenderingError(ZONES, problem);
  },
  controlPlane: () => {
    const config: ExtensionSchemas['GdchControlPlaneConfig'] = { apiVersion, kind: 'ControlPlaneConfig' };
    return rawDocument(config);
  },
};
