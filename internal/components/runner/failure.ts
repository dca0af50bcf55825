import { findCause, messageOf } from '../../base/errors/errors.ts';
import { redact } from '../../base/text/redact.ts';
import { EndpointRefusedError } from '../../http/transport/endpoint-guard.ts';
import { KubeconfigError } from '../../kube/config/kubeconfig-error.ts';
import { UnreachableError, UntrustedServerError } from '../../kube/errors/errors.ts';

/** How an attempt failed. */
export interface Failure {
  /** One line without credentials. */
  readonly reason: string;
  /** Another attempt would fail in the same way. */
  readonly isFinal: boolean;
}

/** The mothership takes a cluster for deleted if an operation of its deletion has this in its reason. */
const NO_HOST = 'no such host';
const OTHER_NAME = 'x509: certificate is valid';

/** @param isClusterGone whether the host of the cluster does not exist, proved by two calls */
export function failureOf(error: unknown, isClusterGone: boolean): Failure {
  // Others write these words too: webhooks, pulls of images, charts. They are not about the host of the cluster.
  const reason = redact(messageOf(error))
    .replaceAll(NO_HOST, 'unknown host')
    .replaceAll(OTHER_NAME, 'x509: the certificate is valid');
  if (isClusterGone) return { reason: `${reason}: ${NO_HOST}`, isFinal: true };
  if (findCause(error, UntrustedServerError) && reason.includes('altnames')) {
    return { reason: `${reason}: ${OTHER_NAME} for other names`, isFinal: true };
  }
  const isRefused = findCause(error, KubeconfigError) ?? findCause(error, EndpointRefusedError);
  return { reason, isFinal: isRefused !== undefined };
}

/**
 * Whether the resolver says that the host of the cluster does not exist. The name of a proxy, or of another cluster, says
 * nothing of it.
 *
 * @param host of the cluster, with its port
 */
export function saysNoSuchHost(error: unknown, host: string): boolean {
  const missing = findCause(error, UnreachableError)?.missingHost;
  return missing !== undefined && hostnameOf(missing) === hostnameOf(host);
}

const hostnameOf = (host: string): string | undefined =>
  URL.parse(`https://${host}`)?.hostname.replace(/\.$/, '');

/** The reasons of all attempts, numbered. */
export const numbered = (reasons: readonly string[]): string =>
  reasons.map((reason, index) => `#${index + 1}: ${reason}`).join('; ');
