import { webcrypto } from 'node:crypto';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import tls, { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { temporaryFolders } from '../../../framework/base/temporary-folder.fixture.ts';
import 'reflect-metadata';
import { afterEach, describe, expect, test } from '@jest/globals';
import { X509CertificateGenerator } from '@peculiar/x509';
import { trustEnvironmentCertificates } from './trust.ts';

/** Without the folders of this machine. */
const trust = (env: NodeJS.ProcessEnv, customFile = file('missing'), folders: readonly string[] = []) =>
  trustEnvironmentCertificates(env, { customFile, folders });

// Commands that other tests of this process ran have added the authorities of this machine: they count from now on.
tls.createSecureContext();
// Without duplicates, which Node removes.
setDefaultCACertificates(getCACertificates('default'));
const before = getCACertificates('default');
const folder = temporaryFolders('trust-');
afterEach(async () => {
  setDefaultCACertificates(before);
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

const file = (name: string) => join(folder(), name);
/** How many certificates are trusted in addition. */
const added = () => getCACertificates('default').length - before.length;
/** As a connection to a server whose authority is not given. */
const connect = () => void tls.createSecureContext();

test('SSL_CERT_FILE and the custom file are trusted, if they exist', async () => {
  trust({}, file('missing'));
  expect(added()).toBe(0);
  await writeFile(file('a'), `${await authority()}\n`);
  await writeFile(file('b'), `# two\n${await authority()}\n${await authority()}`);
  trust({ SSL_CERT_FILE: file('a') }, file('b'));
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
  trust({ SSL_CERT_FILE: file('roots') }, file('missing'));
  expect(functions()).toEqual(ofNode);
  await writeFile(file('a'), `${tls.rootCertificates.join('\n')}\n${own}`);
  trust({ SSL_CERT_FILE: file('a') }, file('missing'));
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
  expect(() => trust({}, file('a'))).toThrow('invalid custom CA certificates');
  expect(added()).toBe(0);
});

describe('folders', () => {
  test('are the system’s by default, and those of SSL_CERT_DIR in place of them', async () => {
    for (const name of ['system', 'first', 'second']) {
      await mkdir(file(name));
      await writeFile(file(`${name}/ca.crt`), await authority());
    }
    trust({}, file('missing'), [file('system')]);
    connect();
    expect(added()).toBe(1);
    setDefaultCACertificates(before);
    trust({ SSL_CERT_DIR: `${file('first')}:${file('second')}:${file('third')}` }, file('missing'), [
      file('system'),
    ]);
    connect();
    expect(added()).toBe(2);
  });

  test('are read as Kubernetes mounts them, without what is no certificate, each certificate once', async () => {
    const own = await authority();
    await mkdir(file('..2026'));
    await writeFile(file('..2026/ca.crt'), own);
    await symlink('..2026', file('..data'));
    await symlink('..data/ca.crt', file('ca.crt'));
    await writeFile(file('again.pem'), `${own}\n${tls.rootCertificates.join('\n')}`);
    await writeFile(file('notes'), 'text');
    await writeFile(file('broken'), '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----');
    trust({}, file('missing'), [folder()]);
    connect();
    expect(added()).toBe(1);
  });

  test('are read once, also if commands of one process ask for them many times', async () => {
    await writeFile(file('ca.crt'), await authority());
    for (let n = 0; n < 40; n++) trust({}, file('missing'), [folder()]);
    connect();
    expect(added()).toBe(1);
  });

  test('may be a volume that hides the file of SSL_CERT_FILE', async () => {
    const env = { SSL_CERT_FILE: file('ca-certificates.crt') };
    expect(() => trust(env, file('missing'), [folder()])).toThrow('cannot read SSL_CERT_FILE');
    await writeFile(file('ca.crt'), await authority());
    trust(env, file('missing'), [folder()]);
    connect();
    expect(added()).toBe(1);
  });
});
