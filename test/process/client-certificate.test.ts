import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { beforeAll, expect, test } from '@jest/globals';
import { Agent, request } from 'undici';
import { createAuthority } from '../../hack/control-planes/access/authority.ts';
import { nopLogger } from '../../internal/framework/base/telemetry/telemetry.ts';
import { temporaryFolder } from '../../internal/framework/base/temporary-folder.fixture.ts';
import { createFakeClock } from '../../internal/framework/base/time/fake-clock.ts';
import {
  type ClientCertificate,
  openConnections,
} from '../../internal/framework/http/transport/connections.ts';
import { startHttpServer } from '../../internal/framework/process/server/http-server.ts';
import {
  openClientCertificate,
  openTrustedCertificates,
  serverTls,
} from '../../internal/framework/process/server/server-tls.ts';
import { eventually } from '../environment/eventually.ts';

type Authority = Awaited<ReturnType<typeof createAuthority>>;

const folder = temporaryFolder('kyma-client-certificate-');
let authority: Authority;
let first: ClientCertificate;
let second: ClientCertificate;
const files = () => ({ certificate: join(folder, 'client.crt'), key: join(folder, 'client.key') });
const flags = { certificate: '--client-crt', key: '--client-key' };
const write = async ({ certificate, key }: ClientCertificate) => {
  await writeFile(files().certificate, certificate);
  await writeFile(files().key, key);
};
beforeAll(async () => {
  authority = await createAuthority('clients');
  [first, second] = await Promise.all([authority.issueClient('first'), authority.issueClient('second')]);
});

test('files that are replaced are the certificate of later calls; until both fit, the last pair is', async () => {
  await write(first);
  const clock = createFakeClock();
  const errors: string[] = [];
  const log = { ...nopLogger, error: (message: string) => void errors.push(message) };
  const current = await openClientCertificate({ files: files(), flags, clock, log });
  const later = async () => {
    await clock.advance(10_000);
    return current?.();
  };
  await write({ ...first, key: second.key });
  expect(await current?.()).toEqual(first);
  expect(await later()).toEqual(first);
  expect(await later()).toEqual(first);
  expect(errors).toEqual(['cannot reload the client certificate']);
  await write(second);
  expect(await later()).toEqual(second);
});

test.each([
  [{ key: '' }, 'cannot use a client certificate: give both --client-crt and --client-key'],
  [{ key: 'absent' }, 'cannot use --client-crt and --client-key: cannot read the client certificate'],
])('files %j are refused at the start', async (changed, message) => {
  await write(first);
  const options = { files: { ...files(), ...changed }, flags, clock: createFakeClock(), log: nopLogger };
  await expect(openClientCertificate(options)).rejects.toThrow(message);
});

test('connections show the certificate that replaced theirs, and requests in flight end', async () => {
  const server = await authority.issueServer(['127.0.0.1']);
  const held: (() => void)[] = [];
  const names: unknown[] = [];
  const https = createServer(
    {
      cert: server.certificate,
      key: server.key,
      ca: authority.certificate,
      requestCert: true,
    },
    (incoming, response) => {
      names.push((incoming.socket as TLSSocket).getPeerCertificate().subject.CN);
      if (incoming.url === '/held') held.push(() => response.end('held'));
      else response.end('answered');
    },
  );
  await new Promise<void>((done) => https.listen(0, '127.0.0.1', done));
  const url = new URL(`https://127.0.0.1:${(https.address() as AddressInfo).port}`);
  const connections = openConnections(
    {
      allowPrivateEndpoints: true,
      trustedCertificates: [authority.certificate],
      env: {},
      perOrigin: 1,
      connectTimeoutMs: 5000,
      keepAliveMs: 30_000,
    },
    first,
  );
  const get = async (path: string) => {
    const { body } = await request(new URL(path, url), { dispatcher: connections.dispatcherFor(url) });
    return body.text();
  };
  expect(await get('/')).toBe('answered');
  const inFlight = get('/held');
  while (held.length === 0) await new Promise((done) => setTimeout(done, 5));
  const former = connections.dispatcherFor(url);
  connections.changeIdentity({ ...first });
  expect(connections.dispatcherFor(url)).toBe(former);
  connections.changeIdentity(second);
  expect(former).toMatchObject({ closed: true, destroyed: false });
  expect(await get('/')).toBe('answered');
  for (const answer of held) answer();
  expect(await inFlight).toBe('held');
  expect(names).toEqual(['first', 'first', 'second']);
  await connections.close();
  https.close();
});

