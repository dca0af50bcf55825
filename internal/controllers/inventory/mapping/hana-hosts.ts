import { createLruCache, textBytes } from '../../../base/lru-cache.ts';

/**
 * Which HANA Cloud host the credentials of a place led to last. What a pass will depend on is thereby known before the
 * credentials are read, so that a host which swallows calls cannot take all workers.
 */
export interface HanaHosts {
  /** @param place names where credentials lie; equal for resources that share them */
  note(place: string, baseUrl: string): void;
  /** The lane of passes with credentials of this place; those whose host is not known yet share one. */
  laneOf(place: string): string;
}

/** Of what is remembered, about 10,000 places. One that is forgotten counts as new, nothing else. */
const MAX_BYTES = 4 * 1024 * 1024;

export function createHanaHosts(): HanaHosts {
  const hosts = createLruCache<string, string>({ maxBytes: MAX_BYTES, bytesOf: textBytes });
  return {
    note: (place, baseUrl) => void hosts.set(place, new URL(baseUrl).host),
    laneOf: (place) => `HANA Cloud ${hosts.get(place) ?? 'hosts that are not known yet'}`,
  };
}
