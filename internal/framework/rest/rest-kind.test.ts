import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { nopLogger } from '../base/index.ts';
import { rawNumber } from '../base/json/json-text.ts';
import {
  createObjectWatcher,
  type KubeObject,
  type ResourceType,
  type Secret,
  secrets,
} from '../kube/index.ts';
import { apiError, createFakeClock, createKindHarness, createMemoryClient } from '../managed/fakes/index.ts';
import { type ConfigKinds, getCondition } from '../managed/index.ts';
import type { RestDefinition, RestResource } from './definition.ts';
import { createRestApi, type RestConfig } from './rest-api.ts';
import { restKind } from './rest-kind.ts';
import { type Simulator, startSimulator, TOKEN } from './simulator.fixture.ts';

interface Folder extends RestResource {
  spec: RestResource['spec'] & { forProvider: Record<string, unknown> };
}

const group = 'files.m.example.org';
const typeOf = <T extends KubeObject>(kind: string, plural: string, namespaced = true): ResourceType<T> => ({
  group,
  version: 'v1',
  kind,
  plural,
  namespaced,
});
const folders = typeOf<Folder>('Folder', 'folders');
const configs = typeOf<RestConfig>('ProviderConfig', 'providerconfigs');
const kinds: ConfigKinds = {
  scope: 'Namespaced',
  usage: typeOf('ProviderConfigUsage', 'providerconfigusages'),
  config: configs,
  clusterConfig: typeOf('ClusterProviderConfig', 'clusterproviderconfigs', false),
};

const folder: RestDefinition<Folder> = {
  noun: 'folder',
  id: { parts: [{ parameter: 'id', from: 'response' }] },
  create: 'POST /folders',
  read: 'GET /folders/{id}',
  update: { route: 'PATCH /folders/{id}', body: 'changed' },
  delete: 'DELETE /folders/{id}',
  fields: {
    title: {},
    colour: {},
    tags: { unordered: true },
    parent: { as: 'parentId', immutable: true },
    password: { secret: true },
  },
  status: ['id', 'size'],
  connection: { key: { from: 'created', field: 'key' }, id: { from: 'observed', field: 'id' } },
};

let api: Simulator;
beforeEach(async () => {
  api = await startSimulator();
});
afterEach(() => api.close());

interface Given {
  readonly definition?: Partial<RestDefinition<Folder>>;
  readonly forProvider?: Record<string, unknown>;
  readonly annotations?: Record<string, string>;
  readonly managementPolicies?: string[];
  readonly without?: 'config' | 'secret';
  readonly token?: string;
  /** Of the API, below its host. */
  readonly path?: string;
}

function setup({ definition = {}, forProvider = { title: 'a' }, ...given }: Given = {}) {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const reads = {
    get: <T extends KubeObject>(
      type: ResourceType<T>,
      key: { name: string; namespace?: string },
      signal: AbortSignal,
    ) => client.get(type, key, { signal }),
    versionOf: async () => undefined,
  };
  const objectWatcher = createObjectWatcher({ client, clock });
  const rest = createRestApi({
    clock,
    log: nopLogger,
    cluster: { client, objectWatcher, reads, polledReads: reads },
    system: 'files',
    apiName: 'Files',
    authentication: { method: 'bearer' },
    headers: { 'X-From': 'ops@example.org', Accept: 'application/vnd.files+json' },
    allowPrivateEndpoints: true,
    env: {},
  });
  const secret = (name: string, data: Record<string, string>) =>
    client.seed<Secret>(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: 'shop' },
      data: Object.fromEntries(
        Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
      ),
    });
  const giveToken = (token = TOKEN) => secret('files', { token });
  const giveConfig = () =>
    client.seed<RestConfig>(configs, {
      apiVersion: `${group}/v1`,
      kind: 'ProviderConfig',
      metadata: { name: 'files', namespace: 'shop' },
      spec: {
        url: `${api.url}${given.path ?? ''}`,
        credentials: { source: 'Secret', secretRef: { name: 'files', key: 'token' } },
      },
    });
  if (given.without !== 'config') giveConfig();
  if (given.without !== 'secret') giveToken(given.token);
  secret('admin', { password: 'hunter2' });
  const harness = createKindHarness<Folder>({
    kind: restKind(
      { ...folder, ...definition },
      { type: folders, api: rest, kinds, observeAfterCreate: true },
    ),
    clock,
    client,
    resource: {
      apiVersion: `${group}/v1`,
      kind: 'Folder',
      metadata: { name: 'docs', namespace: 'shop', annotations: given.annotations ?? {} },
      spec: {
        forProvider,
        providerConfigRef: { kind: 'ProviderConfig', name: 'files' },
        writeConnectionSecretToRef: { name: 'docs-connection' },
        ...(given.managementPolicies ? { managementPolicies: given.managementPolicies } : {}),
      },
    },
  });
  const reconcile = async () => {
    let ended = false;
    const result = harness.reconcile().finally(() => {
      ended = true;
    });
    result.catch(() => undefined);
    // Requests need real time; waits between attempts, and limits, the time of the clock.
    while (!ended) {
      await nextTurn();
      await clock.advance(1);
    }
    return result;
  };
  const stored = () => {
    const found = harness.stored();
    if (found === undefined) throw new Error('the resource is gone');
    return found;
  };
  return {
    ...harness,
    reconcile,
    giveToken,
    giveConfig,
    resource: stored,
    gone: () => harness.stored() === undefined,
    condition: (type: string) => getCondition(stored(), type),
    externalName: () => stored().metadata.annotations?.['crossplane.io/external-name'],
    connection: () => decoded(client.peek(secrets, { name: 'docs-connection', namespace: 'shop' })),
    forget: () => client.delete(secrets, { name: 'files', namespace: 'shop' }),
  };
}

const decoded = (secret: Secret | undefined) =>
  Object.fromEntries(
    Object.entries(secret?.data ?? {}).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]),
  );
const writes = () => api.requests.filter((line) => !line.startsWith('GET '));

