import { webcrypto } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import 'reflect-metadata';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { X509CertificateGenerator } from '@peculiar/x509';
import { trustEnvironmentCertificates } from './trust.ts';

// Without duplicates, which Node removes.
setDefaultCACertificates(getCACertificates('default'));
const before = getCACertificates('default');
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trust-'));
});
afterEach(async () => {
  setDefaultCACertificates(before);
  await rm(folder, { recursive: true });
});

async function authority(): Promise<string> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const made = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=ca',
    signingAlgorithm: algorithm,
    keys,
  });
  return made.toString('pem');
}

const file = (name: string) => join(folder, name);
/** How many certificates are trusted in addition. */
const added = () => getCACertificates('default').length - before.length;

test('SSL_CERT_FILE and the custom file are trusted, if they exist', async () => {
  trustEnvironmentCertificates({}, file('missing'));
  expect(added()).toBe(0);
  await writeFile(file('a'), `${await authority()}\n`);
  await writeFile(file('b'), `# two\n${await authority()}\n${await authority()}`);
  trustEnvironmentCertificates({ SSL_CERT_FILE: file('a') }, file('b'));
  expect(added()).toBe(3);
});

test.each([
  { reason: 'no certificate', text: 'text' },
  { reason: 'a broken certificate', text: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' },
])('a custom file with $reason is refused', async ({ text }) => {
  await writeFile(file('a'), text);
  expect(() => trustEnvironmentCertificates({}, file('a'))).toThrow('invalid custom CA certificates');
  expect(added()).toBe(0);
});
