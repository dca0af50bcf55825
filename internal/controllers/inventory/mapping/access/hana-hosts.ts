import { createLruCache, textBytes } from '../../../../base/collections/lru-cache.ts';
import type { LimitKeyOption } from '../../../../base/concurrency/limit-key.ts';
import type { CalledHosts, HanaCloud } from '../../../../clients/hana-cloud/client.ts';

/**
 * Which hosts the credentials of a place led to last. So the limit keys of a reconcile are known before it reads the
 * credentials.
 */
export interface HanaHosts {
  /** @param location names where credentials lie; equal for resources that share them */
  note(location: string, hosts: CalledHosts): void;
  /** The limit keys of reconciles with credentials of this location: its hosts, or the location itself while they are unknown. */
  limitKeysOf(location: string): readonly LimitKeyOption[];
}

/** Of what is remembered, about 10,000 places. One that is forgotten counts as new, nothing else. */
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
