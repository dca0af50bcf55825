/** The functions for keys, certificates and passwords. What is secret comes from the generator of the system. */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  scryptSync,
  X509Certificate,
} from 'node:crypto';
import { isIP } from 'node:net';
import { integer, readParts, sequence } from '../../../../framework/base/x509/der.ts';
import {
  commonName,
  extensions,
  pem,
  signedCertificate,
  UnsupportedKeyError,
} from '../../../../framework/base/x509/signed-certificate.ts';
import { quote } from '../../format/quote.ts';
import { Failure, objectType, Panic } from '../../functions/define.ts';
import { fromBytes, toBytes } from '../../values/text.ts';
import {
  type GoFunctions,
  GoInteger,
  GoObject,
  GoSlice,
  type TypeName,
  type Value,
} from '../../values/value.ts';
import { decodeBase64 as decodeAnyBase64 } from '../base64.ts';
import { textAt, typed } from '../typed.ts';
import { bcrypt } from './bcrypt.ts';

const SEED = 'com.lyndir.masterpassword';

/** What a password of each type is made of: one letter for a set of characters. */
const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  maximum: ['anoxxxxxxxxxxxxxxxxx', 'axxxxxxxxxxxxxxxxxno'],
  long: [
    'CvcvnoCvcvCvcv',
    'CvcvCvcvnoCvcv',
    'CvcvCvcvCvcvno',
    'CvccnoCvcvCvcv',
    'CvccCvcvnoCvcv',
    'CvccCvcvCvcvno',
    'CvcvnoCvccCvcv',
    'CvcvCvccnoCvcv',
    'CvcvCvccCvcvno',
    'CvcvnoCvcvCvcc',
    'CvcvCvcvnoCvcc',
    'CvcvCvcvCvccno',
    'CvccnoCvccCvcv',
    'CvccCvccnoCvcv',
    'CvccCvccCvcvno',
    'CvcvnoCvccCvcc',
    'CvcvCvccnoCvcc',
    'CvcvCvccCvccno',
    'CvccnoCvcvCvcc',
    'CvccCvcvnoCvcc',
    'CvccCvcvCvccno',
  ],
  medium: ['CvcnoCvc', 'CvcCvcno'],
  short: ['Cvcn'],
  basic: ['aaanaaan', 'aannaaan', 'aaannaaa'],
  pin: ['nnnn'],
};

const CHARACTERS: Readonly<Record<string, string>> = {
  V: 'AEIOU',
  C: 'BCDFGHJKLMNPQRSTVWXYZ',
  v: 'aeiou',
  c: 'bcdfghjklmnpqrstvwxyz',
  A: 'AEIOUBCDFGHJKLMNPQRSTVWXYZ',
  a: 'AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz',
  n: '0123456789',
  o: "@&%?,=[]_:-+*$#!'^~;()/.",
  x: 'AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()',
};

const word = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** The password of a site that a master password gives (the algorithm Master Password). */
function derivePassword(counter: number, type: string, password: Buffer, user: Buffer, site: Buffer): string {
  const templates = Object.hasOwn(TEMPLATES, type) ? (TEMPLATES[type] ?? []) : [];
  if (templates.length === 0) return `cannot find password template ${type}`;
  const salt = Buffer.concat([Buffer.from(SEED), word(user.length), user]);
  const key = scryptSync(password, salt, 64, { N: 32_768, r: 8, p: 2, maxmem: 128 * 1024 * 1024 });
  const message = Buffer.concat([Buffer.from(SEED), word(site.length), site, word(counter)]);
  const seed = createHmac('sha256', key).update(message).digest();
  const template = templates[(seed[0] ?? 0) % templates.length] ?? '';
  return Array.from(template, (letter, i) => {
    const characters = CHARACTERS[letter] ?? '';
    return characters[(seed[i + 1] ?? 0) % characters.length] ?? '';
  }).join('');
}

/** Steps that count for the work of a function, since it cannot be interrupted. */
const WORK = 200_000;

const CERTIFICATE = objectType<CertificateText>({
  name: 'sprig.certificate',
  methods: {},
  fields: { Cert: ({ cert }) => cert, Key: ({ key }) => key },
  text: ({ cert, key }) => `{${cert} ${key}}`,
  json: ({ cert, key }) => [
    ['Cert', cert],
    ['Key', key],
  ],
});

/** What `genCA` and the like return. */
export const certificateValue = (certificate: CertificateText): GoObject =>
  new GoObject<unknown>(CERTIFICATE, certificate);

