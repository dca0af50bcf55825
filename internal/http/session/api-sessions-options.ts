import type { LookupFunction } from 'node:net';
import type { ConcurrencyLimiter } from '../../base/concurrency/concurrency-limiter.ts';
import type { Deps } from '../../base/deps.ts';

export interface ApiSessionsOptions extends Deps {
  /** The external API in metrics and spans, e.g. `hana-cloud`. */
  readonly system: string;
  /** The external API in the names of limit keys, e.g. `HANA Cloud`. */
  readonly apiName: string;
  /** The fields of the credentials that a message about their endpoints names. Default: `baseUrl`, `tokenUrl`. */
  readonly fieldNames?: { readonly baseUrl: string; readonly tokenUrl: string };
  /** Decides which calls may start. */
  readonly limiter: ConcurrencyLimiter;
  /** Calls in flight; one that takes long counts only among those of its host. Default 32. */
  readonly maxCalls?: number;
  /** Connections refuse every request but reads and token grants. Default false. */
  readonly readOnly?: boolean;
  /** Calls in flight to one host, so that a slow one leaves slots to the others. Default 24. */
  readonly callsPerHost?: number;
  /** Call loopback, private, link-local and metadata addresses as well. Default false. */
  readonly allowPrivateEndpoints?: boolean;
  /**
   * PEM certificates trusted beside those that Node trusts by default. Default: none. They cost each client with a
   * certificate of its own some 10 ms, since it parses all of Node's again; certificates that a process trusts for
   * good had better become part of Node's (NODE_EXTRA_CA_CERTS, tls.setDefaultCACertificates).
   */
  readonly trustedCertificates?: readonly string[];
  /** The environment whose HTTPS_PROXY and NO_PROXY are followed. Default: an empty one, thus no proxy. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Keep tokens in memory until they expire; else each client fetches its own. Default true. */
  readonly cacheTokens?: boolean;
  /** How long connecting may take, in ms. Default 5000. */
  readonly connectTimeoutMs?: number;
  /** How long one attempt of a call may take, connecting included, in ms. Default 10000. */
  readonly callTimeoutMs?: number;
  /** The wait before the first repetition of a call, in ms; it doubles from there. Default 200. */
  readonly retryBackoffMs?: number;
  /** Length of the longest body that is read, in bytes. Default 2 MiB. */
  readonly maxResponseBytes?: number;
  /** Name resolution. Default: the system's. */
  readonly lookup?: LookupFunction;
}
