import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { integer, readParts, sequence } from '../../../../framework/base/x509/der.ts';
import { pem } from '../../../../framework/base/x509/signed-certificate.ts';
import { Failure } from '../../functions/define.ts';

/** The text of a private key in the form that sprig writes for its type. */
export function keyText(key: KeyObject): string {
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

export const generateRsaKey = (bits: 2048 | 4096): KeyObject =>
  generateKeyPairSync('rsa', { modulusLength: bits }).privateKey;

/** A new key as text; for a type that is not known a text that says so. */
export function generatePrivateKey(type: string): string {
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
export function parsePrivateKey(text: string): KeyObject {
  if (!/-----BEGIN [^-]*-----/.test(text)) throw new Failure('no PEM data in input');
  try {
    return createPrivateKey(text);
  } catch {
    throw new Failure('parsing private key from PEM: it is none');
  }
}
