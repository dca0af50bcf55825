/**
 * Answers: what each client of an external API makes of an answer that is not the API's, and of none, follows from a rule, not from
 * examples. An answer in another form than the API's proves no absence and no conflict, and refuses nothing for good; only a refusal of
 * credentials may be a gateway's as well. After a request without an answer its effect is unknown, and the client does not repeat it
 * if it must not take effect twice.
 */
import { globSync, readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type Script,
  type ScriptedServer,
  startScriptedServer,
} from '../../internal/framework/kube/fakes/scripted-server.ts';
import {
  type AnsweringClient,
  type Call,
  CLIENTS,
  IMPATIENT,
  type Meaning,
  PATIENT,
} from './answering-clients.ts';

const answer =
  (status: number, body: string, type: string): Script =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body);
  };
const json = (status: number, body: object) => answer(status, JSON.stringify(body), 'application/json');

/** Answers of gateways, proxies and firewalls. */
const GATEWAYS: Readonly<Record<string, (status: number) => Script>> = {
  page: (status) => answer(status, '<html>nginx</html>', 'text/html'),
  empty: (status) => answer(status, '', 'application/json'),
  'text of Go': (status) => answer(status, `${status} page not found\n`, 'text/plain'),
  'JSON of Kong': (status) => json(status, { message: 'no Route matched with those values' }),
  'JSON of Spring': (status) =>
    json(status, { timestamp: '2026-01-01T00:00:00Z', status, error: STATUS_CODES[status], path: '/v1' }),
  'JSON with an id': (status) => json(status, { error: 'no upstream of this host', requestId: 'r-1' }),
  'JSON that names nothing': (status) => json(status, { error: STATUS_CODES[status] }),
};
const STATUSES = [400, 401, 403, 404, 405, 409, 410, 413, 422, 500, 502, 503, 504];

/** Headers of an answer, and the half of its body. */
const cut =
  (status: number): Script =>
  (_request, response) => {
    response
      .writeHead(status, { 'content-type': 'application/json', 'content-length': 100 })
      .write('{"code":');
    setTimeout(() => response.socket?.destroy(), 2);
  };

const SILENCES: readonly (readonly [string, Script, status?: number])[] = [
  ['no answer in time', () => undefined],
  ['a reset', (_request, response) => void response.socket?.destroy()],
  ['a cut answer', cut(200)],
  ['a cut 404', cut(404), 404],
];

/** What a caller may conclude from an answer that is not the API's. */
function ofGateway(status: number, { unrepeatable }: Call): readonly Meaning[] {
  if (status === 401 || status === 403) return ['credentials', 'again'];
  return status >= 500 && unrepeatable ? ['unknown'] : ['again', 'unknown'];
}

const TOKEN = '/oauth/token';
const token = json(200, { access_token: 'token', token_type: 'bearer', expires_in: 3600 });
let server: ScriptedServer;
let script: Script;
beforeAll(async () => {
  server = await startScriptedServer((request, response) =>
    (request.url === TOKEN ? token : script)(request, response),
  );
});
afterAll(() => server.close());

const { signal } = new AbortController();

/** What the call makes of the answer; `unknown, and sent again` if it must not take effect twice. */
async function sendThrough(call: Call, answered: Script): Promise<string> {
  script = answered;
  const before = server.requests.length;
  const meaning = await call.send(signal);
  const sent = server.requests.slice(before).filter(({ url }) => url !== TOKEN);
  return meaning === 'unknown' && call.unrepeatable && sent.length !== 1
    ? 'unknown, and sent again'
    : meaning;
}

async function withClient<T>(
  { open }: AnsweringClient,
  use: (calls: readonly Call[]) => Promise<T>,
  { url = server.url, deps = PATIENT } = {},
): Promise<T> {
  const { calls, close } = await open(url, deps);
  try {
    return await use(calls);
  } finally {
    await close();
  }
}

