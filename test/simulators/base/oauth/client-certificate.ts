import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';

/** The fingerprint of the trusted certificate that the connection of a request has. */
export function certificateOf({ socket }: IncomingMessage): string | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const { fingerprint256 } = socket.getPeerCertificate();
  return fingerprint256 === undefined ? undefined : normalized(fingerprint256);
}

/** SHA-256 of a certificate (PEM), in the form of `OAuthClient`. */
export function fingerprintOf(pem: string): string {
  return normalized(new X509Certificate(pem).fingerprint256);
}

const normalized = (fingerprint: string) => fingerprint.replaceAll(':', '').toLowerCase();
