import { Resolver } from 'node:dns/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { listenOnLoopback } from '../../base/loopback.fixture.ts';
import { openConnections } from '../../http/transport/connections.ts';
import { describeNetworkFailure } from '../../http/transport/network-failure.ts';
import type { Credentials } from '../config/cluster-config.ts';
import { KubeconfigError } from '../config/kubeconfig-document.ts';
import { good, kubeconfig } from '../config/untrusted-kubeconfig.fixture.ts';
import { ResponseTooLargeError } from '../errors/errors.ts';
import { reply, type Script, type ScriptedServer, startScriptedServer } from '../fakes/scripted-server.ts';
import {
  createTransport,
  permittedKubeconfig,
  type Transport,
  type TransportOptions,
  type TransportRequest,
} from './transport.ts';

let server: ScriptedServer;
let transport: Transport;
let credentials: Credentials;

beforeEach(async () => {
  server = await startScriptedServer(reply(200, 'ok'));
  credentials = { headers: { authorization: 'Bearer one' } };
});
afterEach(async () => {
  await transport.close();
  await server.close();
});

function connect(connections = 4, path = '', more: Partial<TransportOptions> = {}): Transport {
  transport = createTransport({
    ...more,
    config: { server: server.url + path, credentials: async () => credentials },
    connections,
    env: {},
  });
  return transport;
}

const signal = new AbortController().signal;

const request: TransportRequest = { method: 'GET', path: '/x?y=z', headers: {}, signal };

const send = async (maxBytes = 1000): Promise<string> => (await transport.call(request, maxBytes)).body;

async function watch(): Promise<void> {
  const { body } = await transport.open(request);
  for await (const _ of body);
}

const heldOpen: Script = (_request, response) => {
  response.writeHead(200).write('begun\n');
};

test('a burst of calls shares a bounded number of connections, and later calls use them again', async () => {
  connect(4);
  await Promise.all(Array.from({ length: 100 }, () => send()));
  await send();
  expect(server.requests).toHaveLength(101);
  expect(server.connections()).toBeLessThanOrEqual(4);
});

test('watches hold connections of their own, so that a call never waits for one to end', async () => {
  connect(1);
  server.next(...Array.from({ length: 10 }, () => heldOpen));
  const stop = new AbortController();
  const watches = Array.from({ length: 10 }, () => transport.open({ ...request, signal: stop.signal }));
  await Promise.all(watches);
  expect(await send()).toBe('ok');
  expect(server.connections()).toBe(11);
  stop.abort();
});

test('a connection that is idle is closed in its time, whatever longer one its server offers', async () => {
  const offer: Script = (_request, response) => {
    response.setHeader('keep-alive', 'timeout=600');
    response.end('ok');
  };
  server.next(offer, offer);
  const keepAliveMs = 100;
  connect(1, '', { keepAliveMs });
  await send();
  const none = { trustedCertificates: [], env: {}, allowPrivateEndpoints: true };
  const direct = openConnections({ ...none, perOrigin: 1, connectTimeoutMs: 1000, keepAliveMs });
  const dispatcher = direct.dispatcherFor(new URL(server.url));
  await (await dispatcher.request({ origin: server.url, path: '/', method: 'GET' })).body.text();
  for (let n = 0; n < 50 && server.open() > 0; n++) await new Promise((done) => setTimeout(done, 100));
  expect([server.connections(), server.open()]).toEqual([2, 0]);
  await direct.close();
});

test('the path of the server’s URL goes before that of the request, as proxies like Rancher need it', async () => {
  connect(1, '/k8s/clusters/c-1/');
  await send();
  expect(server.requests[0]?.url).toBe('/k8s/clusters/c-1/x?y=z');
});

test('a body that is longer than asked for is no answer, and its connection is not used again', async () => {
  connect(1);
  server.next(reply(200, 'x'.repeat(100)));
  await expect(send(99)).rejects.toThrow(new ResponseTooLargeError('the answer is longer than 99 bytes'));
  expect(await send()).toBe('ok');
  expect(server.connections()).toBe(2);
});

test('a call that is given up ends at once with the signal’s reason, also while it waits for a connection', async () => {
  connect(1);
  server.next(heldOpen);
  const stop = new AbortController();
  const calls = [1, 2].map(() => transport.call({ ...request, signal: stop.signal }, 1000));
  while (server.requests.length < 1) await new Promise((resolve) => setImmediate(resolve));
  const reason = new Error('no time left');
  stop.abort(reason);
  for (const call of calls) await expect(call).rejects.toBe(reason);
  expect(await send()).toBe('ok');
  expect(server.requests).toHaveLength(2);
});

