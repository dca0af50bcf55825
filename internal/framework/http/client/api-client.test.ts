import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Agent } from 'undici';
import { createConcurrencyLimiter } from '../../base/concurrency/concurrency-limiter.ts';
import { PostponedError } from '../../base/concurrency/fence.ts';
import { createDeps } from '../../base/deps.ts';
import { type Loopback, listenOnLoopback } from '../../base/loopback.fixture.ts';
import { createFakeMetrics } from '../../base/telemetry/fake-metrics.ts';
import { redact } from '../../base/text/redact.ts';
import { systemClock } from '../../base/time/clock.ts';
import { NoResponseError, ResponseError } from '../errors/errors.ts';
import { createCallSlots } from '../limits/call-slots.ts';
import { type ApiClientOptions, createApiClient, errorResponses, fenced } from './api-client.ts';
import { bearerToken } from './bearer-token.ts';
import { createHttpClient } from './http-client.ts';

interface Bucket {
  readonly size: number;
}

/** As openapi-typescript writes them. */
interface Paths {
  '/v1/buckets/{name}': {
    parameters: { path: { name: string } };
    get: {
      parameters: { query?: { zone?: string }; path: { name: string } };
      responses: { 200: { content: { 'application/json': Bucket } } };
    };
    put: {
      parameters: { path: { name: string } };
      requestBody: { content: { 'application/json': Bucket } };
      responses: { 200: { content: { 'application/json': Bucket } } };
    };
  };
}

const path = '/v1/buckets/{name}';
const route = `GET ${path}`;
const signal = new AbortController().signal;
const params = { path: { name: 'a/b' } };

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

let server: Loopback;
let agent: Agent;
let handle: Handler;

beforeEach(async () => {
  agent = new Agent();
  server = await listenOnLoopback(
    createServer(async (request, response) => handle(request, response, await text(request))),
  );
});
afterEach(async () => {
  await agent.destroy();
  await server.close();
});

function open(options: Partial<ApiClientOptions> = {}) {
  const metrics = createFakeMetrics();
  const clock = systemClock;
  const limiter = createConcurrencyLimiter({ clock });
  const http = createHttpClient({
    ...createDeps({ clock, random: () => 0.5, metrics }),
    system: 'buckets',
    slots: createCallSlots({ apiName: 'Buckets', clock, limiter, maxCalls: 4, callsPerHost: 4 }),
    callTimeoutMs: 30_000,
    maxResponseBytes: 1000,
  });
  const baseUrl = `${server.url}/api`;
  const client = createApiClient<Paths>({ baseUrl, http, dispatcherFor: () => agent, ...options });
  return { client, metrics };
}

const answer =
  (body: string, status = 200, headers: Record<string, string> = {}): Handler =>
  (_request, response) => {
    response.writeHead(status, headers).end(body);
  };

describe('a call by an OpenAPI document', () => {
  test('sends method, path, query, headers and body, and reads the JSON value', async () => {
    const seen: unknown[] = [];
    handle = (request, response, body) => {
      const { method, url, headers } = request;
      seen.push([method, url, headers.accept, headers['content-type'], body]);
      response.end('{"size":7}');
    };
    const { client, metrics } = open();
    const query = { zone: 'x y' };
    const read = await client.GET(path, { params: { ...params, query }, signal });
    const written = await client.PUT(path, { params, body: { size: 7 }, signal });
    expect([read.data, written.data]).toEqual([{ size: 7 }, { size: 7 }]);
    expect(seen).toEqual([
      ['GET', '/api/v1/buckets/a%2Fb?zone=x%20y', 'application/json', undefined, ''],
      ['PUT', '/api/v1/buckets/a%2Fb', 'application/json', 'application/json', '{"size":7}'],
    ]);
    const labels = { system: 'buckets', route, code: '200' };
    expect(metrics.value('provider_kyma_external_calls_total', labels)).toBe(1);
  });

  test('names its program, since some APIs and firewalls refuse a request that names none', async () => {
    const seen: unknown[] = [];
    handle = (request, response) => {
      seen.push(request.headers['user-agent']);
      response.end('{}');
    };
    const { client } = open();
    await client.GET(path, { params, signal });
    await client.GET(path, { params, signal, headers: { 'User-Agent': 'own/1' } });
    expect(seen).toEqual(['provider-kyma', 'own/1']);
  });

  test('has its JSON read without a byte order mark, which some servers send', async () => {
    handle = (_, response) => response.end('\ufeff{"size":7}');
    expect((await open().client.GET(path, { params, signal })).data).toEqual({ size: 7 });
    handle = (_, response) => response.writeHead(404).end('\ufeff{"message":"no such bucket"}');
    expect((await open().client.GET(path, { params, signal })).error).toEqual({ message: 'no such bucket' });
  });

  test('without a signal is refused: nothing would end its wait for a slot', async () => {
    await expect(open().client.GET(path, { params })).rejects.toMatchObject({ kind: 'bug' });
  });

  test('ends with its signal', async () => {
    const controller = new AbortController();
    const { client, metrics } = open();
    const inFlight = () => metrics.value('provider_kyma_external_calls_in_flight', { system: 'buckets' });
    const seen: unknown[] = [];
    handle = () => {
      seen.push(inFlight());
      controller.abort(new Error('enough'));
    };
    const call = client.GET(path, { params, signal: controller.signal });
    const error = await call.catch((e: unknown) => e);
    expect(error).toBeInstanceOf(NoResponseError);
    expect(error).toMatchObject({ aborted: true, sent: true, cause: controller.signal.reason });
    expect([...seen, inFlight()]).toEqual([1, 0]);
    const labels = { system: 'buckets', route, code: 'aborted' };
    expect(metrics.value('provider_kyma_external_calls_total', labels)).toBe(1);
  });

  test('with a fence leaves only if the fence lets it', async () => {
    let requests = 0;
    handle = (_request, response) => {
      requests++;
      response.end('{}');
    };
    const { client } = open();
    const refusing = fenced(() => {
      throw new PostponedError('conflict', 'the object changed');
    });
    const call = { params, body: { size: 1 }, signal };
    await expect(client.PUT(path, { ...call, middleware: [refusing] })).rejects.toThrow('the object changed');
    expect(requests).toBe(0);
    await client.PUT(path, { ...call, middleware: [fenced(() => undefined)] });
    expect(requests).toBe(1);
  });
});

