import { describe, expect, test } from '@jest/globals';
import { api, setup, useApi, writes } from './rest-kind.fixture.ts';

useApi();

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
  test.each([
    ['2030-01-01T00:00:00Z', '2030-01-01T01:00:00.000+01:00', 0],
    ['2030-01-01T00:00:00Z', '2030-01-01T00:00:01Z', 1],
    ['2030-01-01', '2030-01-01T00:00:00Z', 1],
  ])('a time in another form is no difference: %s, %s', async (desired, observed, updates) => {
    const h = setup({ forProvider: { title: desired } });
    await h.reconcile();
    Object.assign(api.items('/folders').get('1') ?? {}, { title: observed });
    await h.reconcile();
    expect(writes().length - 1).toBe(updates);
  });

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

  test('a 410 of something else than the API is an error, not the end of the resource', async () => {
    const h = setup();
    await h.reconcile();
    api.items('/folders').clear();
    api.habits.missing = { status: 410, text: '<html>moved</html>' };
    await h.clock.advance(31_000);
    await h.reconcile();
    expect([writes().length, h.condition('Synced')?.status]).toEqual([1, 'False']);
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

  test('each write of one update carries the ETag of the write before', async () => {
    api.habits.etag = true;
    const h = setup({
      forProvider: { title: 'a', colour: 'red' },
      definition: {
        ifMatch: true,
        fields: { title: {}, colour: { update: 'PATCH /folders/{id}' } },
      },
    });
    await h.reconcile();
    await h.patch({ spec: { forProvider: { title: 'much longer', colour: 'dark blue' } } });
    await h.reconcile();
    expect(writes().slice(1)).toEqual([
      'PATCH /folders/1 {"colour":"dark blue"}',
      'PATCH /folders/1 {"title":"much longer"}',
    ]);
    expect(h.condition('Synced')?.status).toBe('True');
  });

  test('an ETag is not sent back unless the definition says so', async () => {
    const h = setup();
    await h.reconcile();
    api.habits.etag = true;
    await h.patch({ spec: { forProvider: { title: 'longer' } } });
    await h.reconcile();
    expect(h.condition('Synced')?.message).toContain('PATCH /folders/{id} answered 428');
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

describe('secrets within lists', () => {
  const ref = { name: 'admin', key: 'password' };
  const users = [
    { name: 'ann', passwordSecretRef: ref },
    { name: 'bob' },
    { name: 'eve', passwordSecretRef: { ...ref, key: 'second' } },
  ];
  const fields = {
    title: {},
    users: { inner: [{ path: 'password', secret: true }], lateInitialize: false },
  };
  const sent = (password: string) => [
    { name: 'ann', password },
    { name: 'bob' },
    { name: 'eve', password: `${password}-2` },
  ];

  test.each(['changed', 'json-patch'] as const)('are sent, and again when they change: %s', async (body) => {
    const update = { route: 'PATCH /folders/{id}', body } as const;
    const h = setup({ definition: { fields, update }, forProvider: { title: 'a', users } });
    await h.reconcile();
    expect(writes()).toEqual([`POST /folders ${JSON.stringify({ title: 'a', users: sent('hunter2') })}`]);
    // The API masks it.
    Object.assign(api.items('/folders').get('1') ?? {}, { users: sent('***') });
    await h.reconcile();
    expect(writes()).toHaveLength(1);
    h.giveValue('changed');
    await h.reconcile();
    const value = sent('changed');
    const step = { op: 'replace', path: '/users', value };
    expect(writes().slice(1)).toEqual([
      `PATCH /folders/1 ${JSON.stringify(body === 'changed' ? { users: value } : [step])}`,
    ]);
    await h.reconcile();
    expect(writes()).toHaveLength(2);
    expect(h.resource().spec.forProvider).toEqual({ title: 'a', users });
    expect(JSON.stringify([h.resource(), h.recorder.lines()])).not.toMatch(/hunter2|changed"/);
  });

  test('wait for their Secret, which is named', async () => {
    const missing = [{ name: 'ann', passwordSecretRef: { name: 'none', key: 'password' } }];
    const h = setup({ definition: { fields }, forProvider: { title: 'a', users: missing } });
    await h.reconcile();
    expect([h.condition('Synced')?.message, writes()]).toEqual([
      expect.stringContaining('Secret shop/none'),
      [],
    ]);
  });
});
