/** A client of an API that nothing else here knows, on the public entry of the HTTP layer, over real TLS. */
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import { inspect } from 'node:util';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import createOpenApiClient from 'openapi-fetch';
import {
  type Authority,
  createAuthority,
  type KeyPair,
} from '../../../hack/control-planes/access/authority.ts';
import { createConcurrencyLimiter } from '../../../internal/framework/base/concurrency/concurrency-limiter.ts';
import {
  NotAdmittedError,
  type Reserve,
  reserveFor,
} from '../../../internal/framework/base/concurrency/limit-key.ts';
import { createDeps } from '../../../internal/framework/base/deps.ts';
import { WaitingError } from '../../../internal/framework/base/errors/errors.ts';
import { createFakeWatchedObject } from '../../../internal/framework/base/errors/fake-watched-object.ts';
import { type Loopback, listenOnLoopback } from '../../../internal/framework/base/loopback.fixture.ts';
import { createFakeMetrics } from '../../../internal/framework/base/telemetry/fake-metrics.ts';
import {
  type ApiSession,
  type ApiSessions,
  type ApiSessionsOptions,
  createApiSessions,
  EndpointRefusedError,
  type FixedAuthentication,
  fenced,
  isRetryableUnsent,
  LostResponseError,
  NoResponseError,
  ResponseError,
  sealFixedCredentials,
} from '../../../internal/framework/http/index.ts';
import { eventually } from '../../environment/eventually.ts';

type Name = { path: { name: string } };
interface Bucket {
  readonly size: number;
}
interface Paths {
  '/v1/buckets/{name}': {
    get: {
      parameters: Name;
      responses: { 200: { content: { 'application/json': Bucket } } };
    };
    delete: { parameters: Name; responses: { 204: { content?: never } } };
  };
}

const path = '/v1/buckets/{name}';
const secret = 'hunter2-hunter2';
const signal = new AbortController().signal;
const params = { path: { name: 'a' } };
const doing = 'get bucket a';

let authority: Authority;
let identity: KeyPair;
let server: Loopback;
let sessions: ApiSessions;
let metrics: ReturnType<typeof createFakeMetrics>;
/** Statuses of the API's responses, in order; 200 once there are no more, 0: it closes the connection. */
let statuses: number[];
let requests: string[];
/** The headers of the last request. */
let headersSent: IncomingHttpHeaders;
/** Whether the API accepts a request of any client. */
let acceptsAll: boolean;
/** The text of errors. */
let message: string;

beforeAll(async () => {
  authority = await createAuthority('bucket API');
  identity = await authority.issueServer(['127.0.0.1']);
});
beforeEach(async () => {
  statuses = [];
  requests = [];
  acceptsAll = false;
  message = `no such thing for ${secret} with opaque-token`;
  metrics = createFakeMetrics();
  const listener = createServer({ key: identity.key, cert: identity.certificate }, (request, response) => {
    const { method, url = '', headers } = request;
    request.resume();
    requests.push(`${method} ${url}`);
    headersSent = headers;
    if (url === '/token') {
      response.end(JSON.stringify({ access_token: 'opaque-token', token_type: 'bearer', expires_in: 600 }));
      return;
    }
    const accepted = acceptsAll || headers.authorization === 'Bearer opaque-token';
    const status = accepted ? (statuses.shift() ?? 200) : 401;
    if (url.endsWith('/stalled')) {
      response.writeHead(200).write(' '.repeat(1_900_000));
      return;
    }
    if (status === 0) response.destroy();
    else {
      response.writeHead(status).end(JSON.stringify(status === 200 ? { size: 7 } : { message }));
    }
  });
  server = await listenOnLoopback(listener);
});
afterEach(async () => {
  await sessions.close();
  await server.close();
});

interface Given {
  readonly clientSecret?: string;
  readonly clientCertificate?: KeyPair;
}
const credentialsOf = ({ clientSecret = secret, clientCertificate }: Given) => {
  const origin = server.url;
  const certificate = clientCertificate === undefined ? {} : { clientCertificate };
  return {
    baseUrl: `${origin}/api`,
    tokenUrl: `${origin}/token`,
    clientId: 'c',
    authentication: { method: 'client-secret' as const, clientSecret, ...certificate },
  };
};

