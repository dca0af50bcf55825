/** Subnets of zones in the range of the nodes. */

import { quoted, RenderingError } from '../model/extender.ts';
import {
  contains,
  formatRange,
  type Ipv4Range,
  overlaps,
  parseIpv4Prefix,
  rangeOf,
  sizeOf,
} from '../model/ipv4-range.ts';

const NODES = 'spec.shoot.networking.nodes';

/** Of AWS and of Azure; both the number of zones and that of positions in the range of the nodes. */
export const MAX_ZONES = 8;

/** Bits between the range of the nodes and a subnet of one zone. */
const ZONE_BITS = 3;

/** The range of the nodes, cut in eight. */
export interface NodesRange {
  readonly whole: Ipv4Range;
  /** Of the first eighth. */
  readonly base: bigint;
  /** Of an eighth. */
  readonly prefixLength: number;
  /** Addresses of an eighth. */
  readonly size: bigint;
}

/** @param refusals of a prefix that is shorter than 16 or longer than 24 @throws RenderingError */
export function parseNodes(
  nodes: string,
  refusals: { readonly tooShort: string; readonly tooLong: string },
): NodesRange {
  const prefix = parseIpv4Prefix(nodes);
  if (prefix === undefined)
    throw new RenderingError(NODES, `${quoted(nodes)} is not an IPv4 range such as 10.250.0.0/16`);
  if (prefix.prefixLength < 16) throw new RenderingError(NODES, refusals.tooShort);
  if (prefix.prefixLength > 24) throw new RenderingError(NODES, refusals.tooLong);
  const prefixLength = prefix.prefixLength + ZONE_BITS;
  return {
    whole: rangeOf(prefix.address, prefix.prefixLength),
    base: rangeOf(prefix.address, prefixLength).first,
    prefixLength,
    size: sizeOf(prefixLength),
  };
}

/**
 * The subnets of each new zone: those of the first position, from 0 to 7, that neither an existing zone nor an earlier new one uses.
 *
 * @param subnetsAt of a position
 * @throws RenderingError if the range of the nodes is used up
 */
export function placeZones<Subnets extends Readonly<Record<string, Ipv4Range>>>(
  zones: readonly string[],
  nodes: NodesRange,
  subnetsAt: (position: number) => Subnets,
  existing: readonly Ipv4Range[],
): { readonly [K in keyof Subnets]: string }[] {
  let position = 0;
  const next = (zone: string): Subnets => {
    for (; position < MAX_ZONES; position++) {
      const subnets = subnetsAt(position);
      const ranges = Object.values(subnets);
      if (ranges.some((range) => existing.some((other) => overlaps(range, other)))) continue;
      const outside = ranges.find((range) => !contains(nodes.whole, range));
      if (outside !== undefined) {
        const [subnet, whole] = [formatRange(outside), formatRange(nodes.whole)];
        const problem = `calculated subnet CIDR ${subnet} is not contained in main worker CIDR ${whole}`;
        throw new RenderingError(NODES, problem);
      }
      position++;
      return subnets;
    }
    throw new RenderingError(NODES, `it has no free subnet for zone ${quoted(zone)}`);
  };
  return zones.map((zone) => {
    const entries = Object.entries(next(zone)).map(([name, range]) => [name, formatRange(range)]);
    return Object.fromEntries(entries) as { readonly [K in keyof Subnets]: string };
  });
}

/** @throws RenderingError */
export function assertDistinct(zones: readonly string[], field: string): void {
  const names = new Set<string>();
  for (const zone of zones) {
    if (names.has(zone)) throw new RenderingError(field, `zone name ${quoted(zone)} is duplicated`);
    names.add(zone);
  }
}
