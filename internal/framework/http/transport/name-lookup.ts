/**
 * Resolves names that others choose, such as those in Secrets of tenants. `dns.lookup` of Node asks the system in threads, of which two at
 * a time may resolve names: two names whose servers do not respond would hold up all others of the process, for ten seconds and more.
 */

import type { LookupAddress } from 'node:dns';
import { lookup as systemLookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import type { LookupFunction } from 'node:net';
import { trimTrailing } from '../../base/text/text.ts';

export interface NameLookupOptions {
  readonly resolver: Pick<Resolver, 'resolve4' | 'resolve6'>;
  /** For names that only the system knows, or that nobody else can make slow. */
  readonly system: LookupFunction;
  /** In lower case. */
  readonly hosts: ReadonlySet<string>;
}

/**
 * Names that are private by definition (RFC 6761, RFC 6762, ICANN's .internal), or by convention in Kubernetes, whose names may need the
 * search list of the system.
 */
export const localDomains = ['localhost', 'local', 'internal', 'svc', 'cluster.local'];

export function createNameLookup({ resolver, system, hosts }: NameLookupOptions): LookupFunction {
  const isOfSystem = (name: string): boolean =>
    !name.includes('.') || hosts.has(name) || localDomains.some((domain) => name.endsWith(`.${domain}`));
  const addressesOf = async (name: string, family: unknown): Promise<LookupAddress[]> => {
    const [v4, v6] = await Promise.allSettled([
      family === 6 || family === 'IPv6' ? [] : resolver.resolve4(name),
      family === 4 || family === 'IPv4' ? [] : resolver.resolve6(name),
    ]);
    const addresses = [
      ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
      ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
    ];
    if (addresses.length > 0) return addresses;
    throw failureOf(name, [v4, v6]);
  };
  return (hostname, options, callback) => {
    const name = trimTrailing(hostname, '.').toLowerCase();
    if (isOfSystem(name)) return system(hostname, options, callback);
    addressesOf(name, options.family).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all) callback(null, addresses);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };
}

/** As the system says it: that there is no such name, or that this is not known now. */
function failureOf(hostname: string, results: readonly PromiseSettledResult<unknown>[]): Error {
  const isMissing = results.every(
    (result) => result.status === 'fulfilled' || ['ENOTFOUND', 'ENODATA'].includes(result.reason?.code),
  );
  const code = isMissing ? 'ENOTFOUND' : 'EAI_AGAIN';
  const error = new Error(`getaddrinfo ${code} ${hostname}`);
  return Object.assign(error, { code, syscall: 'getaddrinfo', hostname });
}

/** Names of `/etc/hosts`, which the resolver does not read. */
function hostsOfSystem(): ReadonlySet<string> {
  try {
    const lines = readFileSync('/etc/hosts', 'utf8').split('\n');
    return new Set(
      lines.flatMap((line) => line.replace(/#.*/, '').toLowerCase().trim().split(/\s+/).slice(1)),
    );
  } catch {
    return new Set();
  }
}

/** Elsewhere, on machines of developers, the system may have servers for some domains, of which the resolver does not know. */
const hasResolver = process.platform === 'linux';

let shared: LookupFunction | undefined;

/** Of this process. */
export const nameLookup: LookupFunction = (...request) => {
  shared ??= hasResolver
    ? createNameLookup({
        resolver: new Resolver({ timeout: 2000, tries: 2 }),
        system: systemLookup,
        hosts: hostsOfSystem(),
      })
    : systemLookup;
  shared(...request);
};
