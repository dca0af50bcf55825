/** What a provider of infrastructure is, and how zones are added to the document of one. */
import type { ExtensionSchemas } from '../../../../../apis/gardener/kinds.ts';
import { isObject, valueAt } from '../../../../framework/base/index.ts';
import { quoted, type RawDocument, RenderingError } from '../model/extender.ts';
import {
  contains,
  formatRange,
  type Ipv4Range,
  overlaps,
  parseIpv4Prefix,
  parseIpv4Range,
  rangeOf,
  sizeOf,
} from '../model/ipv4-range.ts';

const LIVE_ZONES = 'spec.provider.infrastructureConfig.networks.zones of the Shoot';

/** The zones in the infrastructureConfig of a Shoot. */
export interface LiveZones {
  readonly names: ReadonlySet<string>;
  /** As they are. */
  readonly entries: readonly unknown[];
}

/** @throws RenderingError if a zone has no name, or that of another one */
export function readLiveZones(live: RawDocument): LiveZones {
  const entries = valueAt(live, ['networks', 'zones']) ?? [];
  if (!Array.isArray(entries)) throw new RenderingError(LIVE_ZONES, 'it is not a list');
  const names = entries.map((entry, index) => {
    const name = nameOf(entry);
    if (name === undefined) throw new RenderingError(LIVE_ZONES, `zone ${index} has no name`);
    return name;
  });
  assertDistinct(names, LIVE_ZONES);
  return { names: new Set(names), entries };
}

/**
 * The subnets of the zones.
 *
 * @param subnets fields of a zone that are ranges
 * @throws RenderingError if one cannot be read, since its addresses must not be given to another zone
 */
export const liveRanges = ({ entries }: LiveZones, subnets: readonly string[]): readonly Ipv4Range[] =>
  entries.flatMap((entry) =>
    subnets.map((subnet) => {
      const text = valueAt(entry, [subnet]);
      const range = typeof text === 'string' ? parseIpv4Range(text) : undefined;
      if (range !== undefined) return range;
      const problem = `${subnet} of zone ${quoted(nameOf(entry) ?? '')} is not an IPv4 range`;
      throw new RenderingError(LIVE_ZONES, problem);
    }),
  );

/** Zones have texts as names on AWS, and numbers on Azure. */
function nameOf(zone: unknown): string | undefined {
  const name = isObject(zone) ? zone.name : undefined;
  return typeof name === 'string' || typeof name === 'number' ? String(name) : undefined;
}

/**
 * The document with those of the zones that it does not have, after those that it has.
 *
 * @param make the entries of the added zones; `existing` has others already. None: the zones need none
 * @returns `live` itself if nothing is added
 */
export function withAddedZones(
  live: RawDocument,
  zones: readonly string[],
  make: (added: readonly string[], existing: LiveZones) => readonly unknown[],
): RawDocument {
  const existing = readLiveZones(live);
  const added = zones.filter((zone) => !existing.names.has(zone));
  if (added.length === 0) return live;
  const further = make(added, existing);
  return further.length === 0 ? live : withZones(live, [...existing.entries, ...further]);
}

/** The document with these zones instead of those that it has. */
function withZones(live: RawDocument, zones: readonly unknown[]): RawDocument {
  const { networks } = live;
  return { ...live, networks: { ...(isObject(networks) ? networks : {}), zones } };
}

/** What only some providers know. */
export interface InfrastructureOptions {
  /** Addresses of IPv4 and IPv6. Default false. */
  readonly dualStack?: boolean;
  /** What networks on gdch are a part of. Default: it has no name. */
  readonly parentReference?: ExtensionSchemas['GdchParentReference'];
}

/** What a provider of infrastructure is configured with in a Shoot. */
export interface Infrastructure {
  /**
   * InfrastructureConfig of a new Shoot.
   *
   * @param nodes range of the nodes
   * @throws RenderingError
   */
  create(nodes: string, zones: readonly string[], options?: InfrastructureOptions): RawDocument;
  /**
   * InfrastructureConfig of a Shoot that exists, with further zones. Nothing else changes: zones keep their subnets, and fields of
   * others stay.
   *
   * @param zones of the Runtime; those that the Shoot has already do not count
   * @throws RenderingError
   */
  addZones(live: RawDocument, nodes: string, zones: readonly string[]): RawDocument;
  /** ControlPlaneConfig of a new Shoot. @throws RenderingError */
  controlPlane(zones: readonly string[], options?: InfrastructureOptions): RawDocument;
}

/** Subnets of zones in the range of the nodes. */

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
