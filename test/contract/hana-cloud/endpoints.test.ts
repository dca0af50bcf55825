import { createServer } from 'node:http';
import type { LookupFunction } from 'node:net';
import { setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { listenOnLoopback } from '../../../internal/framework/base/loopback.fixture.ts';
import { type Metrics, nopMetrics } from '../../../internal/framework/base/telemetry/telemetry.ts';
import { EndpointRefusedError } from '../../../internal/framework/http/index.ts';
import type { HanaCloud } from '../../../internal/systems/inventory/hana-cloud/client.ts';
import type { AdminCredentials } from '../../../internal/systems/inventory/hana-cloud/credentials.ts';
import { type ConnectProxy, startConnectProxy } from '../../environment/connect-proxy.ts';
import { callOptions, hanaCloudOfFile, instance, parsed, thrownBy } from './set-up.ts';

const { simulator, closers, open } = hanaCloudOfFile();

/** The simulator's credentials with both hosts replaced by a name. */
async function named(host: string): Promise<AdminCredentials> {
  const credentials = parsed((await simulator.credentials(instance)).fields);
  const baseUrl = credentials.baseUrl.replace('127.0.0.1', host);
  return { ...credentials, baseUrl, tokenUrl: credentials.tokenUrl.replace('127.0.0.1', host) };
}

async function list(hana: HanaCloud, credentials: AdminCredentials) {
  const client = hana.connect(credentials);
  closers.push(client.close);
  return client.listMappings(instance, callOptions());
}

/** A DNS in which every name has these addresses. */
function resolving(addresses: string[]): LookupFunction {
  return (_hostname, options, callback) => {
    const all = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    if (options.all) callback(null, all);
    else callback(null, all[0]?.address ?? '', all[0]?.family);
  };
}

describe('private endpoints', () => {
  test('are refused where the credentials name their address, before anything is opened', async () => {
    const hana = open({ allowPrivateEndpoints: false });
    const credentials = await named('127.0.0.1');
    expect(() => hana.connect(credentials)).toThrow(EndpointRefusedError);
    expect(() => hana.connect({ ...credentials, baseUrl: 'https://api.example.com' })).toThrow(
      /^uaa\.url of the credentials is refused: 127\.0\.0\.1 is a loopback address \(ALLOW_PRIVATE_ENDPOINTS=true in the environment of the provider permits it\)$/,
    );
    expect(() => hana.connect({ ...credentials, tokenUrl: 'https://uaa.example.com/oauth/token' })).toThrow(
      /^baseurl of the credentials is refused/,
    );
    expect(simulator.requests()).toEqual([]);
  });

  test.each([['127.0.0.1'], ['::1'], ['10.0.0.7'], ['169.254.169.254'], ['203.0.113.9', '127.0.0.1']])(
    'are refused where a name resolves to one (%s)',
    async (...addresses) => {
      const hana = open({ allowPrivateEndpoints: false, lookup: resolving(addresses) });
      const error = await thrownBy(async () => list(hana, await named('hana.example.com')));
      expect(error).toBeInstanceOf(EndpointRefusedError);
      expect(error.message).toMatch(/^cannot list .*: host hana\.example\.com is refused: \S+ is a /);
      expect(simulator.requests()).toEqual([]);
    },
  );

  test('are called where that is allowed', async () => {
    const hana = open({ allowPrivateEndpoints: true, lookup: resolving(['127.0.0.1']) });
    await expect(list(hana, await named('hana.example.com'))).resolves.toMatchObject({ state: 'listed' });
  });
});

describe('TLS', () => {
  test('a server with an untrusted certificate gets neither credentials nor token', async () => {
    setDefaultCACertificates([]);
    const hana = open();
    const error = await thrownBy(async () => list(hana, await named('127.0.0.1')));
    setDefaultCACertificates([simulator.caCertificate]);
    expect(error).toMatchObject({ kind: 'transient' });
    expect(error.message).toMatch(/unable to verify|self.signed|issuer certificate/);
    expect(simulator.requests()).toEqual([]);
  });

  test('a certificate for another host is refused', async () => {
    const hana = open({ lookup: resolving(['127.0.0.1']) });
    const error = await thrownBy(async () => list(hana, await named('other.example.org')));
    expect(error.message).toContain('other.example.org');
    expect(simulator.requests()).toEqual([]);
  });

  test('a client certificate that the token endpoint does not know is a refusal of the credentials', async () => {
    const known = parsed((await simulator.credentials(instance)).x509);
    const other = parsed((await simulator.rotateCredentials(instance)).x509);
    const hana = open();
    const error = await thrownBy(() => list(hana, { ...known, authentication: other.authentication }));
    expect(error).toMatchObject({ kind: 'auth', status: 401 });
  });
});

describe('a proxy', () => {
  let proxy: ConnectProxy;
  beforeAll(async () => {
    proxy = await startConnectProxy();
  });
  afterAll(() => proxy.stop());

  test.each(['fields', 'x509'] as const)('of HTTPS_PROXY carries all calls (%s)', async (form) => {
    const before = proxy.tunnels.length;
    const hana = open({ env: { HTTPS_PROXY: proxy.url } });
    const data = Object.entries((await simulator.credentials(instance))[form]);
    const renamed = data.map(([key, value]) => [key, value.replaceAll('127.0.0.1', 'hana.test')]);
    await expect(list(hana, parsed(Object.fromEntries(renamed)))).resolves.toMatchObject({ state: 'listed' });
    const hosts = proxy.tunnels.slice(before).map(({ target }) => target.split(':')[0]);
    expect(hosts).toEqual(['hana.test', 'hana.test']);
  });

  test('is passed by for what NO_PROXY names', async () => {
    const before = proxy.tunnels.length;
    const env = { https_proxy: proxy.url, no_proxy: 'other.org,.test' };
    const hana = open({ env, lookup: resolving(['127.0.0.1']) });
    await expect(list(hana, await named('hana.test'))).resolves.toMatchObject({ state: 'listed' });
    expect(proxy.tunnels).toHaveLength(before);
  });

  test('resolves names itself, so only literal addresses in the credentials are checked', async () => {
    const hana = open({ allowPrivateEndpoints: false, env: { HTTPS_PROXY: proxy.url } });
    await expect(list(hana, await named('hana.example.com'))).resolves.toMatchObject({ state: 'listed' });
    const literal = await named('10.0.0.7');
    expect(() => hana.connect(literal)).toThrow(EndpointRefusedError);
  });

  test('that cannot be reached is an error that names it, without its password', async () => {
    const hana = open({ env: { HTTPS_PROXY: 'http://user:proxy-password@127.0.0.1:1' } });
    const error = await thrownBy(async () => list(hana, await named('hana.test')));
    expect(error).toMatchObject({ kind: 'transient' });
    expect(error.message).toContain('ECONNREFUSED');
    expect(error.message).not.toContain('proxy-password');
  });

  test('that accepts the connection and sends nothing times out after the connect time-out', async () => {
    const hanging = await listenOnLoopback(createServer().on('connect', () => undefined));
    closers.push(hanging.close);
    const codes: (string | undefined)[] = [];
    const metrics: Metrics = {
      ...nopMetrics,
      counter: () => ({ inc: (labels) => void codes.push(labels?.code) }),
    };
    const env = { HTTPS_PROXY: hanging.url };
    const hana = open({ env, metrics, connectTimeoutMs: 100, callTimeoutMs: 60_000 });
    const client = hana.connect(await named('hana.test'));
    const controller = new AbortController();
    const checking = thrownBy(() => client.checkToken({ signal: controller.signal }));
    while (codes.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort(new Error('enough'));
    await checking;
    expect(codes[0]).toBe('connect_timeout');
  });

  test('that refuses the tunnel is an error that names it', async () => {
    const server = createServer().on('connect', (_request, socket) =>
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'),
    );
    const refusing = await listenOnLoopback(server);
    closers.push(refusing.close);
    const hana = open({ env: { HTTPS_PROXY: refusing.url } });
    const error = await thrownBy(async () => list(hana, await named('hana.test')));
    expect(error).toMatchObject({ kind: 'transient' });
    expect(error.message).toContain('407');
  });
});
