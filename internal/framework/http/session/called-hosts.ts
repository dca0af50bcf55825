import { type LimitKeyOption, scopedName } from '../../base/concurrency/limit-key.ts';
import type { HostSlots } from '../limits/host-slots.ts';

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
  readonly hostSlots: Pick<HostSlots, 'of'>;
  /** A token of the credentials is in memory. */
  readonly holdsToken: boolean;
}

const apiKey = (apiName: string, host: string) => `${apiName} ${host}`;
const tokenKey = (host: string) => `token endpoint ${host}`;

/** The names of all limit keys of a host, for the limiter. */
export const limitKeyNames = (apiName: string, host: string): readonly string[] =>
  [apiKey(apiName, host), tokenKey(host)].map((name) => scopedName(apiName, name));

/**
 * The limit keys of a reconcile with calls to these hosts: the token endpoint, or the API once there is a token. Never both
 * at a time, so that a slow host does not take slots of the other.
 */
export function limitKeysOf(
  { baseUrl, tokenUrl }: CalledHosts,
  { apiName, hostSlots, holdsToken }: HostLimits,
): LimitKeyOption[] {
  const api = holdsToken || tokenUrl === '';
  const { host } = new URL(api ? baseUrl : tokenUrl);
  return [
    {
      name: api ? apiKey(apiName, host) : tokenKey(host),
      scope: apiName,
      remote: true,
      get slots() {
        return hostSlots.of(host);
      },
    },
  ];
}
