import { createLruCache, textBytes } from '../../base/collections/lru-cache.ts';
import type { LimitKeyOption } from '../../base/concurrency/limit-key.ts';
import type { ApiSessions } from './api-sessions.ts';
import type { CalledHosts } from './called-hosts.ts';

/**
 * Remembers the hosts to which the credentials of a location led last. It gives the limit keys of a reconcile before
 * the reconcile reads the credentials.
 */
export interface KnownHosts {
  /** @param location identifies where the credentials are; equal for resources that share them */
  note(location: string, hosts: CalledHosts): void;
  /** The limit keys of a reconcile: the hosts, or the location itself while the hosts are unknown. */
  limitKeysOf(location: string): readonly LimitKeyOption[];
}

/** About 10,000 locations. An evicted location counts as new. */
const MAX_BYTES = 4 * 1024 * 1024;

export function createKnownHosts(sessions: Pick<ApiSessions, 'limitKeysOf'>): KnownHosts {
  const known = createLruCache<string, CalledHosts>({
    maxBytes: MAX_BYTES,
    bytesOf: ({ credentialsID, baseUrl, tokenUrl }) => textBytes(credentialsID + baseUrl + tokenUrl),
  });
  return {
    note: (location, hosts) => void known.set(location, hosts),
    limitKeysOf: (location) => {
      const hosts = known.get(location);
      return hosts === undefined ? [{ name: `credentials ${location}` }] : sessions.limitKeysOf(hosts);
    },
  };
}
