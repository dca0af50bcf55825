import { createServer } from 'node:https';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createDeps } from '../../base/deps.ts';
import { listenOnLoopback } from '../../base/loopback.fixture.ts';
import { createFakeClock, type FakeClock } from '../../base/time/fake-clock.ts';
import type { ClusterConfig, Credentials } from '../config/cluster-config.ts';
import { selfSigned } from '../config/untrusted-kubeconfig.fixture.ts';
import { KubeApiError } from '../errors/errors.ts';
import {
  hangUp,
  refuse,
  reply,
  type Script,
  type ScriptedServer,
  startScriptedServer,
} from '../fakes/scripted-server.ts';
import { createTransport, type Transport } from '../transport/transport.ts';
import { createRequestSender, type RequestSender } from './request-sender.ts';

let server: ScriptedServer;
let transport: Transport;
let clock: FakeClock;
let credentials: Credentials;
/** What a rotation would bring. */
let fresh: Credentials | undefined;

beforeEach(async () => {
  server = await startScriptedServer();
  clock = createFakeClock();
  credentials = { headers: { authorization: 'Bearer old' } };
  fresh = undefined;
});
afterEach(async () => {
  await transport.close();
  await server.close();
});

function sender(timeoutMs = 30_000, cluster: Partial<ClusterConfig> = {}): RequestSender {
  const config = {
    server: server.url,
    ...cluster,
    credentials: async () => credentials,
    refused: () => {
      credentials = fresh ?? credentials;
    },
  };
  transport = createTransport({ config });
  const clusterName = 'cluster test';
  return createRequestSender({
    ...createDeps({ clock, random: () => 0.5 }),
    config,
    transport,
    clusterName,
    metricsLabels: { cluster: 'test', host: 'test' },
    timeoutMs,
    maxResponseBytes: 1000,
  });
}

const get = {
  verb: 'get',
  object: 'Secret shop/a',
  method: 'GET',
  path: '/a',
  accept: 'application/json',
} as const;
const put = { ...get, verb: 'update', method: 'PUT', body: '{}' } as const;