/** Undefined for a value that is no certificate. */
export const certificateIn = (value: Value | undefined): CertificateText | undefined =>
  value instanceof GoObject && value.type === CERTIFICATE ? (value.content as CertificateText) : undefined;

const integerAt = (args: readonly Value[], index: number): bigint => {
  const value = args[index];
  return value instanceof GoInteger ? value.value : 0n;
};

function textsAt(args: readonly Value[], index: number, what: string): string[] {
  const value = args[index];
  if (!(value instanceof GoSlice)) return [];
  return value.items.map((item) => {
    if (typeof item === 'string') return item;
    throw new Failure(`error ${what}: a value is not a string`);
  });
}

const LIST: TypeName = '[]interface {}';

/** The functions for a kind of certificate: with a new key, and with one that is given last. */
function certificates(name: string, kind: 'authority' | 'self-signed' | 'signed'): GoFunctions {
  const parameters: TypeName[] = kind === 'authority' ? ['string', 'int'] : ['string', LIST, LIST, 'int'];
  if (kind === 'signed') parameters.push('sprig.certificate');
  const make = (hasKey: boolean) =>
    typed(hasKey ? [...parameters, 'string'] : parameters, (args, { budget, clock }) => {
      budget.step(WORK);
      const key = hasKey ? parsePrivateKey(textAt(args, parameters.length)) : generateRsaKey(2048);
      const isAuthority = kind === 'authority';
      const request = {
        commonName: textAt(args, 0),
        ips: isAuthority ? [] : textsAt(args, 1, 'parsing ip'),
        names: isAuthority ? [] : textsAt(args, 2, 'processing alternate dns name'),
        days: integerAt(args, isAuthority ? 1 : 3),
        isAuthority,
        now: clock.now(),
      };
      return certificateValue(createCertificate(request, key, certificateIn(args[4])));
    });
  return { [name]: make(false), [`${name}WithKey`]: make(true) };
}

const decodeBase64 = (text: string, what: string): string => {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text.replace(/[\r\n]/g, ''))) {
    throw new Failure(`unable to decode base64 ${what}`);
  }
  return Buffer.from(text, 'base64').toString();
};

const hashPassword = (password: string): string => {
  try {
    return bcrypt(toBytes(password), randomBytes(16));
  } catch (error) {
    if (error instanceof Failure) return `failed to encrypt string with bcrypt: ${error.message}`;
    throw error;
  }
};

/** A key of 32 bytes, filled up with zeros. */
const aesKey = (password: string): Buffer =>
  Buffer.concat([toBytes(password), Buffer.alloc(32)]).subarray(0, 32);

export const CRYPTO_FUNCTIONS: GoFunctions = {
  ...certificates('genCA', 'authority'),
  ...certificates('genSelfSignedCert', 'self-signed'),
  ...certificates('genSignedCert', 'signed'),
  bcrypt: typed(['string'], (args, { budget }) => {
    budget.step(WORK);
    return hashPassword(textAt(args, 0));
  }),
  buildCustomCert: typed(['string', 'string'], (args) => {
    const cert = decodeBase64(textAt(args, 0), 'certificate');
    const key = decodeBase64(textAt(args, 1), 'private key');
    parseCertificate(cert);
    parsePrivateKey(key);
    return certificateValue({ cert, key });
  }),
  decryptAES: typed(['string', 'string'], (args, { budget }) => {
    if (textAt(args, 1) === '') return '';
    const bytes = toBytes(decodeAnyBase64(textAt(args, 1), budget));
    if (bytes.length < 32 || bytes.length % 16 !== 0) throw new Panic('crypto/cipher: input not full blocks');
    const cipher = createDecipheriv('aes-256-cbc', aesKey(textAt(args, 0)), bytes.subarray(0, 16));
    cipher.setAutoPadding(false);
    const text = Buffer.concat([cipher.update(bytes.subarray(16)), cipher.final()]);
    const padding = text[text.length - 1] ?? 0;
    if (padding > text.length)
      throw new Panic(`runtime error: slice bounds out of range [:${text.length - padding}]`);
    return fromBytes(text.subarray(0, text.length - padding));
  }),
  derivePassword: typed(['uint32', 'string', 'string', 'string', 'string'], (args, { budget }) => {
    budget.step(WORK);
    const [password, user, site] = [2, 3, 4].map((index) => toBytes(textAt(args, index)));
    const none = Buffer.alloc(0);
    return derivePassword(
      Number(integerAt(args, 0)),
      textAt(args, 1),
      password ?? none,
      user ?? none,
      site ?? none,
    );
  }),
  encryptAES: typed(['string', 'string'], (args, { budget }) => {
    if (textAt(args, 1) === '') return '';
    budget.charge(textAt(args, 1).length * 2);
    const vector = randomBytes(16);
    const cipher = createCipheriv('aes-256-cbc', aesKey(textAt(args, 0)), vector);
    return Buffer.concat([vector, cipher.update(toBytes(textAt(args, 1))), cipher.final()]).toString(
      'base64',
    );
  }),
  genPrivateKey: typed(['string'], (args, { budget }) => {
    budget.step(WORK);
    return generatePrivateKey(textAt(args, 0));
  }),
  htpasswd: typed(['string', 'string'], (args, { budget }) => {
    budget.step(WORK);
    const name = textAt(args, 0);
    return name.includes(':') ? `invalid username: ${name}` : `${name}:${hashPassword(textAt(args, 1))}`;
  }),
  randBytes: typed(['int'], (args, { budget }) => {
    const count = Number(integerAt(args, 0));
    if (count < 0) throw new Panic('runtime error: makeslice: len out of range');
    budget.charge(count * 2);
    return randomBytes(count).toString('base64');
  }),
};