describe('a resource of a definition', () => {
  test('is created with its fields and Secrets, named by the response, ready, with status and connection details', async () => {
    const h = setup({
      forProvider: { title: 'a', parent: '7', passwordSecretRef: { name: 'admin', key: 'password' } },
    });
    await h.reconcile();
    expect(writes()).toEqual(['POST /folders {"title":"a","parentId":"7","password":"hunter2"}']);
    expect([h.externalName(), h.condition('Ready')?.status, h.condition('Synced')?.status]).toEqual([
      '1',
      'True',
      'True',
    ]);
    expect(h.resource().status).toMatchObject({ atProvider: { id: '1' } });
    expect(h.connection()).toEqual({ key: 'key-1', id: '1' });
    await h.reconcile();
    expect(h.connection()).toEqual({ key: 'key-1', id: '1' });
    expect(writes()).toHaveLength(1);
  });

  test('takes over values that it leaves unset', async () => {
    const h = setup();
    await h.reconcile();
    expect(h.resource().spec.forProvider).toEqual({ title: 'a', colour: 'grey' });
  });

  test.each([
    { field: 'title', elsewhere: 'b', body: { title: 'a' } },
    { field: 'colour', elsewhere: 'red', body: { colour: 'blue' } },
    { field: 'tags', elsewhere: ['x'], body: { tags: ['x', 'y'] } },
  ])('corrects a change of $field with that field alone', async ({ field, elsewhere, body }) => {
    const h = setup({ forProvider: { title: 'a', colour: 'blue', tags: ['x', 'y'] } });
    await h.reconcile();
    Object.assign(api.items('/folders').get('1') ?? {}, { [field]: elsewhere });
    await h.reconcile();
    expect(writes().slice(1)).toEqual([`PATCH /folders/1 ${JSON.stringify(body)}`]);
    expect(h.recorder.lines().at(-1)).toContain('UpdatedExternalResource');
  });

  test('sees no difference in the order of a list without order', async () => {
    const h = setup({ forProvider: { title: 'a', tags: ['x', 'y'] } });
    await h.reconcile();
    Object.assign(api.items('/folders').get('1') ?? {}, { tags: ['y', 'x'] });
    await h.reconcile();
    expect(writes()).toHaveLength(1);
  });

  test('refuses a change of an immutable field, and says which', async () => {
    const h = setup({ forProvider: { title: 'a', parent: '7' } });
    await h.reconcile();
    await h.patch({ spec: { forProvider: { parent: '8' } } });
    await h.reconcile();
    expect(h.condition('Synced')?.message).toContain(
      'cannot update folder: parent cannot be changed after the creation',
    );
    expect(writes()).toHaveLength(1);
  });

  test('is replaced for such a change, if the definition says so', async () => {
    const h = setup({ definition: { immutable: 'replace' }, forProvider: { title: 'a', parent: '7' } });
    await h.reconcile();
    await h.patch({ spec: { forProvider: { parent: '8' } } });
    await h.reconcile();
    expect(writes().slice(1)).toEqual([
      'DELETE /folders/1',
      'POST /folders {"title":"a","colour":"grey","parentId":"8"}',
    ]);
    expect(h.externalName()).toBe('2');
  });

  test('is imported by its external name', async () => {
    api.items('/folders').set('abc', { id: 'abc', title: 'a', size: 3 });
    const h = setup({ annotations: { 'crossplane.io/external-name': 'abc' } });
    await h.reconcile();
    expect([writes(), h.condition('Ready')?.status]).toEqual([[], 'True']);
    expect(h.resource().status).toMatchObject({ atProvider: { id: 'abc', size: 3 } });
  });

  test('is only observed, if its policies say so', async () => {
    api.items('/folders').set('abc', { id: 'abc', title: 'another' });
    const annotations = { 'crossplane.io/external-name': 'abc' };
    const h = setup({ annotations, managementPolicies: ['Observe'] });
    await h.reconcile();
    expect([writes(), h.condition('UpToDate')?.message]).toEqual([[], 'title is "another", should be "a"']);
  });

  test('is created again after it was deleted elsewhere', async () => {
    const h = setup();
    await h.reconcile();
    api.items('/folders').clear();
    await h.clock.advance(31_000);
    await h.reconcile();
    expect([writes().length, h.externalName()]).toEqual([2, '2']);
  });

  test('is deleted, also if it is gone already', async () => {
    const h = setup();
    await h.reconcile();
    await h.delete();
    api.faults.push({ on: 'DELETE', answer: 404, times: 1 });
    await h.reconcile();
    await h.reconcile();
    expect([h.gone(), writes().slice(1)]).toEqual([false, ['DELETE /folders/1', 'DELETE /folders/1']]);
    await h.clock.advance(31_000);
    await h.reconcile();
    expect(h.gone()).toBe(true);
  });

  test.each(['..', '.', 'a/../b'])('never addresses another path by the external name %j', async (name) => {
    const h = setup({ annotations: { 'crossplane.io/external-name': name } });
    await h.reconcile();
    if (name === 'a/../b') return expect(api.requests[0]).toBe('GET /folders/a%2F..%2Fb');
    expect(api.requests).toEqual([]);
    return expect(h.condition('Synced')?.message).toContain('for id of the path /folders/{id}');
  });
});

describe('a response other than success', () => {
  test('401 names the Secret and not the token, and a changed Secret is a target', async () => {
    const h = setup({ token: 'wr0ng-t0ken' });
    const result = await h.reconcile();
    expect(h.condition('Synced')?.message).toContain('(credentials: Secret shop/files)');
    expect(JSON.stringify([h.resource(), h.recorder.lines()])).not.toContain('wr0ng-t0ken');
    expect(result).toMatchObject({
      targets: [
        { description: 'ProviderConfig shop/files on memory cluster' },
        { description: 'Secret shop/files on memory cluster' },
      ],
    });
  });

  test('422 of a write is final until the spec changes', async () => {
    api.faults.push({ on: 'POST', answer: 422, times: 9 });
    const h = setup();
    await h.reconcile();
    await h.reconcile();
    expect([h.condition('Synced')?.message, writes().length]).toEqual([
      expect.stringContaining('cannot create folder: POST /folders answered 422'),
      1,
    ]);
  });

  test('422 of a write with values of Secrets is tried again when one of them has changed', async () => {
    api.faults.push({ on: 'POST', answer: 422, times: 1 });
    const forProvider = { title: 'a', passwordSecretRef: { name: 'admin', key: 'password' } };
    const h = setup({ forProvider });
    const { targets = [] } = await h.reconcile();
    let isChanged = false;
    const ends = targets.map(({ watch }) => watch(() => (isChanged = true)));
    const key = { name: 'admin', namespace: 'shop' };
    const data = { password: Buffer.from('longer').toString('base64') };
    await h.client.mergePatch(secrets, key, { data });
    await h.clock.advance(10_000);
    expect([h.condition('Synced')?.message, isChanged]).toEqual([
      expect.stringContaining('answered 422'),
      true,
    ]);
    for (const end of ends) end();
    await h.reconcile();
    expect(writes().at(-1)).toBe('POST /folders {"title":"a","password":"longer"}');
    expect(h.condition('Ready')?.status).toBe('True');
  });

  test('429 is tried again when the API says', async () => {
    const h = setup();
    await h.reconcile();
    api.faults.push({ on: 'GET', answer: 429, times: 1 });
    expect(await h.reconcile()).toMatchObject({ type: 'requeue-after', delayMs: 7000 });
  });

  test.each([500, 503])('%d of a create is no unknown result: it is tried again', async (status) => {
    api.faults.push({ on: 'POST', answer: status, times: 1 });
    const h = setup();
    expect(await h.reconcile()).toEqual({ type: 'requeue' });
    await h.reconcile();
    expect([writes().length, h.externalName()]).toEqual([2, '1']);
  });
});

