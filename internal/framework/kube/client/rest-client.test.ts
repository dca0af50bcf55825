import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { kindOf } from '../../base/errors/errors.ts';
import { createFakeMetrics } from '../../base/telemetry/fake-metrics.ts';
import { systemClock } from '../../base/time/clock.ts';
import { basicAuth } from '../config/cluster-config.ts';
import {
  isNotFound,
  isUnknownKind,
  isUnreachable,
  KubeApiError,
  ResponseTooLargeError,
} from '../errors/errors.ts';
import {
  hang,
  hangUp,
  refuse,
  reply,
  type Script,
  type ScriptedServer,
  startScriptedServer,
} from '../fakes/scripted-server.ts';
import { clusterWidgets } from '../fakes/widget.ts';
import type { ConfigMap } from '../object/object.ts';
import { configMaps, customResourceDefinitions, leases, secrets } from '../object/resource-type.ts';
import { createKubeClient, type RestClient, type RestClientOptions } from './rest-client.ts';

let server: ScriptedServer;
let clients: RestClient[];

beforeEach(async () => {
  server = await startScriptedServer();
  clients = [];
});
afterEach(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await server.close();
});

function connect(options: Partial<RestClientOptions> = {}): RestClient {
  const credentials = { headers: { authorization: 'Bearer t' } };
  const config = { server: server.url, credentials: async () => credentials };
  const client = createKubeClient({ config, clusterName: 'cluster test', clock: systemClock, ...options });
  clients.push(client);
  return client;
}

const key = { namespace: 'shop', name: 'a' };
const configMap: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: key, data: { x: '1' } };
const anyObject = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { ...key, resourceVersion: '7' } };

test('a Lease is renewed also while all connections wait for the server: else an overload would end the leadership', async () => {
  const client = connect({ connections: 1 });
  server.next(hang, reply(200, anyObject), reply(200, anyObject));
  const stop = new AbortController();
  const enough = new Error('enough');
  const held = client.get(configMaps, key, { signal: stop.signal });
  const over = expect(held).rejects.toBe(enough);
  while (server.requests.length < 1) await new Promise((resolve) => setImmediate(resolve));
  await client.get(leases, key);
  await client.update(leases, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: key });
  expect(server.requests).toHaveLength(3);
  stop.abort(enough);
  await over;
});

