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
import { systemClock } from '../../base/time/clock.ts';

export interface NameLookupOptions {
  readonly resolver: Pick<Resolver, 'resolve4' | 'resolve6'>;
  /** For the names of this machine and of its cluster, whose servers no tenant chooses. */
  readonly system: LookupFunction;
  /** In lower case. */
  readonly hosts: ReadonlySet<string>;
  readonly search: SearchList;
  /** How long the addresses of one family wait for an answer about the other, in ms. Default 1 s. */
  readonly otherFamilyMs?: number;
}

/** Longer than a server needs that makes addresses of the other family (DNS64), shorter than the time for a connection. */
const OTHER_FAMILY_MS = 1000;

/** Of `resolv.conf`. */
export interface SearchList {
  readonly domains: readonly string[];
  /** A name with fewer dots is looked for in the domains first, as `service.namespace` in a pod. */
  readonly ndots: number;
}

/**
 * Names that are private by definition (RFC 6761, RFC 6762, ICANN's .internal), or by convention in Kubernetes, whose names may need the
 * search list of the system.
 */
export const localDomains = ['localhost', 'local', 'internal', 'svc', 'cluster.local'];

export function createNameLookup(options: NameLookupOptions): LookupFunction {
  const { resolver, system, hosts, search, otherFamilyMs = OTHER_FAMILY_MS } = options;
  const isOfSystem = (name: string): boolean =>
    !name.includes('.') || hosts.has(name) || localDomains.some((domain) => name.endsWith(`.${domain}`));
  const resolve = async (name: string, family: unknown): Promise<LookupAddress[] | NodeJS.ErrnoException> => {
    const [v4, v6] = await answersOf(
      [
        family === 6 || family === 'IPv6' ? [] : resolver.resolve4(name),
        family === 4 || family === 'IPv4' ? [] : resolver.resolve6(name),
      ],
      otherFamilyMs,
    );
    const addresses = [
      ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
      ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
    ];
    return addresses.length > 0 ? addresses : failureOf(name, [v4, v6]);
  };
  const addressesOf = async (
    name: string,
    family: unknown,
    isAbsolute: boolean,
  ): Promise<LookupAddress[]> => {
    let unknown: NodeJS.ErrnoException | undefined;
    let missing: NodeJS.ErrnoException | undefined;
    for (const candidate of isAbsolute ? [name] : candidatesOf(name, search)) {
      const found = await resolve(candidate, family);
      if (Array.isArray(found)) return found;
      if (found.code === 'ENOTFOUND') missing ??= found;
      else unknown ??= found;
    }
    throw errorFor(name, (unknown ?? missing)?.code ?? 'ENOTFOUND');
  };
  return (hostname, options, callback) => {
    const name = trimTrailing(hostname, '.').toLowerCase();
    if (isOfSystem(name)) return system(hostname, options, callback);
    addressesOf(name, options.family, hostname.endsWith('.')).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all) callback(null, addresses);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };
}

type Answer = PromiseSettledResult<readonly string[]>;

/**
 * The answers about both families. Networks lose one of two questions that are asked at the same time, and some servers never answer about
 * IPv6: once there are addresses, the other answer counts only if it comes within `patienceMs`, as in RFC 8305, section 3.
 */
async function answersOf(
  questions: readonly [Promise<string[]> | string[], Promise<string[]> | string[]],
  patienceMs: number,
): Promise<readonly [Answer, Answer]> {
  const answers: [Answer, Answer] = [NONE, NONE];
  const known = questions.map(async (question, index) => {
    const [answer = NONE] = await Promise.allSettled([question]);
    answers[index] = answer;
    return answer.status === 'fulfilled' && answer.value.length > 0;
  });
  const isFound = await Promise.any(known.map(async (found) => (await found) || Promise.reject())).then(
    () => true,
    () => false,
  );
  if (isFound) {
    const patience = Promise.withResolvers<void>();
    const cancel = systemClock.after(patienceMs, patience.resolve);
    await Promise.race([Promise.all(known), patience.promise]);
    cancel();
  }
  return answers;
}

const NONE: Answer = { status: 'fulfilled', value: [] };

/** In the order in which the system asks for them (resolv.conf(5)). */
function candidatesOf(name: string, { domains, ndots }: SearchList): readonly string[] {
  const searched = domains.map((domain) => `${name}.${domain}`);
  return name.split('.').length - 1 < ndots ? [...searched, name] : [name, ...searched];
}

function failureOf(name: string, results: readonly PromiseSettledResult<unknown>[]): NodeJS.ErrnoException {
  const isMissing = results.every(
    (result) => result.status === 'fulfilled' || ['ENOTFOUND', 'ENODATA'].includes(result.reason?.code),
  );
  return errorFor(name, isMissing ? 'ENOTFOUND' : 'EAI_AGAIN');
}

/** As the system says it: that there is no such name, or that this is not known now. */
const errorFor = (hostname: string, code: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`getaddrinfo ${code} ${hostname}`), { code, syscall: 'getaddrinfo', hostname });

/** Of the last line of each kind, as the system reads it. */
export function searchListOf(resolvConf: string): SearchList {
  let domains: readonly string[] = [];
  let ndots = 1;
  for (const line of resolvConf.split('\n')) {
    const [keyword, ...values] = line.trim().split(/\s+/);
    if (keyword === 'search' || keyword === 'domain')
      domains = values.map((domain) => trimTrailing(domain, '.')).filter((domain) => domain !== '');
    const given = keyword === 'options' ? values.find((value) => /^ndots:\d+$/.test(value)) : undefined;
    if (given !== undefined) ndots = Math.min(Number(given.slice('ndots:'.length)), 15);
  }
  return { domains, ndots };
}

function searchListOfSystem(): SearchList {
  try {
    return searchListOf(readFileSync('/etc/resolv.conf', 'utf8'));
  } catch {
    return { domains: [], ndots: 1 };
  }
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
        search: searchListOfSystem(),
      })
    : systemLookup;
  shared(...request);
};
