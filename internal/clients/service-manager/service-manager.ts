/**
 * The client of SAP Service Manager.
 *
 * There is one `ServiceManager` for the process: it has the sessions (`internal/http`), the rate limits and the cached
 * catalogs. A `ServiceManagerClient` is created for one reconcile and closed at its end.
 *
 * The contract is `openapi.yaml`. Types are generated from it, and the simulator is validated against it.
 */
import type { LimitKey, Reserve } from '../../base/concurrency/limit-key.ts';
import type { ApiCredentials, ApiSessionsOptions, CalledHosts } from '../../http/index.ts';
import type { ServiceManagerClient } from './service-manager-client.ts';

export interface ServiceManagerOptions extends Omit<ApiSessionsOptions, 'system' | 'apiName' | 'fieldNames'> {
  /** The header `client-version`: the version of this program. */
  readonly clientVersion: string;
  /** How long offerings and plans may be used, in ms. Default 5 minutes. */
  readonly catalogFreshMs?: number;
}

export interface ConnectOptions {
  /** Of the reconcile; calls may throw its NotAdmittedError. Default: no limit. */
  readonly reserve?: Reserve;
  /** The header `X-CorrelationID`. Default: a random one for each client. */
  readonly correlationID?: string;
}

export interface ServiceManager {
  /**
   * Opens no connection yet.
   *
   * @param credentials `sm_url` without trailing slashes, `tokenurl` with `tokenurlsuffix`, and the client
   * @throws EndpointRefusedError if `baseUrl` or `tokenUrl` names a refused address
   */
  connect(credentials: ApiCredentials, options?: ConnectOptions): ServiceManagerClient;
  /**
   * The limit keys of a reconcile with calls to these hosts: the API, or the token endpoint if no token of the credentials
   * is in memory.
   */
  limitKeysOf(hosts: CalledHosts): readonly LimitKey[];
  /** Closes connections and removes tokens and catalogs. */
  close(): Promise<void>;
}