describe('each verb is the request that the API defines', () => {
  const at = '/api/v1/namespaces/shop/configmaps';
  const json = 'application/json';
  const partial = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
  test.each<[string, (client: RestClient) => Promise<unknown>, string, Record<string, string>]>([
    ['get', (c) => c.get(configMaps, key), `GET ${at}/a`, { accept: json }],
    ['getMetadata', (c) => c.getMetadata(configMaps, key), `GET ${at}/a`, { accept: partial }],
    ['list', (c) => c.list(configMaps, { namespace: 'shop' }), `GET ${at}?limit=500`, { accept: json }],
    [
      'list with options',
      (c) => c.list(configMaps, { limit: 2, continue: 'abc', labelSelector: 'a=b', resourceVersion: '0' }),
      'GET /api/v1/configmaps?limit=2&continue=abc&resourceVersion=0&labelSelector=a%3Db',
      {},
    ],
    [
      'listMetadata',
      (c) => c.listMetadata(configMaps),
      'GET /api/v1/configmaps?limit=500',
      { accept: partial.replace('Metadata;', 'MetadataList;') },
    ],
    ['create', (c) => c.create(configMaps, configMap), `POST ${at}`, { 'content-type': json }],
    ['dry run', (c) => c.create(configMaps, configMap, { dryRun: true }), `POST ${at}?dryRun=All`, {}],
    ['update', (c) => c.update(configMaps, configMap), `PUT ${at}/a`, { 'content-type': json }],
    ['updateStatus', (c) => c.updateStatus(configMaps, configMap), `PUT ${at}/a/status`, {}],
    [
      'mergePatch',
      (c) => c.mergePatch(configMaps, key, {}),
      `PATCH ${at}/a`,
      { 'content-type': 'application/merge-patch+json' },
    ],
    [
      'mergePatch of the status',
      (c) => c.mergePatch(configMaps, key, {}, { subresource: 'status' }),
      `PATCH ${at}/a/status`,
      {},
    ],
    [
      'jsonPatch',
      (c) => c.jsonPatch(configMaps, key, []),
      `PATCH ${at}/a`,
      { 'content-type': 'application/json-patch+json' },
    ],
    [
      'apply',
      (c) => c.apply(configMaps, configMap, { fieldManager: 'us' }),
      `PATCH ${at}/a?fieldManager=us&force=false`,
      { 'content-type': 'application/apply-patch+yaml' },
    ],
    [
      'apply with force',
      (c) => c.apply(configMaps, configMap, { fieldManager: 'us', force: true, subresource: 'status' }),
      `PATCH ${at}/a/status?fieldManager=us&force=true`,
      {},
    ],
    [
      'createSubresource',
      (c) => c.createSubresource(configMaps, key, 'token', {}),
      `POST ${at}/a/token`,
      { 'content-type': json },
    ],
    ['delete', (c) => c.delete(configMaps, key), `DELETE ${at}/a`, { 'content-type': json }],
  ])('%s', async (_verb, run, line, headers) => {
    server.next(reply(200, anyObject));
    await run(connect());
    const [request] = server.requests;
    expect(`${request?.method} ${request?.url}`).toBe(line);
    expect(request?.headers).toMatchObject({ authorization: 'Bearer t', ...headers });
  });

  test.each([
    [{}, 'provider-kyma'],
    [{ userAgent: 'provider-notes' }, 'provider-notes'],
  ])(
    'with %j the program is %s, which the API server records as the manager of fields',
    async (options, name) => {
      server.next(reply(200, anyObject));
      await connect(options).get(configMaps, key);
      expect(server.requests[0]?.headers['user-agent']).toBe(name);
    },
  );

  test('a deletion carries its policy and preconditions', async () => {
    server.next(reply(200, { kind: 'Status', status: 'Success' }));
    await connect().delete(configMaps, key, { propagationPolicy: 'Foreground', preconditions: { uid: 'u' } });
    expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({
      propagationPolicy: 'Foreground',
      preconditions: { uid: 'u' },
    });
  });
});

describe('objects', () => {
  test('come back as they are, unknown fields of metadata included', async () => {
    const odd = { ...anyObject, metadata: { ...anyObject.metadata, later: { a: [1, null] } }, more: true };
    server.next(reply(200, odd));
    expect(await connect().get(configMaps, key)).toEqual(odd);
  });

  test('of a list get the type that lists leave out', async () => {
    server.next(
      reply(200, {
        metadata: { resourceVersion: '9', continue: 'next' },
        items: [{ metadata: { name: 'a' } }],
      }),
    );
    expect(await connect().list(secrets)).toEqual({
      items: [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } }],
      resourceVersion: '9',
      continue: 'next',
    });
  });

  test('that are metadata bear the type they are of', async () => {
    server.next(reply(200, { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: key }));
    expect(await connect().getMetadata(secrets, key)).toEqual({
      kind: 'Secret',
      apiVersion: 'v1',
      metadata: key,
    });
  });

  test('an empty list may be null on the wire, as Go writes it', async () => {
    server.next(reply(200, { metadata: { resourceVersion: '9' }, items: null }));
    expect(await connect().list(secrets)).toEqual({ items: [], resourceVersion: '9' });
  });

  test('without a name are created under the one that the server gives', async () => {
    server.next(reply(201, anyObject));
    await connect().create(configMaps, {
      ...configMap,
      metadata: { name: '', generateName: 'a-', namespace: 'shop' },
    });
    expect(server.requests[0]?.url).toBe('/api/v1/namespaces/shop/configmaps');
  });
});

