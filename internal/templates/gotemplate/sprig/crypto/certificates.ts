import { createHash, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { readParts } from '../../../../framework/base/x509/der.ts';
import {
  commonName,
  extensions,
  signedCertificate,
  UnsupportedKeyError,
} from '../../../../framework/base/x509/signed-certificate.ts';
import { quote } from '../../format/quote.ts';
import { Failure } from '../../functions/call/failure.ts';
import { keyText, parsePrivateKey } from './keys.ts';

/** A certificate and its key, as texts. */
export interface CertificateText {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateRequest {
  readonly commonName: string;
  readonly ips: readonly string[];
  readonly names: readonly string[];
  /** An `int` of Go. */
  readonly days: bigint;
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

const DAY_NS = 86_400_000_000_000n;
const NS_PER_MS = 1_000_000n;

/** @param authority signs it; default: its own key @throws Failure */
export function createCertificate(
  request: CertificateRequest,
  key: KeyObject,
  authority?: CertificateText,
): CertificateText {
  checkNames(request.names);
  const subject = commonName(request.commonName);
  const keyId = request.isAuthority
    ? keyIdOf(createPublicKey(key).export({ type: 'spki', format: 'der' }))
    : undefined;
  const signer = authority ? readSigner(authority) : { key, name: subject, keyId };
  // A duration has 64 bits of nanoseconds: more days begin again at the other end.
  const validNs = BigInt.asIntN(64, request.days * DAY_NS);
  const content = {
    subject,
    key,
    notBefore: request.now,
    notAfter: request.now + Number(validNs / NS_PER_MS),
    extensions: extensionsOf(request, keyId, authority === undefined ? undefined : signer.keyId),
  };
  try {
    return { cert: signedCertificate(content, signer), key: keyText(key) };
  } catch (error) {
    if (!(error instanceof UnsupportedKeyError)) throw error;
    throw new Failure(`error creating certificate: ${error.message}`);
  }
}

/** Names are of ASCII. */
function checkNames(names: readonly string[]): void {
  const other = names.find((name) => /[^\0-\x7f]/.test(name));
  if (other === undefined) return;
  throw new Failure(`error creating certificate: x509: ${quote(other)} cannot be encoded as an IA5String`);
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

function extensionsOf(
  { isAuthority, ips, names }: CertificateRequest,
  keyId: Buffer | undefined,
  authorityKeyId: Buffer | undefined,
): Buffer[] {
  return [
    extensions.usage(isAuthority),
    extensions.purposes('server', 'client'),
    extensions.authority(isAuthority),
    ...(keyId ? [extensions.keyId(keyId)] : []),
    ...(authorityKeyId ? [extensions.authorityKeyId(authorityKeyId)] : []),
    ...(names.length + ips.length > 0 ? [extensions.alternatives(names, ips.map(addressBytes))] : []),
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
