import { createLruCache } from '../../base/collections/lru-cache.ts';

/**
 * Slots of each host for reconciles. A host has few at first, one more for each of its responses that is no server error, and
 * few again after a call without a response in time or with a late error. So a host that is unknown, or that fails
 * slowly, holds few workers, and one that responds has all its slots after a few round trips.
 */
export interface HostSlots {
  /** @param host as in URLs, with a port */
  of(host: string): number;
  succeeded(host: string): void;
  failedSlowly(host: string): void;
}

/** Slots of a host that has not responded yet. Some exceed the calls in flight, since reconciles share lists. */
export const FIRST_SLOTS = 4;
/** Memory for about 4,000 hosts. An evicted host counts as new. */
const MAX_BYTES = 1024 * 1024;

/**
 * @param max slots of a host that responds; at least `FIRST_SLOTS`
 * @param onGrown called when a host has more slots
 */
export function createHostSlots(max: number, onGrown: (host: string) => void = () => undefined): HostSlots {
  const grown = createLruCache<string, number>({ maxBytes: MAX_BYTES });
  const of = (host: string) => grown.get(host) ?? FIRST_SLOTS;
  return {
    of,
    succeeded: (host) => {
      const before = of(host);
      if (before >= max) return;
      grown.set(host, before + 1);
      onGrown(host);
    },
    failedSlowly: (host) => void grown.delete(host),
  };
}
