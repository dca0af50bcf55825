import { webcrypto } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls, { getCACertificates, setDefaultCACertificates } from 'node:tls';
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
/** As a connection to a server whose authority is not given. */
const connect = () => void tls.createSecureContext();

test('SSL_CERT_FILE and the custom file are trusted, if they exist', async () => {
  trustEnvironmentCertificates({}, file('missing'));
  expect(added()).toBe(0);
  await writeFile(file('a'), `${await authority()}\n`);
  await writeFile(file('b'), `# two\n${await authority()}\n${await authority()}`);
  trustEnvironmentCertificates({ SSL_CERT_FILE: file('a') }, file('b'));
  connect();
  expect(added()).toBe(3);
});

test('certificates are added when something asks for the default ones, once, and those that Node has not at all', async () => {
  const own = await authority();
  const functions = () => [tls.createSecureContext, tls.getCACertificates];
  const ofNode = functions();
  await writeFile(
    file('roots'),
    tls.rootCertificates.map((root) => root.replaceAll('\n', '\r\n')).join('\n'),
  );
  trustEnvironmentCertificates({ SSL_CERT_FILE: file('roots') }, file('missing'));
  expect(functions()).toEqual(ofNode);
  await writeFile(file('a'), `${tls.rootCertificates.join('\n')}\n${own}`);
  trustEnvironmentCertificates({ SSL_CERT_FILE: file('a') }, file('missing'));
  tls.createSecureContext({ ca: own });
  expect(added()).toBe(0);
  expect(tls.getCACertificates('default').length - before.length).toBe(1);
  expect(functions()).toEqual(ofNode);
});

test.each([
  { reason: 'no certificate', text: 'text' },
  { reason: 'a broken certificate', text: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' },
])('a custom file with $reason is refused', async ({ text }) => {
  await writeFile(file('a'), text);
  expect(() => trustEnvironmentCertificates({}, file('a'))).toThrow('invalid custom CA certificates');
  expect(added()).toBe(0);
});
