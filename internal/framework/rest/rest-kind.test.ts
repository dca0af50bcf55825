import { describe, expect, test } from '@jest/globals';
import { rawNumber } from '../base/json/json-text.ts';
import type { ConfigKinds, ExternalClient, ReconcileContext } from '../managed/index.ts';
import type { RestDefinition } from './definition.ts';
import type { RestApi } from './rest-api.ts';
import { api, type Folder, folders, setup, useApi, writes } from './rest-kind.fixture.ts';
import { restKind } from './rest-kind.ts';

useApi();

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
    Object.assign(api.items('/folders').get('1') ?? {}, { colour: 'grey' });
    await h.client.delete(folders, { name: 'docs', namespace: 'shop' });
    await h.reconcile();
    expect(requested()).toEqual([]);
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

test.each([
  { what: 'of an account', id: {}, scope: ['https://files.example.org', 'credentials-1'] },
  { what: 'that is unique', id: { isUnique: true }, scope: ['https://files.example.org'] },
])('the external resource with an ID $what is claimed in its scope', async ({ id, scope }) => {
  const scopes: (readonly string[])[] = [];
  const hosts = { baseUrl: 'https://files.example.org' };
  const client: ExternalClient<Folder> = {} as ExternalClient<Folder>;
  const claims = {
    client: (_: unknown, of: readonly string[]) => {
      scopes.push(of);
      return client;
    },
  };
  const rest = {
    apiName: 'Files',
    claims: { of: () => claims },
    connect: async () => ({
      session: { hosts, credentialsID: 'credentials-1', client: () => ({}) },
      targets: [],
    }),
    resolveWithin: async () => ({}),
  } as unknown as RestApi;
  const definition: RestDefinition<Folder> = {
    ...{ noun: 'folder', create: 'POST /folders', read: 'GET /folders/{id}', delete: 'DELETE /folders/{id}' },
    ...{ fields: {}, id: { parts: [{ parameter: 'id', from: 'response' }], ...id } },
  };
  const kind = restKind(definition, { type: folders, api: rest, kinds: {} as ConfigKinds });
  expect(await kind.connector.connect({} as Folder, {} as ReconcileContext)).toBe(client);
  expect(scopes).toEqual([scope]);
});
