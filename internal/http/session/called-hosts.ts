import type { LimitKey } from '../../base/concurrency/limit-key.ts';

/** The hosts of calls with certain credentials. Not secret. */
export interface CalledHosts {
  readonly credentialsID: string;
  readonly baseUrl: string;
  /** Empty: no token endpoint is called. */
  readonly tokenUrl: string;
}

export interface HostLimits {
  /** The external API in the names of limit keys, e.g. `HANA Cloud`. */
  readonly apiName: string;
  readonly maxCalls: number;
  readonly callsPerHost: number;
  /** A token of the credentials is in memory. */
  readonly holdsToken: boolean;
}

/** Minimum of reconciles in progress for one host. It exceeds the calls in flight, since reconciles share lists. */
const MIN_SLOTS = 4;

/**
 * The limit keys of a reconcile with calls to these hosts: the token endpoint, or the API once there is a token. Never both
 * at a time, so that a slow host does not take slots of the other.
 */
export function limitKeysOf(
  { baseUrl, tokenUrl }: CalledHosts,
  { apiName, maxCalls, callsPerHost, holdsToken }: HostLimits,
): LimitKey[] {
  const slots = Math.max(MIN_SLOTS, Math.min(maxCalls, callsPerHost));
  if (holdsToken || tokenUrl === '') return [{ name: `${apiName} ${new URL(baseUrl).host}`, slots }];
  return [{ name: `token endpoint ${new URL(tokenUrl).host}`, slots }];
}