function open(
  { reserve, ...options }: Partial<ApiSessionsOptions> & { reserve?: Reserve } = {},
  credentials: Parameters<typeof credentialsOf>[0] = {},
) {
  const deps = createDeps({ random: () => 0.5, metrics });
  sessions = createApiSessions({
    ...deps,
    limiter: createConcurrencyLimiter(deps),
    system: 'buckets',
    apiName: 'Bucket API',
    allowPrivateEndpoints: true,
    trustedCertificates: [authority.certificate],
    retryBackoffMs: 1,
    ...options,
  });
  const session = sessions.open(credentialsOf(credentials), reserve);
  return { session, ...callsOf(session) };
}

function callsOf(session: ApiSession) {
  const client = session.client<Paths>();
  const read = () =>
    session.call({ doing, signal }, async () => (await client.GET(path, { params, signal })).data);
  return { client, read };
}

/** A value as an API may quote it. */
const quoted = (value: string) => [
  value,
  Buffer.from(value).toString('base64'),
  Buffer.from(`x:${value}`).toString('base64'),
  encodeURIComponent(value),
  JSON.stringify(JSON.stringify(value)),
  encodeURIComponent(encodeURIComponent(value)),
  Buffer.from(`x:${encodeURIComponent(value)}`).toString('base64url'),
  JSON.stringify(value).replaceAll('&', '\\u0026').replaceAll('/', '\\/'),
  value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('ö', '&#xf6;'),
  `${value.slice(0, 4)}\n  ${value.slice(4)}`,
  Buffer.from(JSON.stringify({ auth: Buffer.from(`x:${value}`).toString('base64') })).toString('base64'),
];

describe('an API that quotes the credentials in its second response', () => {
  const clientSecret = 'pa"ss wörd&/+=1';
  const first = async (how: 'open' | 'reopen' | 'resume') => {
    const { session, read } = open({}, { clientSecret });
    await read();
    await session.close();
    if (how === 'open') return callsOf(sessions.open(credentialsOf({ clientSecret })));
    const access = { ...session.hosts, hasCertificate: false };
    // The Secret is not read again while the token is valid.
    const read2 = () => Promise.reject(new Error('not read'));
    const next = how === 'reopen' ? sessions.reopen(access, read2) : sessions.resume(access);
    if (next === undefined) throw new Error('there is no token');
    return callsOf(next);
  };

  test.each(['open', 'reopen', 'resume'] as const)(
    'shows none of them in an error of a session by %s with the token of the first',
    async (how) => {
      const { read } = await first(how);
      for (const text of [...quoted(clientSecret), ...quoted('opaque-token')]) {
        message = `refused: ${text} .`;
        statuses = [400];
        const error = await thrownBy(read());
        expect(String(error)).toContain('[redacted]');
        expect(String(error)).not.toContain(text);
      }
      expect(requests.filter((request) => request.includes('/token'))).toHaveLength(1);
    },
  );
});

test('credentials that cannot be read for a new token keep what their resource waits for', async () => {
  const { session, read } = open();
  await read();
  const target = createFakeWatchedObject();
  const missing = () =>
    Promise.reject(new WaitingError('Secret shop/admin not found', { targets: [target] }));
  const again = sessions.reopen({ ...session.hosts, hasCertificate: false }, missing);
  if (again === undefined) throw new Error('there is no token');
  statuses = [401];
  expect(await thrownBy(callsOf(again).read())).toMatchObject({
    kind: 'waiting',
    message: 'cannot get bucket a: Secret shop/admin not found',
    targets: [target],
  });
});

const thrownBy = (work: Promise<unknown>) => work.catch((error: unknown) => error);

