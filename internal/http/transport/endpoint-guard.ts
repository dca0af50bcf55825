/**
 * Credentials come from Secrets that others write. An endpoint in them must not turn the provider into a way to
 * reach what only it can reach: its own loopback, the pod network, the cloud's metadata service.
 */

import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { ProviderError } from '../../base/errors/errors.ts';
import { trimTrailing } from '../../base/text/text.ts';

/** The credentials name an endpoint that must not be called: loopback, private, link-local and the like. Kind `auth`. */
export class EndpointRefusedError extends ProviderError {
  constructor(message: string) {
    super('auth', message);
  }
}

/**
 * Public by its range, yet it is the WireServer of Azure's virtual machines. Other clouds' metadata services lie in
 * ranges that are refused anyway.
 */
const refusedAddresses: ReadonlySet<string> = new Set(['168.63.129.16']);

/** Names that are private by definition (RFC 6761, RFC 6762, ICANN's .internal), or by convention in Kubernetes. */
const refusedDomains = ['localhost', 'local', 'internal', 'svc', 'cluster.local'];

/**
 * Why `url` must not be called, or undefined. Sees what the URL itself says: an address in any notation, since URL
 * normalises octal and hexadecimal ones, or a name that is private by definition. What other names resolve to is
 * checked by `guardedLookup`; a proxy resolves names itself, and nothing checks them there.
 */
export function refusalOf(url: URL): string | undefined {
  const host = trimTrailing(url.hostname.replace(/^\[|\]$/g, ''), '.').toLowerCase();
  if (url.protocol !== 'https:') return `${url.protocol}// is not https`;
  if (ipaddr.isValid(host)) return refusalOfAddress(host);
  const refused = refusedDomains.some((domain) => host === domain || host.endsWith(`.${domain}`));
  return refused ? `${host} is a private name` : undefined;
}

/** Why `address` must not be called, or undefined if it is a public unicast address. */
function refusalOfAddress(address: string): string | undefined {
  if (!ipaddr.isValid(address)) return `${address} is not an address`;
  const parsed = withoutWrapping(ipaddr.process(address));
  const range = refusedAddresses.has(parsed.toString()) ? 'metadata service' : parsed.range();
  return range === 'unicast' ? undefined : `${address} is a ${rangeNames[range] ?? range} address`;
}

const rangeNames: Readonly<Record<string, string>> = {
  linkLocal: 'link-local',
  uniqueLocal: 'private',
  carrierGradeNat: 'carrier-grade NAT',
};

/** On IPv6-only clusters, DNS64 gives public IPv4 hosts as 64:ff9b::/96 addresses; the IPv4 part decides. */
function withoutWrapping(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (address.kind() === 'ipv4' || address.range() !== 'rfc6052') return address;
  return new ipaddr.IPv4(address.toByteArray().slice(12));
}

/** @throws EndpointRefusedError */
export function assertPublicEndpoint(url: URL, field: string): void {
  const refusal = refusalOf(url);
  if (refusal === undefined) return;
  throw new EndpointRefusedError(
    `${field} of the credentials is refused: ${refusal} (--allow-private-endpoints permits it)`,
  );
}

/**
 * A name resolution for connections that refuses a name as soon as one of its addresses is not public. It runs at
 * the time of the connection, on the addresses that the connection then uses, so that a name which changes its
 * address between check and use (DNS rebinding) gains nothing. Addresses are not resolved: `refusalOf` checks those.
 */
export function guardedLookup(lookup: LookupFunction = systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, answer, family) => {
      if (error) {
        callback(error, '', 0);
        return;
      }
      const addresses = Array.isArray(answer) ? answer : [{ address: answer, family: family ?? 0 }];
      const refusal = addresses
        .map(({ address }) => refusalOfAddress(address))
        .find((why) => why !== undefined);
      const [first] = addresses;
      if (refusal !== undefined || first === undefined) {
        const why = refusal ?? 'it has no address';
        callback(
          new EndpointRefusedError(
            `host ${hostname} is refused: ${why} (--allow-private-endpoints permits it)`,
          ),
          '',
          0,
        );
      } else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}