/** Lets real sockets work until `condition` holds; the clock stands still meanwhile. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

const throttle = refuse(429, 'TooManyRequests', {
  message: 'storage is (re)initializing',
  headers: { 'retry-after': '1' },
});
const busy = refuse(503, 'ServiceUnavailable', { headers: { 'retry-after': '2' } });

describe('Retry-After', () => {
  test('is waited for, not shortened, and the call then succeeds', async () => {
    server.next(throttle, reply(200, 'done'));
    const result = sender().call(get);
    await until(() => server.requests.length === 1 && clock.pending() === 2);
    await clock.advance(999);
    expect(server.requests).toHaveLength(1);
    await clock.advance(200);
    expect(await result).toBe('done');
  });

  test('of a 429 is honoured for writes too: the server had not begun', async () => {
    server.next(throttle, reply(200, 'done'));
    const result = sender().call(put);
    await until(() => clock.pending() === 2);
    await clock.advance(1200);
    expect(await result).toBe('done');
  });

  test.each([500, 503, 504])(
    'of a %d is honoured for reads, while a write is for the caller to decide',
    async (status) => {
      const refusal = refuse(status, 'Busy', { headers: { 'retry-after': '2' } });
      server.next(refusal, reply(200, 'done'), refusal);
      const result = sender().call(get);
      await until(() => clock.pending() === 2);
      await clock.advance(2200);
      expect(await result).toBe('done');
      await expect(sender().call(put)).rejects.toMatchObject({ status });
    },
  );

  test('of a 503 for a write tells the caller how long to wait', async () => {
    server.next(busy);
    await expect(sender().call(put)).rejects.toMatchObject({ kind: 'throttled', retryAfterMs: 2000 });
  });

  test('beyond the deadline is thrown at once, so that the caller learns how long to wait', async () => {
    server.next(busy);
    await expect(sender(1500).call(get)).rejects.toMatchObject({ kind: 'throttled', retryAfterMs: 2000 });
    expect(server.requests).toHaveLength(1);
  });

  test('again and again is given up after some tries', async () => {
    server.next(...Array.from({ length: 10 }, () => throttle));
    const result = sender()
      .call(get)
      .catch((error: unknown) => error);
    for (let tries = 1; tries <= 5; tries++) {
      await until(() => server.requests.length === tries && clock.pending() === 2);
      await clock.advance(1200);
    }
    expect(await result).toBeInstanceOf(KubeApiError);
    expect(server.requests).toHaveLength(6);
  });

  test('is no reason to outlive the caller', async () => {
    server.next(throttle);
    const stop = new AbortController();
    const result = sender()
      .call({ ...get, signal: stop.signal })
      .catch((error: unknown) => error);
    await until(() => clock.pending() === 2);
    stop.abort(new Error('enough'));
    expect(await result).toBe(stop.signal.reason);
    expect(clock.pending()).toBe(0);
  });
});

describe('credentials that were refused', () => {
  test('are looked for anew, and the call repeated once with what is found', async () => {
    fresh = { headers: { authorization: 'Bearer new' } };
    server.next(refuse(401, 'Unauthorized'), reply(200, 'done'));
    expect(await sender().call(put)).toBe('done');
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer old', 'Bearer new']);
  });

  test('for several calls at a time are looked for by the first, and all are repeated', async () => {
    fresh = { headers: { authorization: 'Bearer new' } };
    const refusals = Array.from({ length: 3 }, () => refuse(401, 'Unauthorized'));
    server.next(...refusals, reply(200, 'done'), reply(200, 'done'), reply(200, 'done'));
    const { call } = sender();
    expect(await Promise.all([call(get), call(put), call(get)])).toEqual(['done', 'done', 'done']);
  });

  test('and are still the same are not tried again', async () => {
    server.next(refuse(401, 'Unauthorized'));
    await expect(sender().call(get)).rejects.toMatchObject({ status: 401, kind: 'auth' });
    expect(server.requests).toHaveLength(1);
  });

  test('twice are a failure, also if others are found each time', async () => {
    let rotations = 0;
    const refused: Script = (request, response) => {
      fresh = { headers: { authorization: `Bearer ${++rotations}` } };
      refuse(401, 'Unauthorized')(request, response);
    };
    server.next(refused, refused, refused);
    await expect(sender().call(get)).rejects.toMatchObject({ status: 401 });
    expect(server.requests).toHaveLength(2);
  });
});

describe('a server with a certificate that is not trusted', () => {
  async function startTlsServer() {
    const { cert, key } = await selfSigned();
    const calls: (string | undefined)[] = [];
    const tls = createServer({ cert, key }, ({ method }, response) => {
      calls.push(method);
      response.end('done');
    });
    const { url, close } = await listenOnLoopback(tls);
    const config = { server: url, tlsServerName: 'test' };
    return { ca: cert, calls, config, [Symbol.asyncDispose]: close };
  }

  test('is asked again with the authority that a rotation brings, also for writes: nothing was sent', async () => {
    await using tls = await startTlsServer();
    fresh = { ca: tls.ca, headers: {} };
    expect(await sender(30_000, tls.config).call(put)).toBe('done');
    expect(tls.calls).toEqual(['PUT']);
  });

  test('is not asked again without a rotation', async () => {
    await using tls = await startTlsServer();
    await expect(sender(30_000, tls.config).call(get)).rejects.toThrow(
      "cannot get Secret shop/a on cluster test: the server's TLS certificate or handshake is refused: self-signed certificate",
    );
  });

  test('is a failure if the authority of the rotation is not that of the server either', async () => {
    await using tls = await startTlsServer();
    const { cert: ca } = await selfSigned();
    fresh = { ca, headers: {} };
    await expect(sender(30_000, tls.config).call(get)).rejects.toThrow('certificate or handshake is refused');
    expect(tls.calls).toEqual([]);
  });
});

describe('a connection that the server closed while it was idle', () => {
  test('costs a read nothing but another connection', async () => {
    server.next(hangUp, reply(200, 'done'));
    expect(await sender().call(get)).toBe('done');
  });

  test('is tried again once only', async () => {
    server.next(hangUp, hangUp);
    await expect(sender().call(get)).rejects.toThrow(
      'cannot get Secret shop/a on cluster test: other side closed',
    );
    expect(server.requests).toHaveLength(2);
  });
});

test('credentials that cannot be had keep the kind of their error', async () => {
  const failing = sender();
  credentials = undefined as never;
  await expect(failing.call(get)).rejects.toMatchObject({ kind: 'bug' });
});

describe('the time of the server', () => {
  test('is that of its last response, plus the time since, whatever the own clock says', async () => {
    const { serverTime, call } = sender();
    expect(serverTime.now()).toBe(clock.now());
    server.next(
      reply(200, 'done', { date: 'Tue, 01 Jul 2025 10:00:00 GMT' }),
      reply(200, 'done', { date: 'soon' }),
    );
    await call(get);
    await call(get);
    clock.jump(-1e12);
    await clock.advance(1500);
    expect(new Date(serverTime.now()).toISOString()).toBe('2025-07-01T10:00:01.500Z');
  });
});

describe('an API server that quotes the credentials', () => {
  test.each([
    {
      title: 'its token',
      given: { headers: { authorization: 'Bearer opa"que/tok+en' } },
      secret: 'opa"que/tok+en',
    },
    {
      title: 'its password',
      given: { headers: { authorization: `Basic ${Buffer.from('ann:hun"ter/2+').toString('base64')}` } },
      secret: 'hun"ter/2+',
    },
  ])('shows $title in no error, whatever its form', async ({ given, secret }) => {
    const { call } = sender();
    credentials = given;
    for (const text of [
      secret,
      Buffer.from(secret).toString('base64'),
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
    ]) {
      const cause = { reason: 'Invalid', message: `bad ${text}`, field: 'x' };
      const status = { kind: 'Status', message: `refused ${text} .`, details: { causes: [cause] } };
      server.next(reply(400, JSON.stringify(status)));
      const error: unknown = await call(get).catch((thrown: unknown) => thrown);
      expect(String(error)).toMatch(/refused \[redacted\]\S{0,3} \.$/);
      expect(JSON.stringify(error instanceof KubeApiError ? error.details : undefined)).toContain(
        'bad [redacted]',
      );
    }
  });
});