describe('a session of any API', () => {
  test('gets a token, reads by typed paths, and counts its calls under the name of the system', async () => {
    const { read } = open();
    expect(await Promise.all([read(), read()])).toEqual([{ size: 7 }, { size: 7 }]);
    expect(requests).toEqual(['POST /token', 'GET /api/v1/buckets/a', 'GET /api/v1/buckets/a']);
    const labels = { system: 'buckets', route: `GET ${path}`, code: '200' };
    expect(metrics.value('provider_kyma_external_calls_total', labels)).toBe(2);
  });

  test('repeats after transient errors, twice', async () => {
    const { read } = open();
    statuses = [503, 500];
    await expect(read()).resolves.toEqual({ size: 7 });
    statuses = [500, 500, 500, 200];
    await expect(read()).rejects.toMatchObject({ kind: 'transient', status: 500 });
  });

  test('throws the error of a response in one sentence, without secret and token', async () => {
    const { read } = open();
    statuses = [404];
    const error = await thrownBy(read());
    expect(error).toBeInstanceOf(ResponseError);
    expect(error).toMatchObject({
      kind: 'not-found',
      status: 404,
      message: `cannot get bucket a: GET ${path} answered 404: no such thing for [redacted] with [redacted]`,
    });
  });

  test('without a response to its requests throws NoResponseError', async () => {
    const { read } = open();
    statuses = [0, 0, 0];
    const error = await thrownBy(read());
    expect(error).toBeInstanceOf(NoResponseError);
    expect(error).toMatchObject({ kind: 'transient', code: 'connection_reset', sent: true });
    expect(requests).toHaveLength(4);
  });

  test.each([0, 502])(
    'does not repeat a call that may have taken effect (status %d), and says that it may',
    async (status) => {
      const { session, client } = open();
      statuses = [status];
      const unrepeatable = `DELETE ${path}`;
      const call = { doing: 'delete bucket a', signal, isRetryable: isRetryableUnsent, unrepeatable };
      const error = await thrownBy(session.call(call, () => client.DELETE(path, { params, signal })));
      expect(error).toBeInstanceOf(LostResponseError);
      expect(String(error)).toMatch(
        /^LostResponseError: cannot delete bucket a: .* \(it may have taken effect\)$/,
      );
      expect(requests).toHaveLength(2);
    },
  );

  test('takes slots at the token endpoint first, and at the API once it has a token', async () => {
    const names: string[][] = [];
    const { session } = open({
      reserve: reserveFor('', (limitKeys) => {
        names.push(limitKeys.map(({ name }) => name));
        return () => undefined;
      }),
    });
    await session.admit({ doing, signal });
    expect(names.flat()).toEqual([
      expect.stringMatching(/^token endpoint 127\.0\.0\.1:/),
      expect.stringMatching(/^Bucket API 127\.0\.0\.1:/),
    ]);
  });

  test('releases its slot of the API when told so, and takes one again for a later call', async () => {
    const held: string[] = [];
    const { session } = open({
      reserve: reserveFor('', (limitKeys) => {
        const names = limitKeys.map(({ name }) => name.replace(/ 127\.0\.0\.1:\d+$/, ''));
        held.push(...names);
        return () => void held.splice(0, held.length, ...held.filter((name) => !names.includes(name)));
      }),
    });
    await session.admit({ doing, signal });
    expect(held).toEqual(['Bucket API']);
    session.release();
    session.release();
    expect(held).toEqual([]);
    await session.admit({ doing, signal });
    expect(held).toEqual(['Bucket API']);
  });

  test('that is not admitted throws NotAdmittedError as it is', async () => {
    const refused = new NotAdmittedError([{ name: 'x' }]);
    const { session } = open({
      reserve: reserveFor('', () => {
        throw refused;
      }),
    });
    expect(await thrownBy(session.admit({ doing, signal }))).toBe(refused);
    expect(requests).toEqual([]);
  });

  test('refuses private endpoints by default, and names the field', () => {
    const options = { allowPrivateEndpoints: false };
    expect(() => open(options)).toThrow(EndpointRefusedError);
    expect(() => open({ ...options, fieldNames: { baseUrl: 'api-url', tokenUrl: 'auth-url' } })).toThrow(
      /^api-url of the credentials is refused: /,
    );
  });

  test('has a share of the memory for responses, which those that stall do not take from others', async () => {
    const { session: first } = open({ maxCalls: 64, callsPerHost: 64, callTimeoutMs: 60_000 });
    await callsOf(first).read();
    const end = new AbortController();
    const stalledOf = (tenant: string) => {
      const { client } = callsOf(
        sessions.open(
          credentialsOf({}),
          reserveFor(tenant, () => () => undefined),
        ),
      );
      return Array.from({ length: 16 }, () =>
        thrownBy(client.GET(path, { params: { path: { name: 'stalled' } }, signal: end.signal })),
      );
    };
    const memory = /there is no memory for the answer now/;
    const refused: unknown[] = [];
    const stalled = ['a', 'b', 'c'].flatMap(stalledOf);
    for (const call of stalled) void call.then((error) => refused.push(error));
    // 16 MiB of the first, half of what is left of each other one.
    await eventually(() => expect(refused.length).toBeGreaterThan(30));
    for (const error of refused)
      expect(error).toMatchObject({ code: 'no_memory', message: expect.stringMatching(memory) });

    await expect(callsOf(first).read()).resolves.toEqual({ size: 7 });
    end.abort(new Error('the test has ended'));
    const ends = await Promise.all(stalled);
    expect(ends.filter((error) => !memory.test(String(error))).length).toBeGreaterThan(8);
  });

  test('that only reads sends no other request than the token grant', async () => {
    const { session, client, read } = open({ readOnly: true });
    await expect(read()).resolves.toEqual({ size: 7 });
    const call = { doing: 'delete bucket a', signal };
    const error = await thrownBy(session.call(call, () => client.DELETE(path, { params, signal })));
    expect(String(error)).toContain('this process only reads');
    expect(requests).toEqual(['POST /token', 'GET /api/v1/buckets/a']);
  });

  test('is resumed without its secret as long as its token is in memory', async () => {
    const { session, read } = open();
    expect(sessions.resume(session.hosts)).toBeUndefined();
    await read();
    await session.close();
    const resumed = sessions.resume(session.hosts);
    const client = resumed?.client<Paths>();
    expect((await client?.GET(path, { params, signal }))?.data).toEqual({ size: 7 });
    expect(requests.filter((request) => request === 'POST /token')).toHaveLength(1);
  });

  test('with a client certificate is never resumed without it', async () => {
    const clientCertificate = await authority.issueClient('buckets');
    const { session, read } = open({ keepClientConnectionsMs: 60_000 }, { clientCertificate });
    await read();
    await session.close();
    const unread = () => Promise.reject(new Error('not read'));
    const reopened = sessions.reopen({ ...session.hosts, hasCertificate: true }, unread);
    expect([session, reopened].map((each) => each?.isResumable)).toEqual([false, false]);
  });

  test('that is closed sends no requests', async () => {
    const { session, read } = open();
    await session.close();
    await expect(read()).rejects.toMatchObject({ kind: 'bug' });
    await expect(session.admit({ doing, signal })).rejects.toMatchObject({ kind: 'bug' });
    expect(requests).toEqual([]);
  });
});

