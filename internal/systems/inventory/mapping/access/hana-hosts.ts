import { createLruCache, textBytes } from '../../../../framework/base/collections/lru-cache.ts';
import type { LimitKeyOption } from '../../../../framework/base/concurrency/limit-key.ts';
import type { CalledHosts, HanaCloud } from '../../hana-cloud/client.ts';

/**
 * Remembers the hosts to which the credentials of a location led last. It gives the limit keys of a reconcile before
 * the reconcile reads the credentials.
 */
export interface HanaHosts {
  /** @param location identifies where the credentials are; equal for resources that share them */
  note(location: string, hosts: CalledHosts): void;
  /** The limit keys of a reconcile: the hosts, or the location itself while the hosts are unknown. */
  limitKeysOf(location: string): readonly LimitKeyOption[];
}

/** About 10,000 locations. An evicted location counts as new. */
const MAX_BYTES = 4 * 1024 * 1024;

export function createHanaHosts(hanaCloud: Pick<HanaCloud, 'limitKeysOf'>): HanaHosts {
  const known = createLruCache<string, CalledHosts>({
    maxBytes: MAX_BYTES,
    bytesOf: ({ credentialsID, baseUrl, tokenUrl }) => textBytes(credentialsID + baseUrl + tokenUrl),
  });
  return {
    note: (location, hosts) => void known.set(location, hosts),
    limitKeysOf: (location) => {
      const hosts = known.get(location);
      return hosts === undefined ? [{ name: `credentials ${location}` }] : hanaCloud.limitKeysOf(hosts);
    },
  };
}