describe.each(CLIENTS.map((client) => [client.name, client] as const))('%s', (_, client) => {
  test('an answer of a gateway proves nothing, and refuses nothing for good', async () => {
    const wrong = await withClient(client, async (calls) => {
      const found: string[] = [];
      for (const call of calls)
        for (const [form, of] of Object.entries(GATEWAYS))
          for (const status of STATUSES) {
            const { any = {}, [form]: ofForm = {} } = client.tolerates ?? {};
            const allowed: string[] = [
              ...ofGateway(status, call),
              ...(any[status] ?? []),
              ...(ofForm[status] ?? []),
            ];
            const meaning = await sendThrough(call, of(status));
            if (!allowed.includes(meaning)) found.push(`${call.name}: ${status}, ${form}: ${meaning}`);
          }
      return found;
    });
    expect(wrong).toEqual([]);
  });

  test('a page with status 200 is no success', async () => {
    const meanings = await withClient(client, async (calls) => {
      const found: [string, string][] = [];
      for (const call of calls)
        found.push([call.name, await sendThrough(call, answer(200, '<html>', 'text/html'))]);
      return found;
    });
    const allowed = new Set<string>(['again', 'unknown', ...(client.tolerates?.page?.[200] ?? [])]);
    expect(meanings.filter(([, meaning]) => !allowed.has(meaning))).toEqual([]);
  });

  test('an answer of the API means what it says', async () => {
    const wanted = client.own.map(([name, status, , meaning]) => [name, status, meaning]);
    const meanings = await withClient(client, async (calls) => {
      const found: unknown[] = [];
      for (const [name, status, body] of client.own) {
        const call = calls.find((each) => each.name === name);
        if (call !== undefined) found.push([name, status, await sendThrough(call, json(status, body))]);
      }
      return found;
    });
    expect(meanings).toEqual(wanted);
  });

  test.each(SILENCES)('after %s nothing is known, and nothing is refused', async (_, silence, status = 0) => {
    const names = await withClient(client, async (calls) => calls.map(({ name }) => name));
    const wrong: string[] = [];
    // A host that was slow before gets no request.
    // A host that was slow before gets no request.
    for (const name of names)
      await withClient(
        client,
        async (calls) => {
          const call = calls.find((each) => each.name === name);
          if (call === undefined) return;
          const meaning = await sendThrough(call, silence);
          const allowed: string[] = call.unrepeatable ? ['unknown'] : ['again', 'unknown'];
          // It does not read the body of an error.
          allowed.push(...(client.tolerates?.any?.[status] ?? []));
          if (!allowed.includes(meaning)) wrong.push(`${name}: ${meaning}`);
        },
        { deps: IMPATIENT },
      );
    expect(wrong).toEqual([]);
  });

  test('what was certainly not sent is sent again', async () => {
    const closed = await startScriptedServer();
    await closed.close();
    const meanings = await withClient(
      client,
      (calls) => Promise.all(calls.map((call) => call.send(signal))),
      { url: closed.url },
    );
    expect(new Set(meanings)).toEqual(new Set(['again']));
  });
});

test('each file that opens connections to an external API is one of a client above', () => {
  const root = join(import.meta.dirname, '../..');
  const named = new Set([...CLIENTS.flatMap(({ files }) => files), ...WITHOUT_MEANING]);
  const opening = globSync('internal/**/*.ts', { cwd: root })
    .filter((file) => !/(\.test|\.fixture)\.ts$|\/fakes\//.test(file))
    .filter((file) => OPENS.test(readFileSync(join(root, file), 'utf8')));
  expect(opening.filter((file) => !named.has(file))).toEqual([]);
});

const OPENS =
  /(?<!function )\b(openConnections|createHttpClient|createApiSessions|createRestApi|createSourceHttp)\(/;
const WITHOUT_MEANING = [
  // A login that fails.
  'internal/systems/reconciler/mothership/api/login/login.ts',
  'internal/framework/rest/rest-provider.ts',
  // Connections of the program, with another function of this name.
  'internal/program/provider/connections/program-connections.ts',
];
