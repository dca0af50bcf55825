import { findCause, messageOf } from '../../base/errors/errors.ts';
import { redact } from '../../base/text/redact.ts';
import { EndpointRefusedError } from '../../http/transport/endpoint-guard.ts';
import { KubeconfigError } from '../../kube/config/kubeconfig-error.ts';
import { KubeApiError, UnreachableError, UntrustedServerError } from '../../kube/errors/errors.ts';

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

export function failureOf(error: unknown): Failure {
  const message = redact(messageOf(error));
  if (findCause(error, KubeconfigError) ?? findCause(error, EndpointRefusedError)) {
    return { reason: message, isFinal: true };
  }
  // What Node writes, in the words that the mothership knows.
  if (findCause(error, UnreachableError) && message.includes('ENOTFOUND')) {
    return { reason: `${message}: ${NO_HOST}`, isFinal: true };
  }
  if (findCause(error, UntrustedServerError) && message.includes('altnames')) {
    return { reason: `${message}: ${OTHER_NAME} for other names`, isFinal: true };
  }
  // A cluster that answers exists: what it says is about hosts of its webhooks.
  if (findCause(error, KubeApiError)) {
    return { reason: message.replaceAll(NO_HOST, 'unknown host'), isFinal: false };
  }
  return { reason: message, isFinal: message.includes(NO_HOST) || message.includes(OTHER_NAME) };
}

/** The reasons of all attempts, numbered. */
export const numbered = (reasons: readonly string[]): string =>
  reasons.map((reason, index) => `#${index + 1}: ${reason}`).join('; ');
