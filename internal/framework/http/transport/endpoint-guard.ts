/**
 * Protection against server-side request forgery. Endpoints come from untrusted Secrets. They must not make the provider
 * call its own loopback, the pod network or the metadata service of the cloud.
 */

import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { ProviderError } from '../../base/errors/errors.ts';
import { trimTrailing } from '../../base/text/text.ts';
import { localDomains, nameLookup } from './name-lookup.ts';

/** The credentials contain a refused endpoint, such as loopback, private or link-local. Kind `auth`. */
export class EndpointRefusedError extends ProviderError {
  constructor(message: string) {
    super('auth', message);
  }
}

/**
 * The WireServer of Azure's virtual machines, which has a public address. Metadata services of other clouds are in refused
 * ranges.
 */
const refusedAddresses: ReadonlySet<string> = new Set(['168.63.129.16']);

/** Which addresses are accepted: `public` ones, or also `private` ones, but none of this machine or its link. */
export type EndpointScope = 'public' | 'private';

/** Ranges that are private, and not local. */
const privateRanges: ReadonlySet<string> = new Set(['private', 'uniqueLocal', 'carrierGradeNat']);
/** Metadata services in private ranges. */
const privateMetadata: ReadonlySet<string> = new Set(['fd00:ec2::254', '100.100.100.200']);

/**
 * Why `url` is refused, or undefined. Checks an address in any notation, since URL normalises octal and hexadecimal ones,
 * and names that are private by definition. `guardedLookup` checks the addresses of other names. Names that a proxy
 * resolves are not checked.
 */
export function refusalOf(url: URL, scope: EndpointScope = 'public'): string | undefined {
  const host = trimTrailing(url.hostname.replace(/^\[|\]$/g, ''), '.').toLowerCase();
  if (url.protocol !== 'https:') return `${url.protocol}// is not https`;
  if (ipaddr.isValid(host)) return refusalOfAddress(host, scope);
  const domains = scope === 'public' ? localDomains : ['localhost'];
  const refused = domains.some((domain) => host === domain || host.endsWith(`.${domain}`));
  return refused ? `${host} is a private name` : undefined;
}

/** Why `address` is refused, or undefined. */
function refusalOfAddress(address: string, scope: EndpointScope): string | undefined {
  if (!ipaddr.isValid(address)) return `${address} is not an address`;
  const parsed = withoutWrapping(ipaddr.process(address));
  const name = parsed.toString();
  const isMetadata = refusedAddresses.has(name) || privateMetadata.has(name);
  const range = isMetadata ? 'metadata service' : parsed.range();
  const isAccepted = range === 'unicast' || (scope === 'private' && privateRanges.has(range));
  return isAccepted ? undefined : `${address} is a ${rangeNames[range] ?? range} address`;
}

const rangeNames: Readonly<Record<string, string>> = {
  linkLocal: 'link-local',
  uniqueLocal: 'private',
  carrierGradeNat: 'carrier-grade NAT',
};

/** Bytes before an IPv4 address at the end. */
const wrappings: readonly (readonly number[])[] = [
  [0x00, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0],
  [0x00, 0x64, 0xff, 0x9b, 0, 1, 0, 0, 0, 0, 0, 0],
  // IPv4-compatible addresses, which nothing uses any more (RFC 4291, section 2.5.5.1).
  [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
];

/**
 * On IPv6-only clusters, DNS64 maps public IPv4 addresses to 64:ff9b::/96 or 64:ff9b:1::/96 (RFC 6052, RFC 8215); the IPv4 part is
 * checked. Others below 64:ff9b:1::/48 may have the IPv4 address further in front, and are refused.
 */
function withoutWrapping(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (address.kind() === 'ipv4' || !['rfc6052', 'unicast'].includes(address.range())) return address;
  const bytes = address.toByteArray();
  const isWrapped = wrappings.some((prefix) => prefix.every((byte, index) => bytes[index] === byte));
  return isWrapped ? new ipaddr.IPv4(bytes.slice(12)) : address;
}

/** @throws EndpointRefusedError */
export function assertPublicEndpoint(url: URL, field: string): void {
  const refusal = refusalOf(url);
  if (refusal === undefined) return;
  throw new EndpointRefusedError(
    `${field} of the credentials is refused: ${refusal} (ALLOW_PRIVATE_ENDPOINTS=true in the environment of the provider permits it)`,
  );
}

/**
 * A lookup function that refuses a name if one of its addresses is not accepted. It checks the addresses that the connection
 * uses, which prevents DNS rebinding. Addresses in URLs are not resolved; `refusalOf` checks them.
 */
export function guardedLookup(
  lookup: LookupFunction = nameLookup,
  scope: EndpointScope = 'public',
): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, answer, family) => {
      if (error) {
        callback(error, '', 0);
        return;
      }
      const addresses = Array.isArray(answer) ? answer : [{ address: answer, family: family ?? 0 }];
      const refusal = addresses
        .map(({ address }) => refusalOfAddress(address, scope))
        .find((why) => why !== undefined);
      const [first] = addresses;
      if (refusal !== undefined || first === undefined) {
        const why = refusal ?? 'it has no address';
        callback(
          new EndpointRefusedError(
            `host ${hostname} is refused: ${why} (ALLOW_PRIVATE_ENDPOINTS=true in the environment of the provider permits it)`,
          ),
          '',
          0,
        );
      } else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}
