import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { bits, encode, integer, objectIdentifier, octets, sequence, set, text, time, truth } from './der.ts';

/** PEM texts. The certificate is its own authority. */
export interface CertificateAndKey {
  readonly certificate: string;
  readonly key: string;
}

const DAY_MS = 24 * 60 * 60_000;
const VALID_MS = 3650 * DAY_MS;
/** Clocks of clusters may be behind. */
const BACK_MS = 60 * 60_000;

/** `ecdsa-with-SHA256` (RFC 5758). */
const algorithm = sequence(objectIdentifier('1.2.840.10045.4.3.2'));
/** Tags of the context: the version and the extensions of a certificate, a name in DNS (RFC 5280). */
const VERSION = 0xa0;
const EXTENSIONS = 0xa3;
const DNS_NAME = 0x82;

/**
 * A certificate of X.509 for a server, with a key on the curve P-256. Node has no function for it.
 *
 * @param host the name of the server
 * @param nowMs ms since the epoch; it is valid for ten years
 */
export function selfSignedCertificate(host: string, nowMs: number): CertificateAndKey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(set(sequence(objectIdentifier('2.5.4.3'), text(host.slice(0, 64)))));
  const content = sequence(
    encode(VERSION, integer(Buffer.from([2]))),
    integer(randomBytes(16)),
    algorithm,
    name,
    sequence(time(nowMs - BACK_MS), time(nowMs + VALID_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    encode(EXTENSIONS, sequence(...extensions(host))),
  );
  const certificate = sequence(content, algorithm, bits(sign('sha256', content, privateKey)));
  return {
    certificate: pem('CERTIFICATE', certificate),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function extensions(host: string): readonly Buffer[] {
  const critical = truth();
  return [
    // basicConstraints: an authority
    sequence(objectIdentifier('2.5.29.19'), critical, octets(sequence(truth()))),
    // keyUsage: digitalSignature, keyEncipherment, keyCertSign
    sequence(objectIdentifier('2.5.29.15'), critical, octets(bits(Buffer.from([0b1010_0100]), 2))),
    // extKeyUsage: serverAuth
    sequence(objectIdentifier('2.5.29.37'), octets(sequence(objectIdentifier('1.3.6.1.5.5.7.3.1')))),
    // subjectAltName
    sequence(objectIdentifier('2.5.29.17'), octets(sequence(encode(DNS_NAME, Buffer.from(host))))),
  ];
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
