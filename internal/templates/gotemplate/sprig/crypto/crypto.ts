/** The functions for keys, certificates and passwords. What is secret comes from the generator of the system. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Failure, Panic } from '../../functions/call/failure.ts';
import { objectType } from '../../functions/call/object-type.ts';
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
import { type CertificateText, createCertificate, parseCertificate } from './certificates.ts';
import { derivePassword } from './derive-password.ts';
import { generatePrivateKey, generateRsaKey, parsePrivateKey } from './keys.ts';

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
