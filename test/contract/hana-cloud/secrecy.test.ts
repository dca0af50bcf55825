import { createServer } from 'node:https';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createAuthority } from '../../../hack/control-planes/access/authority.ts';
import { type Loopback, listenOnLoopback } from '../../../internal/framework/base/loopback.fixture.ts';
import {
  fieldsOf,
  type Labels,
  type LazyLogFields,
  type Logger,
  type Metrics,
  nopMetrics,
} from '../../../internal/framework/base/telemetry/telemetry.ts';
import type { HanaCloudClient } from '../../../internal/systems/inventory/hana-cloud/client.ts';
import type { AdminCredentials } from '../../../internal/systems/inventory/hana-cloud/credentials.ts';
import type { FaultAction } from '../../simulators/hana-cloud/faults/faults.ts';
import { callOptions, hanaCloudOfFile, instance, mapping, parsed, thrownBy } from './set-up.ts';

const { simulator, closers, open } = hanaCloudOfFile({ mayViolate: true });

/** Everything that can be read from a value: texts, stacks, causes, non-enumerable properties. */
function everythingIn(value: unknown): string {
  return inspect(value, { depth: 20, showHidden: true, maxStringLength: null, maxArrayLength: null });
}

/** The forms of `secret` found in `text`: literal, escaped, and in base64 at each alignment. */
function findings(text: string, secret: string): string[] {
  const bytes = Buffer.from(secret);
  const aligned = [0, 1, 2].map((offset) =>
    Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .slice(offset === 0 ? 0 : 4, -4),
  );
  const lines = secret.split('\n').filter((line) => line.length > 20 && !line.startsWith('-----'));
  const forms = new Set([secret, encodeURIComponent(secret), ...aligned, ...lines]);
  return [...forms].filter((form) => text.includes(form));
}

function secretOf({ authentication }: AdminCredentials): string {
  return authentication.method === 'x509' ? authentication.key : authentication.clientSecret;
}

/** Keeps all that is logged and measured. */
function recordingDeps() {
  const recorded: unknown[] = [];
  const record = (message: string, fields?: LazyLogFields) => void recorded.push([message, fieldsOf(fields)]);
  const log: Logger = { debug: record, info: record, error: record, child: () => log };
  const listen = { inc: (labels?: Labels) => void recorded.push(labels), remove: () => undefined };
  const metrics: Metrics = {
    ...nopMetrics,
    counter: () => listen,
    gauge: () => ({ ...listen, set: () => undefined }),
    histogram: () => ({ observe: (_value, labels) => void recorded.push(labels) }),
  };
  return { recorded, log, metrics };
}

test('the search finds planted secrets, in every form', () => {
  const secret = 'planted-secret-0123456789';
  const planted = new Error('outer', { cause: new Error(`inner ${secret}`) });
  expect(findings(everythingIn(planted), secret)).toHaveLength(1);
  for (const before of ['', 'a', 'ab']) {
    const encoded = Buffer.from(`${before}${secret}xyz`).toString('base64');
    expect(findings(everythingIn({ deep: { encoded } }), secret)).toHaveLength(1);
  }
});

