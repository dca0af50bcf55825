import type { JsonLimits } from '../../base/json/json-text.ts';

/** Whether the API server is believed. `hostile`: a Secret of a tenant names it. */
export type Trust = 'trusted' | 'hostile';

/** What one API server may cost this process. */
export interface ClusterLimits {
  /** Calls in flight; further ones wait. */
  readonly connections: number;
  /** A connection without a call is closed after this, whatever longer time the server offers, in ms; default: 60 s. */
  readonly keepAliveMs?: number;
  /** What is received of a watch before it is read, in bytes; default: 64 KiB. */
  readonly watchBufferBytes?: number;
  /** Longer responses are errors. */
  readonly maxResponseBytes: number;
  /** The same for one event of a watch. */
  readonly maxWatchLineBytes: number;
  /**
   * What all watches together receive is read at this rate; absent: at any. A server with more to send waits. Attempts to watch, and polls
   * of what cannot be watched, count as data.
   */
  readonly watchRate?: { readonly bytesPerSecond: number; readonly burstBytes: number };
  /** Responses and events that exceed these are errors; absent: none. */
  readonly jsonLimits?: Omit<JsonLimits, 'maxLength'>;
  /** Memory for the names that object watches report; absent: no bound. */
  readonly maxNameBytes?: number;
}

const MIB = 1024 * 1024;

/**
 * `hostile` is for a hundred clusters with 100 KiB for each connection, whose objects have a few KiB, and about 10,000 names.
 * Eight connections are enough for hundreds of calls a second, even between continents. The burst of watches is enough for all
 * names at their start, the rate for 300 changes a second.
 */
export const CLUSTER_LIMITS: Readonly<Record<Trust, ClusterLimits>> = {
  trusted: { connections: 32, maxResponseBytes: 64 * MIB, maxWatchLineBytes: 64 * MIB },
  hostile: {
    connections: 8,
    keepAliveMs: 5000,
    watchBufferBytes: 16 * 1024,
    maxResponseBytes: MIB,
    maxWatchLineBytes: MIB / 2,
    watchRate: { bytesPerSecond: MIB / 4, burstBytes: 16 * MIB },
    jsonLimits: { maxDepth: 64, maxValues: 20_000 },
    maxNameBytes: 2 * MIB,
  },
};