describe('a create whose response was lost', () => {
  test('is not repeated, since a second one could leave an unknown external resource', async () => {
    api.faults.push({ on: 'POST', answer: 'drop', times: 1 });
    const h = setup();
    await h.reconcile();
    expect(h.condition('Synced')?.message).toContain('it may have taken effect');
    await h.reconcile();
    await h.reconcile();
    expect(writes()).toHaveLength(1);
    expect(h.condition('Synced')?.message).toContain('cannot determine creation result');
  });

  test('is found by fields that belong to one alone', async () => {
    api.faults.push({ on: 'POST', answer: 'drop', times: 1 });
    const h = setup({
      definition: {
        read: {
          list: 'GET /folders',
          items: 'items',
          pages: { by: 'token', parameter: 'cursor', next: 'next' },
        },
        id: { parts: [{ parameter: 'id', from: 'response' }], findBy: ['title'] },
      },
    });
    await h.reconcile();
    await h.reconcile();
    expect([writes().length, h.externalName(), h.condition('Ready')?.status]).toEqual([1, '1', 'True']);
  });

  test('is found and deleted, if the resource is deleted next', async () => {
    api.faults.push({ on: 'POST', answer: 'drop', times: 1 });
    const read = { list: 'GET /folders', items: 'items' } as const;
    const id = { parts: [{ parameter: 'id', from: 'response' }], findBy: ['title'], findIn: read } as const;
    const h = setup({ definition: { id } });
    await h.reconcile();
    expect(api.items('/folders').size).toBe(1);
    await h.client.delete(folders, { name: 'docs', namespace: 'shop' });
    await h.reconcile();
    await h.clock.advance(31_000);
    await h.reconcile();
    expect([h.gone(), api.items('/folders').size]).toEqual([true, 0]);
  });

  test('is found in a list of its own, where read has none', async () => {
    api.faults.push({ on: 'POST', answer: 'drop', times: 1 });
    const pages = { by: 'token', parameter: 'cursor', next: 'next' } as const;
    const h = setup({
      definition: {
        id: {
          parts: [{ parameter: 'id', from: 'response' }],
          findBy: ['title'],
          findIn: { list: 'GET /folders', items: 'items', pages },
        },
      },
    });
    await h.reconcile();
    await h.reconcile();
    expect([writes().length, h.externalName(), h.condition('Ready')?.status]).toEqual([1, '1', 'True']);
  });

  test('does not make a resource take over one of others with the same fields', async () => {
    api.items('/folders').set('abc', { id: 'abc', title: 'a' });
    const h = setup({
      definition: {
        read: { list: 'GET /folders', items: 'items' },
        id: { parts: [{ parameter: 'id', from: 'response' }], findBy: ['title'] },
      },
    });
    await h.reconcile();
    expect([writes().length, h.externalName()]).toEqual([1, '1']);
  });
});

describe('an ID', () => {
  test('whose parameter has another name than the field of the spec has its value', async () => {
    const h = setup({
      forProvider: { accountId: '7', title: 'a' },
      definition: {
        id: {
          parts: [
            { parameter: 'account_id', from: 'spec', field: 'accountId' },
            { parameter: 'id', from: 'response' },
          ],
        },
        parameters: { account_id: 'accountId' },
        create: 'POST /accounts/{account_id}/keys',
        read: 'GET /accounts/{account_id}/keys/{id}',
        delete: 'DELETE /accounts/{account_id}/keys/{id}',
      },
    });
    await h.reconcile();
    expect([h.externalName(), h.condition('Ready')?.status]).toEqual(['7/1', 'True']);
  });

  test('of several parts is in the external name and in the paths', async () => {
    const h = setup({
      forProvider: { account: 'x/y', title: 'a' },
      definition: {
        id: {
          parts: [
            { parameter: 'account', from: 'spec' },
            { parameter: 'id', from: 'response' },
          ],
        },
        create: 'POST /accounts/{account}/keys',
        read: 'GET /accounts/{account}/keys/{id}',
        delete: 'DELETE /accounts/{account}/keys/{id}',
      },
    });
    await h.reconcile();
    expect([h.externalName(), h.condition('Ready')?.status]).toEqual(['x%2Fy/1', 'True']);
    expect(api.requests).toEqual(['POST /accounts/x%2Fy/keys {"title":"a"}', 'GET /accounts/x%2Fy/keys/1']);
    await h.delete();
    await h.reconcile();
    expect(api.requests.at(-1)).toBe('DELETE /accounts/x%2Fy/keys/1');
  });

  test('that the client chooses is known before, so that a lost create does no harm', async () => {
    const h = setup({
      definition: {
        id: { parts: [{ parameter: 'name', from: 'name' }] },
        create: 'PUT /buckets/{name}',
        read: 'GET /buckets/{name}',
        update: { route: 'PUT /buckets/{name}', body: 'merged' },
        delete: 'DELETE /buckets/{name}',
      },
    });
    api.faults.push({ on: 'PUT', answer: 'drop', times: 3 });
    await h.reconcile();
    await h.reconcile();
    expect([h.externalName(), h.condition('Ready')?.status, [...api.items('/buckets').keys()]]).toEqual([
      'docs',
      'True',
      ['docs'],
    ]);
  });
});

