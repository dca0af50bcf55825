import { createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import { bits, boolean, integer, nothing, octets, oid, sequence, setOf, tagged, time, utf8 } from './der.ts';

/** What a certificate of X.509 says (RFC 5280). */
export interface CertificateContent {
  /** Distinguished name in DER. */
  readonly subject: Buffer;
  readonly key: KeyObject;
  /** In ms since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
  readonly extensions: readonly Buffer[];
}

export interface CertificateSigner {
  readonly name: Buffer;
  /** RSA, ECDSA or Ed25519. */
  readonly key: KeyObject;
}

/** A key of another type. */
export class UnsupportedKeyError extends Error {}

/** A certificate as PEM text. Node has no function for it. @throws UnsupportedKeyError */
export function signedCertificate(content: CertificateContent, signer: CertificateSigner): string {
  const algorithm = algorithmOf(signer.key);
  const body = sequence(
    tagged(0, integer(2n), true),
    integer(BigInt(`0x${randomBytes(16).toString('hex')}`)),
    algorithm.id,
    signer.name,
    sequence(time(content.notBefore), time(content.notAfter)),
    content.subject,
    createPublicKey(content.key).export({ type: 'spki', format: 'der' }),
    tagged(3, sequence(...content.extensions), true),
  );
  return pem('CERTIFICATE', sequence(body, algorithm.id, bits(sign(algorithm.hash, body, signer.key))));
}

export const commonName = (name: string): Buffer => sequence(setOf(sequence(oid('2.5.4.3'), utf8(name))));

const extension = (id: string, value: Buffer, isCritical = false): Buffer =>
  sequence(oid(id), ...(isCritical ? [boolean(true)] : []), octets(value));

const PURPOSES = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const;

export const extensions = {
  /** Digital signature, key encipherment, and for an authority the signature of certificates. */
  usage: (isAuthority: boolean) =>
    extension('2.5.29.15', isAuthority ? bits(Buffer.from([0xa4]), 2) : bits(Buffer.from([0xa0]), 5), true),
  purposes: (...purposes: readonly (keyof typeof PURPOSES)[]) =>
    extension('2.5.29.37', sequence(...purposes.map((purpose) => oid(PURPOSES[purpose])))),
  authority: (isAuthority: boolean) =>
    extension('2.5.29.19', isAuthority ? sequence(boolean(true)) : sequence(), true),
  keyId: (id: Buffer) => extension('2.5.29.14', octets(id)),
  authorityKeyId: (id: Buffer) => extension('2.5.29.35', sequence(tagged(0, id))),
  /** @param names in DNS, of ASCII alone @param addresses of 4 or 16 bytes */
  alternatives: (names: readonly string[], addresses: readonly Buffer[] = []) =>
    extension(
      '2.5.29.17',
      sequence(
        ...names.map((name) => tagged(2, Buffer.from(name))),
        ...addresses.map((address) => tagged(7, address)),
      ),
    ),
} as const;

function algorithmOf(key: KeyObject): { readonly id: Buffer; readonly hash: string | null } {
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return { id: sequence(oid('1.2.840.113549.1.1.11'), nothing()), hash: 'sha256' };
    case 'ec':
      return { id: sequence(oid('1.2.840.10045.4.3.2')), hash: 'sha256' };
    case 'ed25519':
      return { id: sequence(oid('1.3.101.112')), hash: null };
    default:
      throw new UnsupportedKeyError('x509: only RSA, ECDSA and Ed25519 keys supported');
  }
}

/** The PEM text of bytes in DER. */
export const pem = (label: string, der: Uint8Array): string => {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
};
