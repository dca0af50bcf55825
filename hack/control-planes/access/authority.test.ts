import { createPrivateKey, X509Certificate } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createAuthority, loadAuthority } from './authority.ts';

test('a server certificate is good for its names and addresses, and no others', async () => {
  const authority = await createAuthority('test-authority');

  const issued = new X509Certificate((await authority.issueServer(['127.0.0.1', 'localhost'])).certificate);

  expect(issued.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true);
  expect(issued.checkIP('127.0.0.1')).toBe('127.0.0.1');
  expect(issued.checkHost('localhost')).toBe('localhost');
  expect(issued.checkHost('example.com')).toBeUndefined();
  expect(issued.ca).toBe(false);
});

test('a client certificate has user and groups as Kubernetes reads them', async () => {
  const authority = await createAuthority('test-authority');

  const pair = await authority.issueClient('jane', ['shop', 'ops']);

  const issued = new X509Certificate(pair.certificate);
  expect(issued.subject.split('\n').sort()).toEqual(['CN=jane', 'O=ops', 'O=shop']);
  expect(issued.checkPrivateKey(createPrivateKey(pair.key))).toBe(true);
});

test('another process can use the authority', async () => {
  const created = await createAuthority('test-authority');
  const loaded = await loadAuthority({ certificate: created.certificate, key: created.key });

  const issued = new X509Certificate((await loaded.issueClient('jane')).certificate);

  expect(issued.verify(new X509Certificate(created.certificate).publicKey)).toBe(true);
});

test('another authority’s certificates are not its own', async () => {
  const [one, other] = [await createAuthority('same-name'), await createAuthority('same-name')];

  const issued = new X509Certificate((await one.issueClient('jane')).certificate);

  expect(issued.verify(new X509Certificate(other.certificate).publicKey)).toBe(false);
});