describe('an API without an operation that reads one', () => {
  test.each([
    { by: 'number', parameter: 'page', sizeParameter: 'size', size: 2 },
    { by: 'offset', parameter: 'offset', sizeParameter: 'size', size: 2 },
    { by: 'token', parameter: 'cursor', next: 'next' },
  ] as const)('is read page by page, by $by', async (pages) => {
    for (const id of ['a', 'b', 'c', 'd', 'e']) api.items('/folders').set(id, { id, title: id });
    const annotations = { 'crossplane.io/external-name': 'e' };
    const read = { list: 'GET /folders', items: 'items', pages } as const;
    const h = setup({ definition: { read }, annotations, forProvider: { title: 'e' } });
    await h.reconcile();
    expect([h.condition('Ready')?.status, api.requests.length, writes()]).toEqual(['True', 3, []]);
  });

  const byNumber = { by: 'number', parameter: 'page', sizeParameter: 'size', size: 100 } as const;
  const byOffset = { by: 'offset', parameter: 'offset', sizeParameter: 'size', size: 100 } as const;
  test.each([
    { pages: byNumber, maxPage: 2 },
    { pages: byOffset, maxPage: 2 },
    { pages: byNumber, maxPage: 1 },
  ])(
    'is read to its end, though pages have less than was requested: $maxPage, by $pages.by',
    async (given) => {
      for (const id of ['a', 'b', 'c', 'd', 'e']) api.items('/folders').set(id, { id, title: id });
      api.maxPage = given.maxPage;
      const annotations = { 'crossplane.io/external-name': 'e' };
      const read = { list: 'GET /folders', items: 'items', pages: given.pages } as const;
      const h = setup({ definition: { read }, annotations, forProvider: { title: 'e' } });
      await h.reconcile();
      expect([h.condition('Ready')?.status, writes()]).toEqual(['True', []]);
      await h.delete();
      await h.reconcile();
      expect(writes()).toEqual(['DELETE /folders/e']);
      await h.clock.advance(31_000);
      await h.reconcile();
      expect(h.gone()).toBe(true);
    },
  );

  test.each([
    { beyondPages: 'empty', requests: 2 },
    { beyondPages: 'last', requests: 2 },
    { beyondPages: 404, requests: 2 },
    { beyondPages: 400, requests: 2 },
    { beyondPages: 'empty', items: [], requests: 1 },
  ] as const)('ends after a page that is not full: $beyondPages', async ({ requests, ...given }) => {
    const items = 'items' in given ? given.items : ['a', 'b'];
    api.items('/folders');
    for (const id of items) api.items('/folders').set(id, { id, title: id });
    api.beyondPages = given.beyondPages;
    const annotations = { 'crossplane.io/external-name': 'zzz' };
    const read = { list: 'GET /folders', items: 'items', pages: byNumber } as const;
    const h = setup({ definition: { read }, annotations, managementPolicies: ['Observe'] });
    await h.reconcile();
    expect([api.requests.length, h.condition('Synced')?.message]).toEqual([
      requests,
      'observe failed: external resource does not exist',
    ]);
  });

  test('that fails after such a page is not taken for read', async () => {
    for (const id of ['a', 'b']) api.items('/folders').set(id, { id, title: id });
    api.beyondPages = 403;
    const read = { list: 'GET /folders', items: 'items', pages: byNumber } as const;
    const h = setup({ definition: { read }, annotations: { 'crossplane.io/external-name': 'zzz' } });
    await h.reconcile();
    expect([writes(), h.condition('Synced')?.message]).toEqual([[], expect.stringContaining('answered 403')]);
  });

  test.each([{ by: 'link' }, { by: 'link', next: 'links.next' }] as const)(
    'is read along its links: %j',
    async (pages) => {
      for (const id of ['a', 'b', 'c', 'd', 'e']) api.items('/folders').set(id, { id, title: id });
      api.habits.links = !('next' in pages);
      const annotations = { 'crossplane.io/external-name': 'e' };
      const items = api.habits.links ? {} : { items: 'items' };
      const read = { list: 'GET /folders', ...items, pages } as const;
      const h = setup({ definition: { read }, annotations, forProvider: { title: 'e' } });
      await h.reconcile();
      expect([h.condition('Ready')?.status, api.requests.at(-1), writes()]).toEqual([
        'True',
        'GET /folders?cursor=4',
        [],
      ]);
    },
  );

  test('that repeats a page is an error, and no endless loop', async () => {
    for (const id of ['a', 'b', 'c']) api.items('/folders').set(id, { id, title: id });
    const annotations = { 'crossplane.io/external-name': 'zzz' };
    const read = {
      list: 'GET /folders',
      items: 'items',
      pages: { by: 'token', parameter: 'other', next: 'next' },
    } as const;
    const h = setup({ definition: { read }, annotations });
    await h.reconcile();
    expect(h.condition('Synced')?.message).toContain('repeats a page');
  });
});

test('UpToDate is True after an update that the API shows at once, and else after the next poll', async () => {
  const h = setup();
  await h.reconcile();
  await h.patch({ spec: { forProvider: { title: 'b' } } });
  await h.reconcile();
  expect([writes().length, h.condition('UpToDate')?.status]).toEqual([2, 'True']);
  await h.patch({ spec: { forProvider: { title: 'c' } } });
  const { title, ...shown } = api.items('/folders').get('1') ?? {};
  Object.defineProperty(shown, 'title', { enumerable: true, get: () => title, set: () => undefined });
  api.items('/folders').set('1', shown);
  await h.reconcile();
  expect([writes().length, h.condition('UpToDate')?.reason]).toEqual([3, 'UpdateRequested']);
});

describe('connection details that an operation of their own has', () => {
  const ready = { field: 'colour', values: ['grey'] };
  const login = { from: 'GET /logins/{id}', field: 'user.password' } as const;
  const definition: Partial<RestDefinition<Folder>> = { ready, connection: { password: login } };
  const requested = () => api.requests.filter((request) => request.includes('login'));

  test('are read once it is ready, and again at each observation', async () => {
    const h = setup({ definition });
    await h.reconcile();
    // The API has none yet.
    expect([h.connection(), h.condition('Synced')?.status]).toEqual([{}, 'True']);
    api.items('/logins').set('1', { user: { password: 'p1' } });
    await h.reconcile();
    expect(h.connection()).toEqual({ password: 'p1' });
    api.items('/logins').set('1', { user: { password: 'p2' } });
    await h.reconcile();
    expect(h.connection()).toEqual({ password: 'p2' });
    expect(JSON.stringify(h.resource())).not.toContain('p2');
  });

  test('are not read before it is ready, nor when it is being deleted', async () => {
    const h = setup({ definition, forProvider: { title: 'a', colour: 'red' } });
    await h.reconcile();
    await h.reconcile();
    expect([requested(), h.condition('Ready')?.status]).toEqual([[], 'False']);
    await h.client.delete(folders, { name: 'docs', namespace: 'shop' });
    await h.reconcile();
    expect(requested()).toEqual([]);
  });
});

describe('a create whose external resource is never found', () => {
  const rounds = async (h: ReturnType<typeof setup>, count = 6) => {
    for (let round = 0; round < count; round++) {
      await h.clock.advance(31_000);
      await h.reconcile();
    }
  };

  test('is not repeated, says what to state, and goes on once it is found', async () => {
    const h = setup();
    api.faults.push({ on: 'GET /folders/1', answer: 404, times: 99 });
    await rounds(h);
    expect(writes()).toHaveLength(1);
    const message = h.condition('Synced')?.message ?? '';
    expect(message).toContain('GET /folders/{id} does not find the folder "1"');
    expect(message).toMatch(/state .*create.later.* or .*id.*external-create-pending/);
    expect(h.condition('Ready')?.reason).toBe('Creating');
    api.faults.length = 0;
    await rounds(h, 1);
    expect([writes().length, h.condition('Ready')?.status, h.condition('Synced')?.status]).toEqual([
      1,
      'True',
      'True',
    ]);
  });

  test.each(['the credentials are missing meanwhile', 'it is paused meanwhile'])(
    'is not repeated, if %s',
    async (what) => {
      const h = setup();
      api.faults.push({ on: 'GET /folders/1', answer: 404, times: 99 });
      await rounds(h, 1);
      const isPause = what.includes('paused');
      const pause = (paused: string) =>
        h.patch({ metadata: { annotations: { 'crossplane.io/paused': paused } } });
      if (isPause) await pause('true');
      else await h.forget();
      await rounds(h, 1);
      if (isPause) await pause('false');
      else h.giveToken();
      await rounds(h);
      expect(writes()).toHaveLength(1);
    },
  );

  test('is created again, if a user says that this is safe', async () => {
    const h = setup();
    api.faults.push({ on: 'GET /folders/1', answer: 404, times: 99 });
    await rounds(h);
    await h.patch({ metadata: { annotations: { 'crossplane.io/external-create-pending': null } } });
    await rounds(h);
    expect([writes().length, h.externalName(), h.condition('Ready')?.status]).toEqual([2, '2', 'True']);
  });

  test('is deleted with a warning', async () => {
    const h = setup();
    api.faults.push({ on: 'GET /folders/1', answer: 404, times: 99 });
    await rounds(h);
    await h.client.delete(folders, { name: 'docs', namespace: 'shop' });
    await rounds(h, 2);
    expect(h.gone()).toBe(true);
    expect(h.recorder.lines().filter((line) => line.includes('CreationResultUnknown'))).toHaveLength(1);
  });
});