describe('failures', () => {
  test('a refusal is an error with its words', async () => {
    server.next(refuse(404, 'NotFound', { message: 'configmaps "a" not found', details: { name: 'a' } }));
    const error = await connect()
      .get(configMaps, key)
      .catch((e: unknown) => e);
    expect(isNotFound(error)).toBe(true);
    expect(String(error)).toContain('cannot get ConfigMap shop/a on cluster test: configmaps "a" not found');
  });

  const page = '404 page not found';
  const resources = (...names: string[]) =>
    reply(200, { kind: 'APIResourceList', resources: names.map((name) => ({ name })) });
  const groups = (...versions: string[]) =>
    reply(200, {
      kind: 'APIGroupList',
      groups: [{ versions: versions.map((groupVersion) => ({ groupVersion })) }],
    });
  test.each<[string, Script[]]>([
    ['is a page', [reply(404, '<html>not found</html>')]],
    ['is empty', [reply(404, '')]],
    ['is a JSON object of a gateway', [reply(404, { message: 'no Route matched with those values' })]],
    ['has another reason', [refuse(404, 'NoRoute', { details: { name: 'w', kind: 'widgets' } })]],
    ['names another object', [refuse(404, 'NotFound', { details: { name: 'other', kind: 'widgets' } })]],
    [
      'names an object of another kind',
      [refuse(404, 'NotFound', { details: { name: 'w', kind: 'namespaces' } })],
    ],
    ['is the text of an API server that serves the kind', [reply(404, page), resources('widgets', 'others')]],
    [
      'is the text of an API server that serves the group',
      [reply(404, page), reply(403, ''), groups('example.org/v1')],
    ],
    ['is the text of a server without discovery', [reply(404, page), reply(404, page), reply(404, page)]],
    ['is the text of a server with another discovery', [reply(404, page), reply(200, {}), reply(200, {})]],
    [
      'is the text of a server whose discovery has very many values',
      [reply(404, page), resources(...Array.from({ length: 60_000 }, () => 'x'))],
    ],
  ])('a 404 that %s proves nothing about an object', async (_reason, scripts) => {
    const client = connect();
    const widget = { name: 'w' };
    for (const call of [
      () => client.get(clusterWidgets, widget),
      () => client.delete(clusterWidgets, widget),
    ]) {
      server.next(...scripts);
      const error = await call().catch((e: unknown) => e);
      expect([isNotFound(error), isUnknownKind(error), kindOf(error)]).toEqual([false, false, 'transient']);
    }
  });

  test.each<[string, Script[], boolean]>([
    ['about the object', [refuse(404, 'NotFound', { details: { name: 'w', kind: 'widgets' } })], false],
    [
      'about the object by its kind',
      [refuse(404, 'NotFound', { details: { name: 'w', kind: 'Widget' } })],
      false,
    ],
    ['about its kind', [refuse(404, 'NotFound', { details: {} })], true],
    ['about its kind, which the group does not have', [reply(404, `${page}\n`), resources('others')], true],
    ['about a kind, with no right to discover', [reply(404, page), refuse(403, 'Forbidden')], true],
    [
      'about its group, which discovery does not have',
      [reply(404, `${page}\n`), reply(404, page), groups('other/v1')],
      true,
    ],
  ])('a 404 %s is one of the API server', async (_reason, scripts, isKind) => {
    server.next(...scripts);
    const error = await connect()
      .get(clusterWidgets, { name: 'w' })
      .catch((e: unknown) => e);
    expect([isNotFound(error), isUnknownKind(error), kindOf(error)]).toEqual([true, isKind, 'not-found']);
  });

  test.each([
    ['the token', (token: string) => token, { authorization: 'Bearer s3cret-token-12' }, 's3cret-token-12'],
    [
      'its base64',
      (token: string) => Buffer.from(token).toString('base64'),
      { authorization: 'Bearer s3cret-token-12' },
      's3cret-token-12',
    ],
    [
      'the password',
      (password: string) => password,
      { authorization: basicAuth('u', 'pa ss-word') },
      'pa ss-word',
    ],
  ])('a server that quotes %s of the request is not quoted', async (_what, quote, headers, secret) => {
    const config = { server: server.url, credentials: async () => ({ headers }) };
    const client = connect({ config });
    const details = { name: 'a', kind: 'configmaps', causes: [{ message: `no ${quote(secret)}` }] };
    server.next(refuse(403, 'Forbidden', { message: `${quote(secret)} may not do that`, details }));
    const error = await client.get(configMaps, key).catch((e: unknown) => e);
    expect(String(error)).toContain('[redacted] may not do that');
    expect(JSON.stringify(error instanceof KubeApiError && error.details)).toContain('no [redacted]');
    server.next((_request, response) => {
      const object = { kind: 'Status', code: 410, message: `expired ${quote(secret)}` };
      response.writeHead(200).end(`${JSON.stringify({ type: 'ERROR', object })}\n`);
    });
    const watch = client.watch(configMaps, {})[Symbol.asyncIterator]();
    await expect(watch.next()).rejects.toThrow(/expired \[redacted\]$/);
  });

  test('a name that would lead elsewhere is never sent', async () => {
    const error = await connect()
      .get(configMaps, { namespace: 'shop', name: '../secrets/b' })
      .catch((e: unknown) => e);
    expect(kindOf(error)).toBe('terminal');
    expect(server.requests).toHaveLength(0);
  });

  test('an answer that is not JSON is an error that does not quote it', async () => {
    server.next(reply(200, 'TOP-SECRET {'));
    const error = await connect()
      .get(secrets, key)
      .catch((e: unknown) => e);
    expect(String(error)).toMatch(/the response is not a JSON object$/);
    expect(String(error)).not.toContain('TOP-SECRET');
  });

  test.each([{ items: 'x' }, { items: [null] }, { items: [{}] }, { items: [{ metadata: { name: 1 } }] }])(
    'a list that is none, %j, is an error of the server and not of this program',
    async (list) => {
      server.next(reply(200, list));
      await expect(connect().list(configMaps)).rejects.toMatchObject({
        kind: 'transient',
        message: expect.stringContaining('the response is not a list of objects'),
      });
    },
  );

  const noObjects = [
    { to: 'no metadata', metadata: undefined },
    { to: 'no name', metadata: {} },
    { to: 'a uid that is a number', metadata: { ...key, uid: 1 } },
    { to: 'labels that are a text', metadata: { ...key, labels: 'a=b' } },
    { to: 'an annotation that is an object', metadata: { ...key, annotations: { a: {} } } },
    { to: 'finalizers that are a text', metadata: { ...key, finalizers: 'a' } },
    { to: 'a finalizer that is a number', metadata: { ...key, finalizers: [1] } },
    { to: 'an owner that is a text', metadata: { ...key, ownerReferences: ['a'] } },
    { to: 'an owner without a uid', metadata: { ...key, ownerReferences: [{ name: 'a' }] } },
  ];
  const otherObjects = [
    { to: 'another object', metadata: { ...key, name: 'b' } },
    { to: 'an object of another namespace', metadata: { ...key, namespace: 'other' } },
  ];
  const requests: { verb: string; send: (client: RestClient) => Promise<unknown> }[] = [
    { verb: 'get', send: (client) => client.get(configMaps, key) },
    { verb: 'get', send: (client) => client.getMetadata(configMaps, key) },
    { verb: 'create', send: (client) => client.create(configMaps, configMap) },
    { verb: 'update', send: (client) => client.update(configMaps, configMap) },
    { verb: 'update the status of', send: (client) => client.updateStatus(configMaps, configMap) },
    { verb: 'patch', send: (client) => client.mergePatch(configMaps, key, {}) },
    { verb: 'patch', send: (client) => client.jsonPatch(configMaps, key, []) },
    { verb: 'apply', send: (client) => client.apply(configMaps, configMap, { fieldManager: 'm' }) },
  ];
  test.each([...noObjects, ...otherObjects])(
    'a server whose response has $to is an error of the server, whatever the request',
    async ({ metadata }) => {
      const client = connect();
      for (const { verb, send } of requests) {
        server.next(reply(200, { metadata }));
        await expect(send(client)).rejects.toMatchObject({
          kind: 'transient',
          message: `cannot ${verb} ConfigMap shop/a on cluster test: the response is not this object`,
        });
      }
    },
  );
  test.each(noObjects)('and so is one whose list or watch has $to', async ({ metadata }) => {
    const client = connect();
    const event = { type: 'ADDED', object: { metadata: { ...metadata, resourceVersion: '1' } } };
    server.next(reply(200, { items: [{ metadata }] }), reply(200, `${JSON.stringify(event)}\n`));
    await expect(client.list(configMaps)).rejects.toThrow(/the response is not a list of objects$/);
    const watch = client.watch(configMaps, {})[Symbol.asyncIterator]();
    await expect(watch.next()).rejects.toThrow(/a line that is no watch event$/);
  });

  test('an answer larger than we read is cut off, and said to be', async () => {
    server.next(reply(200, { ...anyObject, data: { x: 'y'.repeat(10_000) } }));
    const error = await connect({ maxResponseBytes: 5000 })
      .get(configMaps, key)
      .catch((e: unknown) => e);
    expect((error as Error).cause).toBeInstanceOf(ResponseTooLargeError);
    expect(kindOf(error)).toBe('transient');
  });

  test('a page larger than the caller reads is cut off as well', async () => {
    const items = [{ ...anyObject, data: { x: 'y'.repeat(10_000) } }];
    for (let time = 0; time < 2; time++) server.next(reply(200, { kind: 'List', metadata: {}, items }));
    const list = (maxBytes: number) => connect({}).list(configMaps, { maxBytes });
    await expect(list(5000)).rejects.toMatchObject({ cause: expect.any(ResponseTooLargeError) });
    expect((await list(20_000)).items).toHaveLength(1);
  });

  test.each([
    ['in one chunk', (text: string) => reply(200, text)],
    [
      'in chunks of one byte',
      (text: string): Script =>
        (_request, response) => {
          response.writeHead(200);
          for (const byte of text) response.write(byte);
          response.end();
        },
    ],
  ])(
    'of a server that is not trusted, a small text that becomes large is refused %s',
    async (_how, answer) => {
      server.next(answer(`{"metadata":{},"data":[${'{},'.repeat(3000)}{}]}`));
      const error = await connect({ jsonLimits: { maxValues: 1000 } })
        .get(configMaps, key)
        .catch((e: unknown) => e);
      expect(String(error)).toMatch(/the response is a JSON text of more than 1000 values$/);
      expect(kindOf(error)).toBe('transient');
    },
  );

  test('no server listens: unreachable', async () => {
    const client = connect();
    await server.close();
    const error = await client.get(configMaps, key).catch((e: unknown) => e);
    expect(isUnreachable(error)).toBe(true);
    expect(String(error)).toMatch(/cannot get ConfigMap shop\/a on cluster test: connect ECONNREFUSED/);
  });

  test('a server that never answers: unreachable when the deadline is over', async () => {
    server.next(hang);
    const error = await connect({ callTimeoutMs: 50 })
      .get(configMaps, key)
      .catch((e: unknown) => e);
    expect(isUnreachable(error)).toBe(true);
    expect(String(error)).toMatch(/no answer within 0.05 s$/);
  });

  test('a write whose connection was cut is not sent again: it may have been done', async () => {
    server.next(hangUp);
    const error = await connect()
      .update(configMaps, configMap)
      .catch((e: unknown) => e);
    expect(isUnreachable(error)).toBe(true);
    expect(server.requests).toHaveLength(1);
  });

  test('the caller’s own end is thrown as it is, and is no fault of the cluster', async () => {
    const stop = new AbortController();
    server.next(() => stop.abort(new Error('shutting down')));
    const error = await connect()
      .get(configMaps, key, { signal: stop.signal })
      .catch((e: unknown) => e);
    expect(error).toBe(stop.signal.reason);
    const late = await connect()
      .get(configMaps, key, { signal: stop.signal })
      .catch((e: unknown) => e);
    expect(late).toBe(stop.signal.reason);
    expect(server.requests).toHaveLength(1);
  });
});

test('requests are counted by code, method and host, those without an answer too', async () => {
  const metrics = createFakeMetrics();
  const client = connect({ metrics });
  server.next(reply(200, anyObject), refuse(409, 'Conflict'), hangUp);
  await client.get(customResourceDefinitions, { name: 'a' });
  await client.update(configMaps, configMap).catch(() => undefined);
  await client.update(configMaps, configMap).catch(() => undefined);
  const host = new URL(server.url).host;
  const count = (code: string, method: string) =>
    metrics.value('rest_client_requests_total', { cluster: 'management', code, method, host });
  expect([count('200', 'GET'), count('409', 'PUT'), count('<error>', 'PUT')]).toEqual([1, 1, 1]);
});

test('requests are counted under other names where they are given', async () => {
  const metrics = createFakeMetrics();
  server.next(reply(200, anyObject));
  await connect({ metrics, cluster: 'tenants', metricsHost: 'remote' }).get(customResourceDefinitions, {
    name: 'a',
  });
  const labels = { cluster: 'tenants', code: '200', method: 'GET', host: 'remote' };
  expect(metrics.value('rest_client_requests_total', labels)).toBe(1);
});
