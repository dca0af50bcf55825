import { createHash, createPublicKey, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { Failure } from '../../functions/call/failure.ts';
import {
  bits,
  boolean,
  integer,
  nothing,
  octets,
  oid,
  readParts,
  sequence,
  setOf,
  tagged,
  time,
  utf8,
} from './der.ts';
import { keyText, parsePrivateKey, pem } from './keys.ts';

/** A certificate and its key, as texts. */
export interface CertificateText {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateRequest {
  readonly commonName: string;
  readonly ips: readonly string[];
  readonly names: readonly string[];
  readonly days: number;
  readonly isAuthority: boolean;
  /** Time of day, in ms. */
  readonly now: number;
}

/** Who signs: by default the certificate itself. */
interface Signer {
  readonly key: KeyObject;
  /** Distinguished name and id of its key, in DER. */
  readonly name: Buffer;
  readonly keyId: Buffer | undefined;
}

const DAY_MS = 86_400_000;

/** @param authority signs it; default: its own key @throws Failure */
export function createCertificate(
  request: CertificateRequest,
  key: KeyObject,
  authority?: CertificateText,
): CertificateText {
  const subject = sequence(setOf(sequence(oid('2.5.4.3'), utf8(request.commonName))));
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const keyId = request.isAuthority ? keyIdOf(publicKey) : undefined;
  const signer = authority ? readSigner(authority) : { key, name: subject, keyId };
  const algorithm = algorithmOf(signer.key);
  const isSelfSigned = authority === undefined;
  const body = sequence(
    tagged(0, integer(2n), true),
    integer(BigInt(`0x${randomBytes(16).toString('hex')}`)),
    algorithm.id,
    signer.name,
    sequence(time(request.now), time(request.now + request.days * DAY_MS)),
    subject,
    publicKey,
    tagged(3, sequence(...extensions(request, keyId, isSelfSigned ? undefined : signer.keyId)), true),
  );
  const signature = sign(algorithm.hash, body, signer.key);
  return { cert: pem('CERTIFICATE', sequence(body, algorithm.id, bits(signature))), key: keyText(key) };
}

/** The hash of the key itself, without its algorithm. */
function keyIdOf(spki: Buffer): Buffer {
  const [outer] = readParts(spki);
  const [, key] = outer ? readParts(outer.content) : [];
  return createHash('sha256')
    .update(key?.content.subarray(1) ?? spki)
    .digest()
    .subarray(0, 20);
}

function extensions(
  { isAuthority, ips, names }: CertificateRequest,
  keyId: Buffer | undefined,
  authorityKeyId: Buffer | undefined,
): Buffer[] {
  const extension = (id: string, value: Buffer, isCritical = false) =>
    sequence(oid(id), ...(isCritical ? [boolean(true)] : []), octets(value));
  // Digital signature, key encipherment, and for an authority the signature of certificates.
  const usage = isAuthority ? bits(Buffer.from([0xa4]), 2) : bits(Buffer.from([0xa0]), 5);
  const alternatives = [
    ...names.map((name) => tagged(2, Buffer.from(name))),
    ...ips.map((ip) => tagged(7, addressBytes(ip))),
  ];
  return [
    extension('2.5.29.15', usage, true),
    extension('2.5.29.37', sequence(oid('1.3.6.1.5.5.7.3.1'), oid('1.3.6.1.5.5.7.3.2'))),
    extension('2.5.29.19', isAuthority ? sequence(boolean(true)) : sequence(), true),
    ...(keyId ? [extension('2.5.29.14', octets(keyId))] : []),
    ...(authorityKeyId ? [extension('2.5.29.35', sequence(tagged(0, authorityKeyId)))] : []),
    ...(alternatives.length > 0 ? [extension('2.5.29.17', sequence(...alternatives))] : []),
  ];
}

function addressBytes(ip: string): Buffer {
  if (isIP(ip) === 4) return Buffer.from(ip.split('.').map(Number));
  if (isIP(ip) !== 6) throw new Failure(`error parsing ip: ${ip}`);
  const embedded = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(ip);
  const hex = (high: string | undefined, low: string | undefined) =>
    (Number(high) * 256 + Number(low)).toString(16);
  const text = embedded
    ? `${embedded[1]}${hex(embedded[2], embedded[3])}:${hex(embedded[4], embedded[5])}`
    : ip;
  const [head = '', tail] = text.split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':'));
  const first = groups(head);
  const last = tail === undefined ? [] : groups(tail);
  const all = [...first, ...Array<string>(8 - first.length - last.length).fill('0'), ...last];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

function algorithmOf(key: KeyObject): { readonly id: Buffer; readonly hash: string | null } {
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return { id: sequence(oid('1.2.840.113549.1.1.11'), nothing()), hash: 'sha256' };
    case 'ec':
      return { id: sequence(oid('1.2.840.10045.4.3.2')), hash: 'sha256' };
    case 'ed25519':
      return { id: sequence(oid('1.3.101.112')), hash: null };
    default:
      throw new Failure('error creating certificate: x509: only RSA, ECDSA and Ed25519 keys supported');
  }
}

function readSigner({ cert, key }: CertificateText): Signer {
  const parsed = parseCertificate(cert);
  const [outer] = readParts(parsed.raw);
  const [body] = outer ? readParts(outer.content) : [];
  // Version, serial number, algorithm, issuer, validity, subject, key.
  const [, , , , , subject, spki] = body ? readParts(body.content) : [];
  if (!subject || !spki) throw new Failure('error parsing certificate: decodedSignerCert.Bytes: malformed');
  return {
    key: parsePrivateKey(key),
    name: subject.whole,
    keyId: parsed.ca ? keyIdOf(spki.whole) : undefined,
  };
}

/** @throws Failure */
export function parseCertificate(text: string): X509Certificate {
  if (!/-----BEGIN [^-]*-----/.test(text)) throw new Failure('unable to decode certificate');
  try {
    return new X509Certificate(text);
  } catch {
    throw new Failure('error parsing certificate: decodedCert.Bytes: x509: malformed certificate');
  }
}