describe('a create that ends later', () => {
  const definition: Partial<RestDefinition<Folder>> = {
    create: {
      route: 'POST /folders',
      later: {
        from: { field: 'operation.id' },
        read: 'GET /operations/{operation}',
        state: 'state',
        succeeded: ['done'],
        failed: ['failed'],
        message: 'message',
        result: 'result',
      },
    },
  };

  test('is polled, then named by the result of its operation', async () => {
    api.later = { state: 'running' };
    const h = setup({ definition });
    await h.reconcile();
    expect(await h.reconcile()).toMatchObject({ type: 'requeue-after', delayMs: 5000 });
    expect(h.condition('Ready')?.message).toBe('the folder is being created');
    api.later = { state: 'done' };
    await h.reconcile();
    await h.reconcile();
    expect([writes().length, h.externalName(), h.condition('Ready')?.status]).toEqual([1, '1', 'True']);
  });

  test.each(['', '/v2'])('is read at its Location with the query, by an API below "%s"', async (path) => {
    const create = definition.create as Exclude<typeof definition.create, string | undefined>;
    const { read: _, ...later } = { ...create.later };
    const located = { ...create, later: { ...later, from: 'location' } } as typeof create;
    api.later = { state: 'done' };
    const h = setup({ definition: { create: located }, path });
    await h.reconcile();
    expect(api.requests.filter((request) => request.includes('operations'))).toEqual([
      `GET ${path}/operations/1?version=2`,
    ]);
    expect([writes().length, h.externalName(), h.condition('Ready')?.status]).toEqual([1, '1', 'True']);
  });

  test.each(['running', 'done'])('is deleted, when its operation was %s at the deletion', async (state) => {
    api.later = { state: 'running' };
    const h = setup({ definition });
    await h.reconcile();
    api.later = { state };
    await h.client.delete(folders, { name: 'docs', namespace: 'shop' });
    await h.reconcile();
    api.later = { state: 'done' };
    await h.reconcile();
    await h.clock.advance(31_000);
    await h.reconcile();
    expect([h.gone(), [...api.items('/folders').keys()]]).toEqual([true, []]);
  });

  test('whose operation is gone is found by fields that belong to one alone, and not repeated', async () => {
    api.later = { state: 'running' };
    const read = { list: 'GET /folders', items: 'items' } as const;
    const id = { parts: [{ parameter: 'id', from: 'response' }], findBy: ['title'], findIn: read } as const;
    const h = setup({ definition: { ...definition, id } });
    await h.reconcile();
    api.faults.push({ on: 'GET /operations', answer: 404, times: 9 });
    await h.clock.advance(31_000);
    await h.reconcile();
    await h.reconcile();
    expect([writes().length, h.externalName(), h.condition('Ready')?.status]).toEqual([1, '1', 'True']);
  });

  test('gives another name to what is created again after it was deleted elsewhere', async () => {
    api.later = { state: 'done' };
    const h = setup({ definition });
    await h.reconcile();
    // The operation ended at once, so that the observation after the create has the name.
    expect([h.externalName(), h.condition('Ready')?.status]).toEqual(['1', 'True']);
    api.items('/folders').clear();
    await h.clock.advance(31_000);
    await h.reconcile();
    await h.reconcile();
    expect([writes().length, h.externalName(), h.condition('Ready')?.status]).toEqual([2, '2', 'True']);
  });

  test.each([
    { what: 'whose result has another ID', on: 'GET /folders', advice: 'create.later.result' },
    { what: 'whose operation is not known', on: 'GET /operations', advice: 'create.later' },
  ])('$what is not created again, and found once it is there', async ({ on, advice }) => {
    api.later = { state: 'running' };
    const h = setup({ definition });
    await h.reconcile();
    api.later = { state: 'done' };
    api.faults.push({ on, answer: 404, times: 99 });
    for (let round = 0; round < 8; round++) {
      await h.clock.advance(31_000);
      await h.reconcile();
    }
    expect(writes()).toHaveLength(1);
    expect(h.condition('Synced')).toMatchObject({ status: 'False', reason: 'ReconcileError' });
    expect(h.condition('Synced')?.message).toContain(advice);
    api.faults.length = 0;
    await h.reconcile();
    expect([writes().length, h.externalName(), h.condition('Ready')?.status]).toEqual([1, '1', 'True']);
  });

  test('that is still pending when its operation has ended keeps its name', async () => {
    api.later = { state: 'done' };
    const ready = { field: 'colour', values: ['blue'], pending: ['grey'] };
    const h = setup({ definition: { ...definition, ready } });
    for (let round = 0; round < 4; round++) {
      await h.reconcile();
      await h.clock.advance(31_000);
    }
    expect([writes().length, h.externalName(), h.condition('Ready')?.message]).toEqual([
      1,
      '1',
      'the folder is grey',
    ]);
  });

  test('that fails is reported with the message of its operation, and begun again', async () => {
    api.later = { state: 'failed' };
    const h = setup({ definition });
    await h.reconcile();
    await h.clock.advance(31_000);
    await h.reconcile();
    expect(h.condition('Synced')?.message).toContain('its operation has ended as failed: quota exceeded');
    expect(writes()).toHaveLength(1);
    await h.reconcile();
    expect(writes()).toHaveLength(2);
  });
});

test('IDs and other numbers beyond 2^53 keep their digits', async () => {
  const digits = '9007199254740993';
  api.idOf = () => rawNumber(digits);
  const h = setup({
    forProvider: { title: 'a', parent: '12345678901234567891', size: '-9007199254740995' },
    definition: {
      fields: {
        title: {},
        parent: { as: 'parentId', sentAs: 'number' },
        size: { sentAs: 'number', immutable: true },
      },
      update: { route: 'PATCH /folders/{id}', body: 'changed', echo: ['id'] },
      connection: { id: { from: 'observed', field: 'id' } },
    },
  });
  const sent = {
    title: 'a',
    parentId: rawNumber('12345678901234567891'),
    size: rawNumber('-9007199254740995'),
  };
  await h.reconcile();
  expect([h.externalName(), h.connection(), writes()]).toEqual([
    digits,
    { id: digits },
    [`POST /folders ${JSON.stringify(sent)}`],
  ]);
  api.items('/folders').set(digits, { ...sent, id: rawNumber(digits) });
  await h.reconcile();
  expect([h.condition('Synced')?.status, writes().length]).toEqual(['True', 1]);
  // As the API server stores it.
  expect(h.resource().status).toMatchObject({ atProvider: { id: 9007199254740992 } });
  api.items('/folders').set(digits, {
    ...sent,
    id: rawNumber(digits),
    parentId: rawNumber('12345678901234567892'),
  });
  await h.reconcile();
  expect(writes().slice(1)).toEqual([
    `PATCH /folders/${digits} {"parentId":12345678901234567891,"id":${digits}}`,
  ]);
});

