import { generateKeyPairSync } from 'node:crypto';
import {
  commonName,
  extensions,
  signedCertificate,
} from '../../../../../framework/base/x509/signed-certificate.ts';

/** PEM texts. The certificate is its own authority. */
export interface CertificateAndKey {
  readonly certificate: string;
  readonly key: string;
}

const DAY_MS = 24 * 60 * 60_000;
const VALID_MS = 3650 * DAY_MS;
/** Clocks of clusters may be behind. */
const BACK_MS = 60 * 60_000;
/** Characters of a common name (RFC 5280, ub-common-name). */
const MAX_COMMON_NAME = 64;

/**
 * A certificate of X.509 for a server, with a key on the curve P-256.
 *
 * @param host the name of the server
 * @param nowMs ms since the epoch; it is valid for ten years
 */
export function selfSignedCertificate(host: string, nowMs: number): CertificateAndKey {
  const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = commonName(host.slice(0, MAX_COMMON_NAME));
  const content = {
    subject,
    key,
    notBefore: nowMs - BACK_MS,
    notAfter: nowMs + VALID_MS,
    extensions: [
      extensions.authority(true),
      extensions.usage(true),
      extensions.purposes('server'),
      extensions.alternatives([host]),
    ],
  };
  return {
    certificate: signedCertificate(content, { name: subject, key }),
    key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