describe('a session with fixed credentials', () => {
  const openFixed = (authentication: FixedAuthentication, options?: Partial<ApiSessionsOptions>) => {
    open(options);
    acceptsAll = true;
    const { baseUrl } = credentialsOf({});
    const session = sessions.openFixed({ baseUrl, authentication, source: 'Secret shop/buckets' });
    return { session, ...callsOf(session) };
  };
  const basic = { method: 'basic', username: 'joe', password: 'pa:ss wörd' } as const;
  const inHeader = { method: 'api-key', in: 'header', name: 'X-Api-Key', key: 'k&1-k&1-k&1' } as const;
  const inQuery = { ...inHeader, in: 'query', name: 'key' } as const;

  test.each<[FixedAuthentication, Record<string, string>, string]>([
    [{ method: 'bearer', token: 't0k3n' }, { authorization: 'Bearer t0k3n' }, ''],
    [basic, { authorization: `Basic ${Buffer.from('joe:pa:ss wörd').toString('base64')}` }, ''],
    [inHeader, { 'x-api-key': 'k&1-k&1-k&1' }, ''],
    [inQuery, {}, '?key=k%261-k%261-k%261'],
    [
      { method: 'headers', values: { 'X-Api-Key': 'k1', 'X-User': 'joe' } },
      { 'x-api-key': 'k1', 'x-user': 'joe' },
      '',
    ],
    [{ method: 'none' }, {}, ''],
  ])('sends them with each request, and no other: %j', async (authentication, headers, query) => {
    const { session, read } = openFixed(authentication);
    await session.admit({ doing, signal });
    await expect(read()).resolves.toEqual({ size: 7 });
    expect(requests).toEqual([`GET /api/v1/buckets/a${query}`]);
    expect(headersSent).toMatchObject(headers);
    if (headers.authorization === undefined) expect(headersSent.authorization).toBeUndefined();
  });

  test.each([
    [{ method: 'bearer', token: 'opaque-t0k3n' } as const, 'opaque-t0k3n'],
    [basic, Buffer.from('joe:pa:ss wörd').toString('base64')],
    [basic, 'pa:ss wörd'],
    [inHeader, 'k&1-k&1-k&1'],
    [{ ...basic, username: 'the-key-itself', password: '' }, 'the-key-itself'],
    [
      { method: 'headers', values: { 'X-Api-Key': 'first-key', 'X-App-Key': 'second-key' } } as const,
      'second-key',
    ],
  ])(
    'says whose they are when they are refused, and never quotes them: %#',
    async (authentication, secret) => {
      const { read } = openFixed(authentication);
      message = `not for ${secret}!`;
      statuses = [401];
      const error = await thrownBy(read());
      expect(error).toMatchObject({ kind: 'auth', status: 401 });
      expect(String(error)).toMatch(/ \(credentials: Secret shop\/buckets\)$/);
      expect(String(error)).not.toContain(secret);
    },
  );

  test.each<[FixedAuthentication, RegExp]>([
    [{ method: 'bearer', token: 'two\nlines' }, /authorization .* no header can hold/],
    [{ method: 'bearer', token: '' }, /no header can hold/],
    [{ ...inHeader, name: 'X Key' }, /is no header name/],
    [{ ...basic, username: 'a:b' }, /has a colon/],
    [{ method: 'headers', values: { 'X-Key': 'k', 'X-User': '' } }, /header X-User are empty/],
  ])('that no request can carry is refused at once: %j', (authentication, text) => {
    expect(() => openFixed(authentication)).toThrow(text);
  });

  test('that are sealed are not printed, and lose white space at their ends, which files have', () => {
    const { authentication, ...shown } = sealFixedCredentials({
      baseUrl: 'https://x.example',
      authentication: { method: 'bearer', token: ' t0k3n\n' },
    });
    expect(authentication).toEqual({ method: 'bearer', token: 't0k3n' });
    const sealed = sealFixedCredentials({ ...shown, authentication });
    expect(`${inspect(sealed)} ${JSON.stringify(sealed)}`).not.toContain('t0k3n');
  });

  test('refuses private endpoints by default', () => {
    const sealed = { baseUrl: 'https://127.0.0.1', authentication: { method: 'none' as const } };
    open();
    const { openFixed: openOther } = createApiSessions({
      ...createDeps({}),
      limiter: createConcurrencyLimiter(createDeps({})),
      system: 'buckets',
      apiName: 'Bucket API',
    });
    expect(() => openOther(sealed)).toThrow(EndpointRefusedError);
  });

  test('of a process that only reads reads, and its writes never leave', async () => {
    const { read, client } = openFixed(inHeader, { readOnly: true });
    await expect(read()).resolves.toEqual({ size: 7 });
    await expect(client.DELETE(path, { params, signal })).rejects.toThrow(/this process only reads$/);
    expect(requests).toEqual(['GET /api/v1/buckets/a']);
  });

  test('that is closed sends no requests', async () => {
    const { session, read } = openFixed(inHeader);
    await session.close();
    await expect(read()).rejects.toMatchObject({ kind: 'bug' });
    expect(requests).toEqual([]);
  });
});

test('the write guard can be the middleware of any client of openapi-fetch', async () => {
  open();
  let sent = 0;
  const fetch = async () => {
    sent++;
    return Response.json({ size: 7 });
  };
  const other = createOpenApiClient<Paths>({ baseUrl: 'https://x.example', fetch });
  const refusing = fenced(() => {
    throw new Error('not the leader');
  });
  const options = { params, signal };
  await expect(other.DELETE(path, { ...options, middleware: [refusing] })).rejects.toThrow('not the leader');
  expect(sent).toBe(0);
  await other.GET(path, { ...options, middleware: [fenced(() => undefined)] });
  expect(sent).toBe(1);
});