describe('a Secret whose value was sent', () => {
  const passwordSecretRef = { name: 'admin', key: 'password' };
  const change = (h: ReturnType<typeof setup>, password: string) =>
    h.client.mergePatch(
      secrets,
      { name: 'admin', namespace: 'shop' },
      { data: { password: Buffer.from(password).toString('base64') } },
    );
  const created = 'POST /folders {"title":"a","password":"hunter2"}';

  test('is sent again when it has changed, once', async () => {
    const h = setup({ forProvider: { title: 'a', passwordSecretRef } });
    const { targets = [] } = await h.reconcile();
    expect(targets.map(({ description }) => description)).toContain('Secret shop/admin on memory cluster');
    await h.reconcile();
    expect(writes()).toEqual([created]);
    await change(h, 'hunter3');
    for (let i = 0; i < 3; i++) await h.reconcile();
    expect(writes().slice(1)).toEqual(['PATCH /folders/1 {"password":"hunter3"}']);
    expect(JSON.stringify(h.resource())).not.toMatch(/hunter/);
  });

  test('is sent again when another Secret is named', async () => {
    const h = setup({ forProvider: { title: 'a', passwordSecretRef } });
    await h.reconcile();
    h.client.seed<Secret>(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'other', namespace: 'shop' },
      data: { password: Buffer.from('hunter4').toString('base64') },
    });
    await h.patch({ spec: { forProvider: { passwordSecretRef: { name: 'other' } } } });
    for (let i = 0; i < 2; i++) await h.reconcile();
    expect(writes().slice(1)).toEqual(['PATCH /folders/1 {"password":"hunter4"}']);
  });

  test('is sent when it is named for the first time, also where it was not needed for the creation', async () => {
    const h = setup({ forProvider: { title: 'a' } });
    await h.reconcile();
    await h.patch({ spec: { forProvider: { passwordSecretRef } } });
    for (let i = 0; i < 2; i++) await h.reconcile();
    expect(writes().slice(1)).toEqual(['PATCH /folders/1 {"password":"hunter2"}']);
    await h.client.mergePatch(
      folders,
      { name: 'docs', namespace: 'shop' },
      { spec: { forProvider: { passwordSecretRef: null } } },
    );
    await h.reconcile();
    expect([h.condition('Synced')?.status, writes().length]).toEqual(['True', 2]);
  });

  test('is not sent to what is imported, before it has changed', async () => {
    api.items('/folders').set('abc', { id: 'abc', title: 'a' });
    const h = setup({
      forProvider: { title: 'a', passwordSecretRef },
      annotations: { 'crossplane.io/external-name': 'abc' },
    });
    await h.reconcile();
    expect(writes()).toEqual([]);
    await change(h, 'hunter3');
    for (let i = 0; i < 2; i++) await h.reconcile();
    expect(writes()).toEqual(['PATCH /folders/abc {"password":"hunter3"}']);
  });

  test('is sent again after an update that failed', async () => {
    const h = setup({ forProvider: { title: 'a', passwordSecretRef } });
    await h.reconcile();
    await change(h, 'hunter3');
    api.faults.push({ on: 'PATCH', answer: 403, times: 1 });
    for (let i = 0; i < 3; i++) await h.reconcile();
    expect(writes().slice(1)).toEqual(Array(2).fill('PATCH /folders/1 {"password":"hunter3"}'));
  });

  test('is not needed while nothing else changes, nor for the deletion', async () => {
    const h = setup({ forProvider: { title: 'a', passwordSecretRef } });
    await h.reconcile();
    await h.client.delete(secrets, { name: 'admin', namespace: 'shop' });
    await h.reconcile();
    expect([h.condition('Synced')?.status, h.condition('Ready')?.status]).toEqual(['True', 'True']);
    await h.delete();
    await h.reconcile();
    expect(writes().at(-1)).toBe('DELETE /folders/1');
  });

  test('does not count for a field that no update can change', async () => {
    const h = setup({
      forProvider: { title: 'a', passwordSecretRef },
      definition: { fields: { title: {}, password: { secret: true, immutable: true } } },
    });
    await h.reconcile();
    await change(h, 'hunter3');
    await h.reconcile();
    expect([h.condition('Synced')?.status, writes()]).toEqual(['True', [created]]);
  });
});

describe('an external resource that the API deletes later', () => {
  const deleted = { field: 'deleteOn' };

  test('counts as deleted when it is marked, so that the deletion ends', async () => {
    api.marksDeleted = 'deleteOn';
    const h = setup({ definition: { deleted } });
    await h.reconcile();
    await h.delete();
    await h.reconcile();
    await h.clock.advance(31_000);
    await h.reconcile();
    expect([h.gone(), writes().slice(1), api.items('/folders').size]).toEqual([
      true,
      ['DELETE /folders/1'],
      1,
    ]);
  });

  test('is created again, as one that is gone', async () => {
    const h = setup({ definition: { deleted: { field: 'state', values: ['archived'] } } });
    await h.reconcile();
    Object.assign(api.items('/folders').get('1') ?? {}, { state: 'archived' });
    await h.clock.advance(31_000);
    await h.reconcile();
    expect([h.externalName(), writes().length]).toEqual(['2', 2]);
  });

  test.each([undefined, null, '', false, 0])('is one that is not marked: %j', async (deleteOn) => {
    const h = setup({ definition: { deleted } });
    await h.reconcile();
    Object.assign(api.items('/folders').get('1') ?? {}, { deleteOn });
    await h.clock.advance(31_000);
    await h.reconcile();
    expect([h.condition('Ready')?.status, writes().length]).toEqual(['True', 1]);
  });

  test('is none of those in which a lost create is looked for', async () => {
    const list = {
      list: 'GET /folders',
      items: 'items',
      pages: { by: 'token', parameter: 'cursor', next: 'next' },
    } as const;
    const definition = {
      deleted,
      id: { parts: [{ parameter: 'id', from: 'response' }], findBy: ['title'], findIn: list },
    } as const;
    api.items('/folders').set('old', { id: 'old', title: 'a', deleteOn: '2026-07-01' });
    api.faults.push({ on: 'POST', answer: 'drop', times: 1 });
    const h = setup({ definition });
    await h.reconcile();
    await h.reconcile();
    expect([h.externalName(), writes().length]).toEqual(['1', 1]);
  });
});

