import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:tls';
import { expect, test } from '@jest/globals';
import { listenOnLoopback } from '../../../../../framework/base/loopback.fixture.ts';
import { selfSignedCertificate } from './self-signed-certificate.ts';

const HOST = 'connectivity-proxy-smv.kyma-system.svc';
const NOW = Date.UTC(2026, 0, 1);

test('the certificate is for the host, its own authority, and valid for ten years', () => {
  const { certificate, key } = selfSignedCertificate(HOST, NOW);
  const read = new X509Certificate(certificate);

  expect(read.subjectAltName).toBe(`DNS:${HOST}`);
  expect(read.ca).toBe(true);
  expect(read.verify(read.publicKey)).toBe(true);
  expect(read.validFromDate.toISOString()).toBe('2025-12-31T23:00:00.000Z');
  expect(read.validToDate.toISOString()).toBe('2035-12-30T00:00:00.000Z');
  expect(key).toContain('BEGIN PRIVATE KEY');
});

test('every certificate has a key and a number of its own', () => {
  const [one, two] = [selfSignedCertificate(HOST, NOW), selfSignedCertificate(HOST, NOW)];

  expect(new X509Certificate(one.certificate).serialNumber).not.toBe(
    new X509Certificate(two.certificate).serialNumber,
  );
  expect(one.key).not.toBe(two.key);
});

test('a client that trusts it accepts its server', async () => {
  const { certificate, key } = selfSignedCertificate(HOST, Date.now());
  await using server = await listenOnLoopback(
    createServer({ cert: certificate, key }, (socket) => socket.end('hello')),
  );

  const client = connect({ port: server.port, host: '127.0.0.1', servername: HOST, ca: certificate });
  const [data] = await once(client, 'data');

  expect(String(data)).toBe('hello');
  expect(client.authorized).toBe(true);
  client.destroy();
});