/** A certificate and its key, as texts. */
interface CertificateText {
  readonly cert: string;
  readonly key: string;
}

interface CertificateRequest {
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
function createCertificate(
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
function parseCertificate(text: string): X509Certificate {
  if (!/-----BEGIN [^-]*-----/.test(text)) throw new Failure('unable to decode certificate');
  try {
    return new X509Certificate(text);
  } catch {
    throw new Failure('error parsing certificate: decodedCert.Bytes: x509: malformed certificate');
  }
}

/** The text of a private key in the form that sprig writes for its type. */
function keyText(key: KeyObject): string {
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return pem('RSA PRIVATE KEY', key.export({ type: 'pkcs1', format: 'der' }));
    case 'ec':
      return pem('EC PRIVATE KEY', key.export({ type: 'sec1', format: 'der' }));
    case 'dsa':
      return pem('DSA PRIVATE KEY', dsaKey(key));
    default:
      return pem('PRIVATE KEY', key.export({ type: 'pkcs8', format: 'der' }));
  }
}

/** Version, P, Q, G, Y and X. */
function dsaKey(key: KeyObject): Buffer {
  const [outer] = readParts(key.export({ type: 'pkcs8', format: 'der' }));
  const [, algorithm, secret] = outer ? readParts(outer.content) : [];
  const [, parameters] = algorithm ? readParts(algorithm.content) : [];
  const [p, q, g] = parameters ? readParts(parameters.content).map(({ content }) => toBigint(content)) : [];
  const [x] = secret ? readParts(secret.content).map(({ content }) => toBigint(content)) : [];
  if (p === undefined || q === undefined || g === undefined || x === undefined) {
    throw new Failure('failed to generate private key: unknown form');
  }
  return sequence(...[0n, p, q, g, powerModulo(g, x, p), x].map(integer));
}

const toBigint = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString('hex')}`);

function powerModulo(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  let factor = base % modulus;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * factor) % modulus;
    factor = (factor * factor) % modulus;
  }
  return result;
}

const generateRsaKey = (bits: 2048 | 4096): KeyObject =>
  generateKeyPairSync('rsa', { modulusLength: bits }).privateKey;

/** A new key as text; for a type that is not known a text that says so. */
function generatePrivateKey(type: string): string {
  switch (type) {
    case '':
    case 'rsa':
      return keyText(generateRsaKey(4096));
    case 'dsa':
      return keyText(generateKeyPairSync('dsa', { modulusLength: 2048, divisorLength: 256 }).privateKey);
    case 'ecdsa':
      return keyText(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
    case 'ed25519':
      return keyText(generateKeyPairSync('ed25519').privateKey);
    default:
      return `Unknown type ${type}`;
  }
}

/** @throws Failure */
function parsePrivateKey(text: string): KeyObject {
  if (!/-----BEGIN [^-]*-----/.test(text)) throw new Failure('no PEM data in input');
  try {
    return createPrivateKey(text);
  } catch {
    throw new Failure('parsing private key from PEM: it is none');
  }
}
