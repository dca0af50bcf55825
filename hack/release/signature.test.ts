import { generateKeyPairSync, verify } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { signBytes } from './signature.ts';

const bytes = Buffer.from('sums');
const pem = { type: 'pkcs8', format: 'pem' } as const;
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export(pem).toString();
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export(pem).toString();

test.each([
  ['Ed25519', null, generateKeyPairSync('ed25519')],
  ['ECDSA on P-256', 'sha256', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
])('signs with %s, and the public key that it returns verifies just these bytes', (_name, digest, pair) => {
  const { signature, publicKey } = signBytes(bytes, pair.privateKey.export(pem).toString());

  expect(verify(digest, bytes, publicKey, Buffer.from(signature, 'base64'))).toBe(true);
  expect(verify(digest, Buffer.from('other'), publicKey, Buffer.from(signature, 'base64'))).toBe(false);
});

test('an encrypted key needs its passphrase', () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const locked = privateKey.export({ ...pem, cipher: 'aes-256-cbc', passphrase: 'open' }).toString();

  expect(signBytes(bytes, locked, 'open').signature).not.toBe('');
  expect(() => signBytes(bytes, locked)).toThrow(/its passphrase is missing or wrong/);
  expect(() => signBytes(bytes, locked, 'shut')).toThrow(/its passphrase is missing or wrong/);
});

test.each([
  ['RSA', rsa, /of type rsa/],
  ['ECDSA on another curve', p384, /of type ec: want/],
  ['no key', 'hello', /no PEM private key/],
])('refuses %s', (_name, key, message) => {
  expect(() => signBytes(bytes, key)).toThrow(message);
});
