import { describe, expect, test } from '@jest/globals';
import { type Secret, secrets } from '../kube/index.ts';
import { apiError } from '../managed/fakes/index.ts';
import { api, configs, folders, setup, useApi, writes } from './rest-kind.fixture.ts';
import { TOKEN } from './simulator.fixture.ts';

useApi();

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

  test('422 of a read says nothing about the spec: it is tried again', async () => {
    const h = setup();
    await h.reconcile();
    api.faults.push({ on: 'GET', answer: 422, times: 1 });
    expect(await h.reconcile()).toEqual({ type: 'requeue' });
    await h.reconcile();
    expect([h.condition('Synced')?.status, writes().length]).toEqual(['True', 1]);
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

describe('the address of the API', () => {
  test.each([' ', '/ ', '//', '\n'])('may end with %j', async (path) => {
    const h = setup({ path });
    await h.reconcile();
    expect([h.condition('Synced')?.status, writes()]).toEqual(['True', ['POST /folders {"title":"a"}']]);
  });

  test.each(['/?tenant=a', '/#folders'])('with %j is refused: no path could follow', async (path) => {
    const h = setup({ path });
    await h.reconcile();
    expect([h.condition('Synced')?.message, writes()]).toEqual([
      expect.stringContaining('is not https://host[:port][/path]'),
      [],
    ]);
  });

  test.each(['uaa.example.org:443/oauth/token', 'uaa.example.org/oauth/token'])(
    'for tokens needs a scheme: %s',
    async (tokenUrl) => {
      const token = JSON.stringify({ clientId: 'a', clientSecret: 'b', tokenUrl });
      const h = setup({ authentication: { method: 'client-credentials' }, token });
      expect(await h.reconcile()).not.toEqual({ type: 'requeue' });
      expect(h.condition('Synced')?.message).toContain(
        'tokenUrl of the credentials of Secret shop/files is no URL',
      );
    },
  );
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

  test('is not sent again because of another one that cannot be changed', async () => {
    const fields = { title: {}, password: { secret: true }, initial: { secret: true, immutable: true } };
    const initialSecretRef = { name: 'admin', key: 'second' };
    const h = setup({
      definition: { fields },
      forProvider: { title: 'a', passwordSecretRef, initialSecretRef },
    });
    for (let i = 0; i < 3; i++) await h.reconcile();
    expect(writes()).toEqual(['POST /folders {"title":"a","password":"hunter2","initial":"hunter2-2"}']);
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

test('requests have the headers that the API requires', async () => {
  const h = setup();
  await h.reconcile();
  expect(api.headers).toMatchObject({ 'x-from': 'ops@example.org', accept: 'application/vnd.files+json' });
});

describe('credentials', () => {
  const admin = { name: 'admin', key: 'password' };

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

  test('as JSON may begin with a byte order mark, which editors of Windows write', async () => {
    const h = setup({ token: `\ufeff{"token":"${TOKEN}"}\r\n` });
    await h.reconcile();
    expect(h.condition('Synced')?.status).toBe('True');
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

  test('of a namespace are those of that namespace, whatever a reference names', async () => {
    const h = setup({
      forProvider: { title: 'a', passwordSecretRef: { ...admin, namespace: 'kube-system' } },
    });
    for (const [name, data] of [
      ['files', { token: 'foreign-t0ken' }],
      ['admin', { password: 'foreign-passw0rd' }],
    ] as const)
      h.client.seed<Secret>(secrets, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace: 'kube-system' },
        data: Object.fromEntries(
          Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
        ),
      });
    const credentials = { secretRef: { namespace: 'kube-system' } };
    await h.client.mergePatch(configs, { name: 'files', namespace: 'shop' }, { spec: { credentials } });
    await h.reconcile();
    expect(writes()).toEqual(['POST /folders {"title":"a","password":"hunter2"}']);
    expect(api.headers.authorization).toBe(`Bearer ${TOKEN}`);
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
