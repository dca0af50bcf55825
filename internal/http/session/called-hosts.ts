import type { LimitKey } from '../../base/concurrency/limit-key.ts';

/** The hosts that the calls with some credentials go to. Nothing of it is secret. */
export interface CalledHosts {
  readonly credentialsID: string;
  readonly baseUrl: string;
  /** Empty: none is called. */
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

/** Reconciles of one host in progress, at least; few calls at a time must not mean few reconciles, which share lists. */
const MIN_SLOTS = 4;

/**
 * The limit keys of a reconcile that is about to call these hosts: the token endpoint first, and the API once there is a
 * token. Never both at a time, so that neither host holds slots of the other.
 */
export function limitKeysOf(
  { baseUrl, tokenUrl }: CalledHosts,
  { apiName, maxCalls, callsPerHost, holdsToken }: HostLimits,
): LimitKey[] {
  const slots = Math.max(MIN_SLOTS, Math.min(maxCalls, callsPerHost));
  if (holdsToken || tokenUrl === '') return [{ name: `${apiName} ${new URL(baseUrl).host}`, slots }];
  return [{ name: `token endpoint ${new URL(tokenUrl).host}`, slots }];
}