test('a resource is pending while the API is working, and not ready in other states', async () => {
  const h = setup({ definition: { ready: { field: 'state', values: ['active'], pending: ['building'] } } });
  await h.reconcile();
  Object.assign(api.items('/folders').get('1') ?? {}, { state: 'building', title: 'b' });
  expect(await h.reconcile()).toMatchObject({ type: 'requeue-after', delayMs: 5000 });
  expect([writes().length, h.condition('Ready')?.message]).toEqual([1, 'the folder is building']);
  Object.assign(api.items('/folders').get('1') ?? {}, { state: 'broken', title: 'a' });
  await h.reconcile();
  expect(h.condition('Ready')?.message).toBe('the folder is broken');
});

test('a body is wrapped, has another content type, and numbers for texts of the spec; the status has other names', async () => {
  const h = setup({
    forProvider: { title: 'a', parent: '7', size: '3' },
    definition: {
      create: { route: 'POST /folders', request: 'data.folder', contentType: 'application/merge-patch+json' },
      fields: { title: {}, parent: { as: 'parentId', sentAs: 'number' }, size: { sentAs: 'number' } },
      status: { folderId: 'id' },
    },
  });
  await h.reconcile();
  expect(writes()).toEqual(['POST /folders {"data":{"folder":{"title":"a","parentId":7,"size":3}}}']);
  api.items('/folders').set('1', { id: '1', title: 'a', parentId: 7, size: 4 });
  await h.reconcile();
  expect(writes().slice(1)).toEqual(['PATCH /folders/1 {"size":3}']);
  expect(h.resource().status).toMatchObject({ atProvider: { folderId: '1' } });
  const late = setup({
    forProvider: { title: 'a' },
    annotations: { 'crossplane.io/external-name': '1' },
    definition: { fields: { title: {}, parent: { as: 'parentId', sentAs: 'number' } } },
  });
  await late.reconcile();
  expect(late.resource().spec.forProvider).toEqual({ title: 'a', parent: '7' });
});

test('fields within lists: IDs are numbers, constants are added, fillers stay, and what is not returned is no difference', async () => {
  const inner = [
    { path: 'targets.id', sentAs: 'number', fillers: ['idRef'] },
    { path: 'targets.kind', value: 'user' },
    { path: 'mode', writeOnly: true },
  ] as const;
  const rules = [{ mode: 'x', targets: [{ id: '7', idRef: { name: 'a' } }, { id: '8' }] }];
  const sent = [
    {
      targets: [
        { id: 7, kind: 'user' },
        { id: 8, kind: 'user' },
      ],
      mode: 'x',
    },
  ];
  const definition = { fields: { rules: { inner } } };
  const h = setup({ forProvider: { rules }, definition });
  await h.reconcile();
  expect(writes()).toEqual([`POST /folders ${JSON.stringify({ rules: sent })}`]);
  const returned = sent.map(({ targets }) => ({ targets }));
  Object.assign(api.items('/folders').get('1') ?? {}, { rules: returned });
  await h.reconcile();
  expect([writes().length, h.resource().spec.forProvider]).toEqual([1, { rules }]);
  const late = setup({ forProvider: {}, annotations: { 'crossplane.io/external-name': '1' }, definition });
  await late.reconcile();
  expect(late.resource().spec.forProvider).toEqual({ rules: [{ targets: [{ id: '7' }, { id: '8' }] }] });
});

describe('habits of APIs', () => {
  test('a create that answers with a Location alone is named by it', async () => {
    api.habits.location = true;
    const h = setup({ path: '' });
    await h.reconcile();
    expect([h.externalName(), h.condition('Ready')?.status, writes().length]).toEqual(['1', 'True', 1]);
  });

  test('a create that answers with neither is no failure, since a second one could leave an unknown external resource', async () => {
    const h = setup({ definition: { create: { route: 'POST /folders', result: 'data' } } });
    await h.reconcile();
    await h.reconcile();
    await h.reconcile();
    expect(writes()).toHaveLength(1);
    expect(h.condition('Synced')?.message).toContain('cannot determine creation result');
  });

  test.each([
    { status: 410, text: '', notFound: 'any' as const },
    { status: 410, text: '{"message":"it was here"}' },
    { status: 404, text: '404 page not found', notFound: 'any' as const },
  ])('$status with "$text" is not found', async ({ notFound, ...missing }) => {
    const h = setup({ definition: notFound === undefined ? {} : { notFound } });
    await h.reconcile();
    await h.delete();
    api.items('/folders').clear();
    api.habits.missing = missing;
    await h.clock.advance(31_000);
    await h.reconcile();
    expect(h.gone()).toBe(true);
  });

  test('a 404 that is not of the API proves nothing, unless the definition says so', async () => {
    const h = setup();
    await h.reconcile();
    api.items('/folders').clear();
    api.habits.missing = { status: 404, text: '' };
    await h.clock.advance(31_000);
    await h.reconcile();
    expect([writes().length, h.condition('Synced')?.message]).toEqual([
      1,
      expect.stringContaining('not by the API'),
    ]);
  });

  test('an update and a delete carry the ETag of what was read', async () => {
    api.habits.etag = true;
    const h = setup({ definition: { ifMatch: true } });
    await h.reconcile();
    await h.patch({ spec: { forProvider: { title: 'longer' } } });
    await h.reconcile();
    expect(api.items('/folders').get('1')).toMatchObject({ title: 'longer' });
    await h.delete();
    await h.reconcile();
    expect([writes().map((line) => line.split(' ', 1)[0]), api.items('/folders').size]).toEqual([
      ['POST', 'PATCH', 'DELETE'],
      0,
    ]);
  });

  test.each([undefined, 'patch'])(
    'a JSON Patch has a step for each field that differs, in %s',
    async (request) => {
      const update = {
        route: 'PATCH /folders/{id}',
        body: 'json-patch',
        ...(request ? { request } : {}),
      } as const;
      const fields = { title: {}, size: { as: 'a/b' }, kind: { value: 'x' } };
      const h = setup({ definition: { update, fields } });
      await h.reconcile();
      await h.patch({ spec: { forProvider: { title: 'b', size: 3 } } });
      await h.reconcile();
      const steps = [
        { op: 'replace', path: '/title', value: 'b' },
        { op: 'add', path: '/a~1b', value: 3 },
      ];
      expect(writes()[1]).toBe(`PATCH /folders/1 ${JSON.stringify(request ? { patch: steps } : steps)}`);
    },
  );

  test('a route has a query, with constants and parameters', async () => {
    api.items('/folders').set('7', { id: '7', title: 'a' });
    const h = setup({
      annotations: { 'crossplane.io/external-name': '7' },
      forProvider: { title: 'b' },
      definition: {
        read: 'GET /folders/{id}?view=full&of={title}',
        update: 'PATCH /folders/{id}?by={id}',
      },
    });
    await h.reconcile();
    expect([api.requests[0], writes()]).toEqual([
      'GET /folders/7?view=full&of=b',
      ['PATCH /folders/7?by=7 {"title":"b"}'],
    ]);
  });

  test('nulls within what is taken over are left out, and so are lists that have them', async () => {
    api.items('/folders').set('1', {
      id: '1',
      title: 'a',
      colour: { dark: null, of: [{ x: null }] },
      tags: ['x', null],
      size: { a: null, b: [null, 1] },
    });
    const h = setup({ annotations: { 'crossplane.io/external-name': '1' } });
    await h.reconcile();
    expect(h.resource().spec.forProvider).toEqual({ title: 'a', colour: { of: [{}] } });
    expect([h.resource().status, writes()]).toMatchObject([
      { atProvider: { id: '1', size: { b: [1] } } },
      [],
    ]);
  });

  test('a null in the spec is sent, kept and compared', async () => {
    const h = setup({ forProvider: { title: 'a', colour: null } });
    await h.reconcile();
    await h.reconcile();
    expect(writes()).toEqual(['POST /folders {"title":"a","colour":null}']);
    Object.assign(api.items('/folders').get('1') ?? {}, { colour: 'red' });
    await h.reconcile();
    expect(writes().at(-1)).toBe('PATCH /folders/1 {"colour":null}');
    expect(h.resource().spec.forProvider).toEqual({ title: 'a', colour: null });
  });
});