test('a server knows clients by the authority whose file replaced the one before', async () => {
  const next = await createAuthority('next clients');
  const [server, other] = await Promise.all([
    authority.issueServer(['127.0.0.1']),
    next.issueClient('of the next authority'),
  ]);
  const paths = { serverCrt: 'server.crt', serverKey: 'server.key', clientCaFile: 'clients.crt' };
  const flagged = Object.fromEntries(Object.entries(paths).map(([flag, name]) => [flag, join(folder, name)]));
  const tlsFlags = flagged as unknown as Parameters<typeof serverTls>[0];
  await writeFile(tlsFlags.serverCrt, server.certificate);
  await writeFile(tlsFlags.serverKey, server.key);
  await writeFile(tlsFlags.clientCaFile, authority.certificate);
  const clock = createFakeClock();
  const problems: string[] = [];
  const https = await startHttpServer({
    ...(await serverTls(tlsFlags)),
    address: '127.0.0.1:0',
    clock,
    log: { ...nopLogger, error: (message) => void problems.push(message) },
    listener: (incoming, response) => void response.end(String((incoming.socket as TLSSocket).authorized)),
  });
  const isKnown = async (client: ClientCertificate) => {
    const trust = { ca: authority.certificate, cert: client.certificate, key: client.key };
    const dispatcher = new Agent({ connect: trust });
    const { body } = await request(`https://${https.address}`, { dispatcher });
    const text = await body.text();
    await dispatcher.close();
    return text;
  };
  const both = async () => [await isKnown(first), await isKnown(other)];
  const replaced = async (text: string) => {
    await writeFile(tlsFlags.clientCaFile, text);
    await clock.advance(10_000);
  };
  expect(await both()).toEqual(['true', 'false']);
  await replaced('');
  await eventually(() => expect(problems).toHaveLength(1));
  expect(await both()).toEqual(['true', 'false']);
  await replaced(next.certificate);
  await eventually(async () => expect(await both()).toEqual(['false', 'true']));
  await https.close(AbortSignal.abort());
});

test('a file of authorities that is replaced is trusted by later connections; one without certificates changes nothing', async () => {
  const next = await createAuthority('next servers');
  const file = join(folder, 'servers.crt');
  await writeFile(file, authority.certificate);
  const clock = createFakeClock();
  const problems: string[] = [];
  const log = { ...nopLogger, error: (message: string) => void problems.push(message) };
  const trusted = await openTrustedCertificates({ file, flag: '--ca-file', clock, log });
  const connections = openConnections({
    allowPrivateEndpoints: true,
    trustedCertificates: [],
    env: {},
    perOrigin: 1,
    connectTimeoutMs: 5000,
    keepAliveMs: 30_000,
  });
  const servers = await Promise.all(
    [authority, next].map(async (of) => {
      const { certificate: cert, key } = await of.issueServer(['127.0.0.1']);
      const https = createServer({ cert, key }, (_, response) => void response.end('answered'));
      await new Promise<void>((done) => https.listen(0, '127.0.0.1', done));
      return https;
    }),
  );
  const answers = async () => {
    connections.changeTrust(await trusted());
    const sent = servers.map((https) => {
      const url = new URL(`https://127.0.0.1:${(https.address() as AddressInfo).port}`);
      return request(url, { dispatcher: connections.dispatcherFor(url) }).then(({ body }) => body.text());
    });
    return (await Promise.allSettled(sent)).map(({ status }) => status);
  };
  const replaced = async (text: string) => {
    await writeFile(file, text);
    await clock.advance(10_000);
  };
  expect(await answers()).toEqual(['fulfilled', 'rejected']);
  await replaced('');
  expect(await answers()).toEqual(['fulfilled', 'rejected']);
  expect(problems).toEqual(['cannot reload trusted certificates']);
  await replaced(next.certificate);
  expect(await answers()).toEqual(['rejected', 'fulfilled']);
  await connections.close();
  for (const https of servers) https.close();
});

test('no file of authorities: none is trusted besides those of Node, and one that cannot be used is refused at the start', async () => {
  const options = { flag: '--ca-file', clock: createFakeClock(), log: nopLogger };
  const none = await openTrustedCertificates({ ...options, file: '' });
  expect(await none()).toEqual([]);
  const absent = openTrustedCertificates({ ...options, file: join(folder, 'absent') });
  await expect(absent).rejects.toThrow('cannot use --ca-file: ENOENT');
});