describe('a rotation', () => {
  test('of the token takes effect with the next request, on the same connection', async () => {
    connect(1);
    await send();
    credentials = { headers: { authorization: 'Bearer two' } };
    await send();
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer one', 'Bearer two']);
    expect(server.connections()).toBe(1);
  });

  test('of certificates opens new connections, while what is in flight ends on the old ones', async () => {
    connect(1);
    let finish: () => void = () => undefined;
    server.next((_request, response) => {
      finish = () => void response.writeHead(200).end('late');
    });
    const slow = send();
    while (server.requests.length < 1) await new Promise((resolve) => setImmediate(resolve));
    credentials = { ...credentials, ca: 'another' };
    expect(await send()).toBe('ok');
    finish();
    expect(await slow).toBe('late');
    expect(server.connections()).toBe(2);
  });
});

test('closing cuts watches as well, those on retired connections too', async () => {
  connect(1);
  server.next(heldOpen);
  const watching = watch().catch((error: unknown) => error);
  while (server.requests.length < 1) await new Promise((resolve) => setImmediate(resolve));
  credentials = { ...credentials, ca: 'another' };
  await send();
  await transport.close();
  expect(await watching).toBeInstanceOf(Error);
  while (server.open() > 0) await new Promise((resolve) => setImmediate(resolve));
});

test('a server that accepts connections and does not respond fails after the connect timeout', async () => {
  await using silent = await listenOnLoopback(createServer((socket) => void socket.resume()));
  const config = { server: `https://127.0.0.1:${silent.port}`, credentials: async () => credentials };
  transport = createTransport({ config, connectTimeoutMs: 20, env: {} });
  const error = await send().catch((e: unknown) => e);
  expect(error).toMatchObject({ code: 'UND_ERR_CONNECT_TIMEOUT' });
  expect(describeNetworkFailure(error).code).toBe('connect_timeout');
  await transport.close();
});

test('a proxy of a kubeconfig that accepts the connection and does not respond to CONNECT fails after the connect timeout', async () => {
  await using hanging = await listenOnLoopback(createHttpServer().on('connect', () => undefined));
  const { url: proxyUrl } = hanging;
  const config = { server: 'https://api.example', proxyUrl, credentials: async () => credentials };
  transport = createTransport({ config, connectTimeoutMs: 50, env: {} });
  const error = await send().catch((e: unknown) => e);
  expect(describeNetworkFailure(error).code).toBe('connect_timeout');
  await transport.close();
});

test('the name of a foreign server is resolved without the threads of the system, which could be held up', async () => {
  const { resolve4, resolve6 } = Resolver.prototype;
  const asked: string[] = [];
  const query = async (name: string) => {
    asked.push(name);
    throw Object.assign(new Error('ENOTFOUND'), { code: 'ENOTFOUND' });
  };
  Object.assign(Resolver.prototype, { resolve4: query, resolve6: query });
  const config = { server: 'https://a.example.com', isForeign: true, credentials: async () => credentials };
  transport = createTransport({ config, env: {} });
  await expect(send()).rejects.toThrow('getaddrinfo ENOTFOUND a.example.com');
  Object.assign(Resolver.prototype, { resolve4, resolve6 });
  expect(asked).toEqual(['a.example.com', 'a.example.com']);
});

describe('the kubeconfig of a tenant', () => {
  const withServer = (server: string) => kubeconfig({ ...good, cluster: { server } });

  test('leads to no address that its name, which resolves as its author likes, must not have', async () => {
    const { lookup } = permittedKubeconfig(withServer('https://localtest.example'), false);
    const { resolve4, resolve6 } = Resolver.prototype;
    const resolved = (address: string) =>
      Object.assign(Resolver.prototype, { resolve4: async () => [address], resolve6: async () => [] });
    const found = () =>
      new Promise((resolve) => {
        if (lookup === undefined) return resolve('unguarded');
        lookup('localtest.example', { all: true }, (error, all) => resolve(error?.message ?? all));
      });
    for (const address of ['127.0.0.1', '169.254.169.254']) {
      resolved(address);
      expect(await found()).toContain('is refused');
    }
    // Clusters may be in private networks.
    resolved('10.1.2.3');
    expect(await found()).toEqual([expect.objectContaining({ address: '10.1.2.3' })]);
    Object.assign(Resolver.prototype, { resolve4, resolve6 });
  });

  test('is not looked at further where all addresses are permitted', () => {
    expect(permittedKubeconfig(withServer('https://127.0.0.1:6443'), true).lookup).toBeUndefined();
    expect(() => permittedKubeconfig(withServer('https://127.0.0.1:6443'), false)).toThrow('is refused');
  });
});

test('a proxy that cannot be used is refused instead of being passed by', () => {
  const none = async () => credentials;
  const config = { server: 'https://api.example', credentials: none };
  const open = (proxyUrl: string) => createTransport({ config: { ...config, proxyUrl }, env: {} });
  expect(() => open('socks5://proxy:1080')).toThrow(KubeconfigError);
  expect(() => createTransport({ config, env: { HTTPS_PROXY: 'socks5://user:pw@proxy:1080' } })).toThrow(
    'cannot connect to api.example: the proxy of the environment is neither http nor https',
  );
});