test('requests have the headers that the API requires', async () => {
  const h = setup();
  await h.reconcile();
  expect(api.headers).toMatchObject({ 'x-from': 'ops@example.org', accept: 'application/vnd.files+json' });
});

describe('fields within an object, and constant ones', () => {
  const fields = {
    title: {},
    kind: { value: 'folder' },
    parent: {},
    parentId: { as: 'id', within: 'parent' },
    parentKind: { as: 'kind', within: 'parent', value: 'folder-reference' },
    ruleKind: { as: 'kind', within: 'rule', value: 'constant' },
    origin: { value: 7, immutable: true },
  };

  test('are sent with the object around them, and compared without each other', async () => {
    const h = setup({
      forProvider: { title: 'a', parent: { colour: 'red' }, parentId: '7' },
      definition: { fields },
    });
    await h.reconcile();
    const parent = { colour: 'red', id: '7', kind: 'folder-reference' };
    expect(writes()).toEqual([
      `POST /folders ${JSON.stringify({ title: 'a', parent, kind: 'folder', rule: { kind: 'constant' }, origin: 7 })}`,
    ]);
    await h.reconcile();
    expect(writes()).toHaveLength(1);
    Object.assign(api.items('/folders').get('1') ?? {}, { parent: { ...parent, id: '8' }, kind: 'other' });
    await h.reconcile();
    // Constants are no reason for an update. A part of an object may be taken for the whole, so all of it is sent.
    expect(writes().slice(1)).toEqual([`PATCH /folders/1 ${JSON.stringify({ parent, kind: 'folder' })}`]);
  });

  test('leave out the object, if none of its fields is set', async () => {
    const h = setup({ definition: { fields } });
    await h.reconcile();
    expect(writes()).toEqual([
      'POST /folders {"title":"a","kind":"folder","rule":{"kind":"constant"},"origin":7}',
    ]);
  });

  test('are taken over each by itself', async () => {
    const parent = { colour: 'red', id: '7', kind: 'folder-reference' };
    api.items('/folders').set('1', { id: '1', title: 'a', parent, kind: 'folder' });
    const annotations = { 'crossplane.io/external-name': '1' };
    const h = setup({ annotations, definition: { fields } });
    await h.reconcile();
    expect(h.resource().spec.forProvider).toEqual({ title: 'a', parent: { colour: 'red' }, parentId: '7' });
  });

  test('keep what was read beside them, where an update is merged', async () => {
    const parent = { colour: 'red', id: '7', kind: 'folder-reference' };
    api.items('/folders').set('1', { id: '1', title: 'a', parent });
    const h = setup({
      forProvider: { title: 'a', parentId: '8' },
      annotations: { 'crossplane.io/external-name': '1' },
      definition: {
        fields: { title: {}, parentId: fields.parentId },
        update: { route: 'PATCH /folders/{id}', body: 'merged' },
      },
    });
    await h.reconcile();
    expect(writes()).toEqual([
      `PATCH /folders/1 ${JSON.stringify({ id: '1', title: 'a', parent: { ...parent, id: '8' } })}`,
    ]);
  });
});

describe('credentials', () => {
  test.each([
    ['too large', `{"token":"${TOKEN}","more":${'['.repeat(50_000)}`, 'nested deeper than 8 levels'],
    ['broken', `{"token":"${TOKEN}"`, 'are no valid JSON'],
  ])('as JSON that is %s are refused, and not quoted', async (_, token, problem) => {
    const h = setup({ token });
    await h.reconcile();
    expect(h.condition('Synced')?.message).toContain('the credentials of Secret shop/files are');
    expect(h.condition('Synced')?.message).toContain(problem);
    expect(JSON.stringify(h.resource())).not.toContain(TOKEN);
    expect(api.requests).toEqual([]);
  });

  test.each([
    { missing: 'config', text: 'ProviderConfig shop/files not found', give: 'giveConfig' },
    { missing: 'secret', text: 'Secret shop/files not found', give: 'giveToken' },
  ] as const)(
    'without the $missing the resource waits, which is no failure',
    async ({ missing, text, give }) => {
      const h = setup({ without: missing });
      await h.reconcile();
      expect([h.condition('Synced')?.reason, h.condition('Ready')?.message]).toEqual(['Waiting', text]);
      expect(h.recorder.lines()).toEqual([`Normal Waiting: ${text}`]);
      h[give]();
      await h.reconcile();
      expect(h.condition('Ready')?.status).toBe('True');
    },
  );

  test('that are gone with their namespace: the external resource is deleted with the last access', async () => {
    const h = setup();
    await h.reconcile();
    await h.delete();
    await h.forget();
    h.client.onRequest(({ verb, type }) => {
      if (verb === 'create' && type.kind === 'ConfigMap') throw namespaceTerminating();
    });
    await h.reconcile();
    expect(writes().at(-1)).toBe('DELETE /folders/1');
    await h.clock.advance(31_000);
    await h.reconcile();
    expect(h.gone()).toBe(true);
  });

  test('that are gone while the namespace stays: the deletion waits for them', async () => {
    const h = setup();
    await h.reconcile();
    await h.delete();
    await h.forget();
    await h.reconcile();
    expect([writes().length, h.condition('Synced')?.reason]).toEqual([1, 'Waiting']);
  });
});

/** The API server's error for creates in a namespace that is being deleted. */
function namespaceTerminating() {
  const details = { causes: [{ reason: 'NamespaceTerminating', message: 'it is being terminated' }] };
  return Object.assign(apiError(403, 'Forbidden'), { details });
}
