import type { LookupFunction } from 'node:net';
import type { ConcurrencyLimiter } from '../../base/concurrency/concurrency-limiter.ts';
import type { Deps } from '../../base/deps.ts';
import type { ClientSecretMethod } from '../oauth/client-credentials-grant.ts';
import type { HttpResponse } from '../transport/send-request.ts';

export interface ApiSessionsOptions extends Deps {
  /** The external API in metrics and spans, e.g. `hana-cloud`. */
  readonly system: string;
  /** The external API in the names of limit keys, e.g. `HANA Cloud`. */
  readonly apiName: string;
  /** The fields of the credentials that a message about their endpoints names. Default: `baseUrl`, `tokenUrl`. */
  readonly fieldNames?: { readonly baseUrl: string; readonly tokenUrl: string };
  /** Decides which calls may start. */
  readonly limiter: ConcurrencyLimiter;
  /** Calls in flight to all hosts; a slow call counts towards `callsPerHost` only. Default 32. */
  readonly maxCalls?: number;
  /** Refuse all requests except reads and token grants. Default false. */
  readonly readOnly?: boolean;
  /** Calls in flight to one host, so that a slow one leaves slots to the others. Default 24. */
  readonly callsPerHost?: number;
  /** Allow loopback, private, link-local and metadata addresses. Default false. */
  readonly allowPrivateEndpoints?: boolean;
  /**
   * PEM certificates to trust in addition to Node's. Default: none. Each client with a client certificate then parses all
   * of Node's certificates again, about 10 ms; prefer NODE_EXTRA_CA_CERTS or tls.setDefaultCACertificates.
   */
  readonly trustedCertificates?: readonly string[];
  /** The environment with HTTPS_PROXY and NO_PROXY. Default: empty, without a proxy. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** How a client secret is sent to the token endpoint. Default `client_secret_basic`. */
  readonly secretMethod?: ClientSecretMethod;
  /**
   * Requests of a client that gets a 429 response pause as Retry-After says, then begin slowly. Default: only the call that
   * got the 429 is told to wait.
   */
  readonly rateLimits?: {
    /** Whether a 429 is of another system behind the API, and does not limit the client. Default: never. */
    readonly isFromBehind?: (response: HttpResponse) => boolean;
  };
  /**
   * How long connections with a client certificate stay open after the last session of its credentials, in ms. Default 0.
   */
  readonly keepClientConnectionsMs?: number;
  /** Keep tokens in memory until they expire; else each client fetches its own. Default true. */
  readonly cacheTokens?: boolean;
  /**
   * Keep fixed credentials in memory for `resume`, as tokens are: a resource can then be deleted after its Secret, in a namespace that is
   * being deleted. Default false.
   */
  readonly keepFixedCredentials?: boolean;
  /** Timeout of connecting, in ms. Default 5000. */
  readonly connectTimeoutMs?: number;
  /** Timeout of one attempt, connecting included, in ms. Default 10000. */
  readonly callTimeoutMs?: number;
  /** The delay before the first retry, in ms; it doubles with each retry. Default 200. */
  readonly retryBackoffMs?: number;
  /** Limit of a response body, in bytes. Default 2 MiB. */
  readonly maxResponseBytes?: number;
  /** Name resolution. Default: the system's. */
  readonly lookup?: LookupFunction;
}