describe.each(['fields', 'x509'] as const)('credentials in the form %s and their token', (form) => {
  const echo = (secret: string): FaultAction => ({
    kind: 'status',
    status: 400,
    body: {
      code: `E-${Buffer.from(`x${secret}`).toString('base64')}`,
      message: `no: ${secret} ${encodeURIComponent(secret)} ${Buffer.from(secret).toString('base64')}`,
    },
  });
  const faults: Record<string, (secret: string) => FaultAction> = {
    'white space up to a limit, then the secret': (secret) => ({
      kind: 'status',
      status: 400,
      body: { message: ' '.repeat(10_001 - secret.length) + secret },
    }),
    'a server error': () => ({ kind: 'status', status: 500, body: 'oops' }),
    'an error that quotes the secret': echo,
    'a text that quotes the secret': (secret) => ({
      kind: 'status',
      status: 404,
      body: `no ${secret}`,
      headers: { 'content-type': 'text/plain' },
    }),
    'a redirect that holds the secret': (secret) => ({
      kind: 'redirect',
      location: `https://login.example.com/?client_secret=${encodeURIComponent(secret).slice(0, 200)}`,
    }),
    'a malformed body': (secret) => ({ kind: 'malformed', body: `{"access_token": "${secret}` }),
    'a reset': () => ({ kind: 'reset' }),
    'an answer that breaks off': () => ({ kind: 'truncated' }),
    'an oversized body': () => ({ kind: 'oversized', bytes: 5_000_000 }),
    'a refused token': () => ({ kind: 'expired-token' }),
    'a call for patience': (secret) => ({
      kind: 'status',
      status: 429,
      body: { message: secret },
      headers: { 'retry-after': '1' },
    }),
  };
  test.each(Object.entries(faults))('stay out of everything after %s', async (_name, fault) => {
    const credentials = parsed((await simulator.credentials(instance))[form]);
    const secret = secretOf(credentials);
    const { recorded, log, metrics } = recordingDeps();
    const issued: string[] = [];
    const issue = simulator.store.issueToken;
    const store = Object.assign(simulator.store, {
      issueToken: (...args: Parameters<typeof issue>) => {
        issued.push(args[2]);
        issue(...args);
      },
    });
    const thrown: unknown[] = [];
    for (const route of ['token', 'list', 'create', 'delete'] as const) {
      const hana = open({ log, metrics, callTimeoutMs: 500 });
      const client = hana.connect(credentials);
      closers.unshift(client.close);
      simulator.faults.add({ on: { route }, do: fault(secret) });
      const calls: ((client: HanaCloudClient) => Promise<unknown>)[] = [
        (connected) => connected.listMappings(instance, callOptions()),
        (connected) => connected.createMapping(instance, mapping, callOptions()),
        (connected) => connected.deleteMapping(instance, mapping, callOptions()),
        (connected) => connected.checkToken(callOptions()),
      ];
      const results = await Promise.allSettled(calls.map((call) => call(client)));
      thrown.push(...results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : [])));
      simulator.faults.clear();
    }
    store.issueToken = issue;
    expect(thrown.length).toBeGreaterThan(2);
    expect(recorded.length).toBeGreaterThan(2);
    expect(issued.length).toBeGreaterThan(0);
    const text = everythingIn([thrown, recorded]);
    for (const value of [secret, ...issued]) expect(findings(text, value)).toEqual([]);
  });

  test('are not in the printed form of the credentials', async () => {
    const credentials = parsed((await simulator.credentials(instance))[form]);
    const text = `${JSON.stringify(credentials)} ${inspect(credentials, { depth: 9 })}`;
    expect(text).toContain(credentials.clientId);
    expect(findings(text, secretOf(credentials))).toEqual([]);
  });
});

describe('a server that returns the client’s own request', () => {
  let server: Loopback;
  let ca: string;
  const seen: string[] = [];
  beforeAll(async () => {
    const authority = await createAuthority('echo');
    const { certificate, key } = await authority.issueServer(['127.0.0.1']);
    ca = authority.certificate;
    const listener = createServer({ cert: certificate, key }, (request, response) => {
      const authorization = request.headers.authorization ?? '';
      if (request.url === '/oauth/token') {
        const token = 'echoed-opaque-token.0123456789';
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ access_token: token, token_type: 'bearer', expires_in: 60 }));
        return;
      }
      seen.push(authorization);
      const token = authorization.split(' ')[1] ?? '';
      const message = `bad header ${authorization}; token ${token}; ${Buffer.from(token).toString('base64')}`;
      response.writeHead(418, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { code: token, message } }));
    });
    server = await listenOnLoopback(listener);
  });
  afterAll(() => server.close());

  test('and quotes the token in its error gets no further with it than itself', async () => {
    const hana = open({ trustedCertificates: [ca] });
    const client = hana.connect({
      baseUrl: server.url,
      tokenUrl: `${server.url}/oauth/token`,
      clientId: 'sb-x',
      authentication: { method: 'client-secret', clientSecret: 'a-secret-of-some-length' },
    });
    closers.unshift(client.close);
    const error = await thrownBy(() => client.listMappings(instance, callOptions()));
    expect(seen).toEqual(['Bearer echoed-opaque-token.0123456789']);
    expect(error.message).toContain('answered 418');
    expect(findings(everythingIn(error), 'echoed-opaque-token.0123456789')).toEqual([]);
  });
});