test.each([
  { what: 'host', from: '127.0.0.1', to: 'localhost' },
  { what: 'port', from: /:\d+/, to: ':1' },
  { what: 'scheme', from: 'http:', to: 'https:' },
])('a request for another $what, which would get the credentials of this API, is not sent', async (each) => {
  let requests = 0;
  handle = (_request, response) => {
    requests++;
    response.end('{}');
  };
  const { client } = open();
  const elsewhere = {
    onRequest: ({ request }: { request: Request }) => {
      Object.assign(request, { url: request.url.replace(each.from, each.to) });
    },
  };
  await expect(client.GET(path, { params, signal, middleware: [elsewhere] })).rejects.toThrow(
    /must not be sent to https?:\/\//,
  );
  expect(requests).toBe(0);
});

describe('a response', () => {
  test.each<[reason: string, body: string, headers: Record<string, string>, why: string]>([
    ['is no JSON', '{"size":', {}, 'the body is not JSON'],
    ['says nothing of its length', '{"size":', { 'transfer-encoding': 'chunked' }, 'the body is not JSON'],
    ['has too many values', '[1,2,3,4,5]', {}, 'the body is a JSON text of more than 4 values'],
    ['is nested too deeply', '[[[]]]', {}, 'the body is a JSON text that is nested deeper than 2 levels'],
  ])('that %s is outside of its contract, and is not quoted', async (_reason, body, headers, why) => {
    handle = answer(body, 200, headers);
    const { client } = open({ jsonLimits: { maxDepth: 2, maxValues: 4 } });
    await expect(client.GET(path, { params, signal })).rejects.toMatchObject({
      kind: 'transient',
      message: `${route} answered outside of its contract: ${why}`,
    });
  });

  test('without a body has no data', async () => {
    handle = answer('', 200, { 'transfer-encoding': 'chunked' });
    expect((await open().client.GET(path, { params, signal })).data).toBeUndefined();
  });

  test('longer than the limit is not read', async () => {
    handle = answer(JSON.stringify('x'.repeat(1000)));
    await expect(open().client.GET(path, { params, signal })).rejects.toMatchObject({ code: 'oversized' });
  });

  test.each([599, 777, 999])('may have the status %d', async (status) => {
    handle = answer('{}', status);
    const { client } = open();
    client.use(errorResponses({ clock: systemClock, scrub: redact }));
    const error = await client.GET(path, { params, signal }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(ResponseError);
    expect(error).toMatchObject({ status, route, message: `${route} answered ${status}` });
  });

  test('may have headers that are no text', async () => {
    handle = (_request, response) => {
      response.socket?.end(
        Buffer.from(
          'HTTP/1.1 200 OK\r\nx-odd: \xc4\x83\xff\r\nConnection: close\r\n\r\n{"size":1}',
          'latin1',
        ),
      );
    };
    const { data, response } = await open().client.GET(path, { params, signal });
    expect(data).toEqual({ size: 1 });
    expect(response.headers.get('connection')).toBe('close');
  });
});

describe('a bearer token', () => {
  function authorized(tokens: string[]) {
    const refused: string[] = [];
    const { client } = open();
    const token = async () => tokens.shift() ?? 'none';
    client.use(
      errorResponses({ clock: systemClock, scrub: redact }),
      bearerToken({ token, onRefused: (value) => refused.push(value) }),
    );
    return { client, refused };
  }
  const accept =
    (good: string): Handler =>
    ({ headers }, response) => {
      response.writeHead(headers.authorization === `Bearer ${good}` ? 200 : 401).end('{"size":3}');
    };

  test('that is refused is replaced once, with the same request', async () => {
    handle = accept('second');
    const { client, refused } = authorized(['first', 'second']);
    expect((await client.GET(path, { params, signal })).data).toEqual({ size: 3 });
    expect(refused).toEqual(['first']);
  });

  test('whose successor is refused as well is an error of kind auth', async () => {
    handle = accept('third');
    const { client, refused } = authorized(['first', 'second', 'third']);
    await expect(client.GET(path, { params, signal })).rejects.toMatchObject({ kind: 'auth', status: 401 });
    expect(refused).toEqual(['first']);
  });
});
