/** A client of an API that nothing else here knows, on the public entry of the HTTP layer, over real TLS. */
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  type Authority,
  createAuthority,
  type KeyPair,
} from '../../../hack/control-planes/access/authority.ts';
import { createConcurrencyLimiter } from '../../../internal/base/concurrency/concurrency-limiter.ts';
import { NotAdmittedError, type Reserve } from '../../../internal/base/concurrency/limit-key.ts';
import { createDeps } from '../../../internal/base/deps.ts';
import { createFakeMetrics } from '../../../internal/base/telemetry/fake-metrics.ts';
import {
  type ApiSession,
  type ApiSessions,
  type ApiSessionsOptions,
  createApiSessions,
  EndpointRefusedError,
  isRetryableUnsent,
  LostResponseError,
  NoResponseError,
  ResponseError,
} from '../../../internal/http/index.ts';

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
let server: Server;
let sessions: ApiSessions;
let metrics: ReturnType<typeof createFakeMetrics>;
/** Statuses of the API's responses, in order; 200 once there are no more, 0: it closes the connection. */
let statuses: number[];
let requests: string[];
/** The text of errors. */
let message: string;

beforeAll(async () => {
  authority = await createAuthority('bucket API');
  identity = await authority.issueServer(['127.0.0.1']);
});
beforeEach(async () => {
  statuses = [];
  requests = [];
  message = `no such thing for ${secret} with opaque-token`;
  metrics = createFakeMetrics();
  server = createServer({ key: identity.key, cert: identity.certificate }, (request, response) => {
    const { method, url = '', headers } = request;
    request.resume();
    requests.push(`${method} ${url}`);
    if (url === '/token') {
      response.end(JSON.stringify({ access_token: 'opaque-token', token_type: 'bearer', expires_in: 600 }));
      return;
    }
    const status = headers.authorization === 'Bearer opaque-token' ? (statuses.shift() ?? 200) : 401;
    if (status === 0) response.destroy();
    else {
      response.writeHead(status).end(JSON.stringify(status === 200 ? { size: 7 } : { message }));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  await sessions.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const credentialsOf = ({ clientSecret = secret }: { clientSecret?: string }) => {
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    baseUrl: `${origin}/api`,
    tokenUrl: `${origin}/token`,
    clientId: 'c',
    authentication: { method: 'client-secret' as const, clientSecret },
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
      reserve: (limitKeys) => {
        names.push(limitKeys.map(({ name }) => name));
        return () => undefined;
      },
    });
    await session.admit({ doing, signal });
    expect(names.flat()).toEqual([
      expect.stringMatching(/^token endpoint 127\.0\.0\.1:/),
      expect.stringMatching(/^Bucket API 127\.0\.0\.1:/),
    ]);
  });

  test('that is not admitted throws NotAdmittedError as it is', async () => {
    const refused = new NotAdmittedError([{ name: 'x' }]);
    const { session } = open({
      reserve: () => {
        throw refused;
      },
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

  test('that is closed sends no requests', async () => {
    const { session, read } = open();
    await session.close();
    await expect(read()).rejects.toMatchObject({ kind: 'bug' });
    await expect(session.admit({ doing, signal })).rejects.toMatchObject({ kind: 'bug' });
    expect(requests).toEqual([]);
  });
});
