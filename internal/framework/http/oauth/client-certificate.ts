import { createPrivateKey, X509Certificate } from 'node:crypto';

/** Size of an RSA key: signing with a longer one blocks the event loop for 100 ms or more. */
const MAX_RSA_BITS = 4096;

export interface ClientCertificateProblem {
  readonly part: 'certificate' | 'key';
  /** Completes `the key …`. Never quotes a value. */
  readonly text: string;
}

/**
 * What is wrong with a client certificate and its key, both PEM. Checked before they are used, because the error of a TLS
 * handshake does not name the cause.
 */
export function clientCertificateProblems(certificate: string, key: string): ClientCertificateProblem[] {
  const parsedCertificate = attempt(() => new X509Certificate(certificate));
  const parsedKey = attempt(() => createPrivateKey(key));
  const problems: ClientCertificateProblem[] = [];
  if (parsedCertificate === undefined) {
    problems.push({ part: 'certificate', text: 'is not a PEM certificate' });
  }
  if (parsedKey === undefined) {
    problems.push({ part: 'key', text: 'is not a PEM private key without a passphrase' });
  }
  if (parsedCertificate === undefined || parsedKey === undefined) return problems;
  if ((parsedKey.asymmetricKeyDetails?.modulusLength ?? 0) > MAX_RSA_BITS) {
    return [{ part: 'key', text: `is an RSA key of more than ${MAX_RSA_BITS} bits` }];
  }
  const matches = attempt(() => parsedCertificate.checkPrivateKey(parsedKey)) ?? false;
  return matches ? [] : [{ part: 'key', text: 'does not belong to the certificate' }];
}

/** Undefined if `fn` throws. The error is dropped, since it may quote its input. */
function attempt<T>(fn: () => T): T | undefined {
  try {
    return fn();
  } catch {
    return undefined;
  }
}
