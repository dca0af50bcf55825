import { findCause } from '../base/errors/errors.ts';
import { NoResponseError } from '../http/index.ts';

/** The report of `doctor` on one resource, with a check of each part from the resource to the external API. */
export interface Diagnosis {
  readonly mapping: string;
  /** No check is failed, waiting or skipped. */
  readonly healthy: boolean;
  readonly checks: readonly Check[];
}

/** `waiting`: an object is not ready yet; `warning`: works with limits; `skipped`: an earlier check failed. */
export type CheckStatus = 'ok' | 'warning' | 'waiting' | 'failed' | 'skipped';

export interface Check {
  readonly name: string;
  readonly status: CheckStatus;
  readonly object?: string;
  readonly cluster?: string;
  readonly detail: string;
  readonly field?: string;
  readonly remediation?: string;
}

/** The field at fault, and what to do about it. */
export type Remedy = Pick<Check, 'field' | 'remediation'>;

/** A check that was not made. */
export const skippedCheck = (name: string): Check => ({
  name,
  status: 'skipped',
  detail: 'an earlier check failed',
});

/**
 * What to do when a server was not reached: its credentials are not the cause, and good ones must not be replaced. Undefined if it has
 * answered.
 *
 * @param address the field that has the address of the server
 */
export function networkRemedy(error: unknown, address: string): Remedy | undefined {
  switch (findCause(error, NoResponseError)?.code) {
    case 'tls':
      return {
        field: 'SSL_CERT_FILE',
        remediation: `the certificate of the server is not trusted: set SSL_CERT_FILE to a file with its authority (PEM) in the environment of the provider, or correct ${address} if it names another server; the credentials stay as they are`,
      };
    case 'name_resolution':
      return {
        field: address,
        remediation: `the resolver of the provider does not know the host: correct ${address}, or the DNS of the cluster of the provider; the credentials stay as they are`,
      };
    case 'connection_refused':
    case 'connect_timeout':
    case 'timeout':
    case 'proxy':
      return {
        field: address,
        remediation: `the server cannot be reached from the provider: correct ${address}, HTTPS_PROXY and NO_PROXY, or the network policy; the credentials stay as they are`,
      };
    default:
      return undefined;
  }
}
