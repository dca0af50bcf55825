import { isObject, valueAt } from '../../../../base/json/json-field.ts';
import { type Ipv4Range, parseIpv4Range } from '../model/ipv4-range.ts';
import type { RawDocument } from '../model/raw-document.ts';
import { quoted, RenderingError } from '../model/rendering-error.ts';
import { assertDistinct } from './subnets.ts';

const LIVE_ZONES = 'spec.provider.infrastructureConfig.networks.zones of the Shoot';

/** The zones in the infrastructureConfig of a Shoot. */
export interface LiveZones {
  readonly names: ReadonlySet<string>;
  readonly ranges: readonly Ipv4Range[];
  /** As they are. */
  readonly entries: readonly unknown[];
}

/**
 * @param subnets fields of a zone that are ranges
 * @throws RenderingError if a zone cannot be read, since its subnets must not be given to another one
 */
export function readLiveZones(live: RawDocument, subnets: readonly string[]): LiveZones {
  const entries = valueAt(live, ['networks', 'zones']) ?? [];
  if (!Array.isArray(entries)) throw new RenderingError(LIVE_ZONES, 'it is not a list');
  const names = entries.map((entry, index) => {
    const name = isObject(entry) ? entry.name : undefined;
    if (typeof name !== 'string' && typeof name !== 'number')
      throw new RenderingError(LIVE_ZONES, `zone ${index} has no name`);
    return String(name);
  });
  assertDistinct(names, LIVE_ZONES);
  const ranges = entries.flatMap((entry, index) =>
    subnets.map((subnet) => {
      const text = valueAt(entry, [subnet]);
      const range = typeof text === 'string' ? parseIpv4Range(text) : undefined;
      if (range === undefined)
        throw new RenderingError(
          LIVE_ZONES,
          `${subnet} of zone ${quoted(names[index] ?? '')} is not an IPv4 range`,
        );
      return range;
    }),
  );
  return { names: new Set(names), ranges, entries };
}

/** The document with further zones after those that it has. */
export function withZones(live: RawDocument, zones: readonly unknown[]): RawDocument {
  const { networks } = live;
  return { ...live, networks: { ...(isObject(networks) ? networks : {}), zones } };
}
