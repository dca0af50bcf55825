import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import type { KubeObject } from '../object/object.ts';
import { type ResourceType, secrets } from '../object/resource-type.ts';
import { apiError, createMemoryClient } from './memory-client.ts';

interface Widget extends KubeObject {
  spec: { size: number };
  status?: { ready?: boolean };
}
const widgets: ResourceType<Widget> = {
  group: 'example.org',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
};
const key = { namespace: 'shop', name: 'w' };
const widget = (size = 1): Widget => ({
  apiVersion: 'example.org/v1',
  kind: 'Widget',
  metadata: { ...key },
  spec: { size },
});
const setup = () => createMemoryClient({ clock: createFakeClock() });

describe('writes', () => {
  test('the server makes uid, version, generation and time of creation', async () => {
    const created = await setup().create(widgets, widget());
    expect(created.metadata).toMatchObject({
      generation: 1,
      resourceVersion: '1',
      creationTimestamp: '2024-01-01T00:00:00Z',
    });
    expect(created.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('a stale version is a conflict, a second creation is not', async () => {
    const client = setup();
    const stale = await client.create(widgets, widget(1));
    await client.update(widgets, { ...stale, spec: { size: 2 } });
    await expect(client.update(widgets, stale)).rejects.toMatchObject({ status: 409, kind: 'conflict' });
    await expect(client.create(widgets, widget())).rejects.toMatchObject({
      status: 409,
      reason: 'AlreadyExists',
    });
  });

  test('a PUT leaves the status alone and bumps the generation only for content', async () => {
    const client = setup();
    const created = await client.create(widgets, widget(1));
    const ready = await client.updateStatus(widgets, {
      ...created,
      spec: { size: 9 },
      status: { ready: true },
    });
    expect(ready).toMatchObject({ spec: { size: 1 }, status: { ready: true }, metadata: { generation: 1 } });
    const labelled = await client.update(widgets, {
      ...ready,
      status: {},
      metadata: { ...ready.metadata, labels: { a: 'b' } },
    });
    expect(labelled).toMatchObject({ status: { ready: true }, metadata: { generation: 1 } });
    const grown = await client.update(widgets, { ...labelled, spec: { size: 2 } });
    expect(grown.metadata.generation).toBe(2);
  });

  test('a write that changes nothing makes no new version', async () => {
    const client = setup();
    const created = await client.create(widgets, widget());
    const same = await client.update(widgets, created);
    expect(same.metadata.resourceVersion).toBe(created.metadata.resourceVersion);
  });

  test('a merge patch sets and removes', async () => {
    const client = setup();
    await client.create(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...key },
      data: { a: '1', b: '2' },
    });
    const patched = await client.mergePatch(secrets, key, { data: { a: null, c: '3' } });
    expect(patched).toMatchObject({ data: { b: '2', c: '3' } });
    expect(patched).not.toHaveProperty('data.a');
  });

  test('what is handed out is a copy', async () => {
    const client = setup();
    const created = await client.create(widgets, widget(1));
    created.spec.size = 99;
    expect(client.peek(widgets, key)?.spec.size).toBe(1);
  });
});

describe('deletion', () => {
  test('without finalizers the object goes at once', async () => {
    const client = setup();
    await client.create(widgets, widget());
    await client.delete(widgets, key);
    await expect(client.get(widgets, key)).rejects.toMatchObject({ status: 404 });
  });

  test('with finalizers it is marked, takes no new ones, and goes when the last is removed', async () => {
    const client = setup();
    const created = await client.create(widgets, {
      ...widget(),
      metadata: { ...key, finalizers: ['a'] },
    });
    await client.delete(widgets, key);
    const marked = await client.get(widgets, key);
    expect(marked.metadata).toMatchObject({ deletionTimestamp: '2024-01-01T00:00:00Z', generation: 2 });
    expect(marked.metadata.uid).toBe(created.metadata.uid);
    const more = { ...marked, metadata: { ...marked.metadata, finalizers: ['a', 'b'] } };
    await expect(client.update(widgets, more)).rejects.toThrow('no new finalizers');
    await client.update(widgets, { ...marked, metadata: { ...marked.metadata, finalizers: [] } });
    expect(client.peek(widgets, key)).toBeUndefined();
  });

  test('foreground deletion holds the object by a finalizer of its own', async () => {
    const client = setup();
    await client.create(widgets, widget());
    await client.delete(widgets, key, { propagationPolicy: 'Foreground' });
    expect(client.peek(widgets, key)?.metadata.finalizers).toEqual(['foregroundDeletion']);
  });

  test('a precondition that does not hold is a conflict', async () => {
    const client = setup();
    await client.create(widgets, widget());
    await expect(client.delete(widgets, key, { preconditions: { uid: 'other' } })).rejects.toMatchObject({
      status: 409,
      kind: 'conflict',
    });
  });
});

describe('reads', () => {
  test('lists select by namespace, labels and name, and come in pages', async () => {
    const client = setup();
    for (const name of ['a', 'b', 'c']) {
      const labels = { tier: name === 'c' ? 'back' : 'front' };
      client.seed(widgets, { ...widget(), metadata: { namespace: 'shop', name, labels } });
    }
    client.seed(widgets, { ...widget(), metadata: { namespace: 'other', name: 'a' } });
    const names = async (options: object) =>
      (await client.list(widgets, options)).items.map((w) => `${w.metadata.namespace}/${w.metadata.name}`);
    expect(await names({ namespace: 'shop', labelSelector: 'tier=front' })).toEqual(['shop/a', 'shop/b']);
    expect(await names({ labelSelector: 'tier!=front' })).toEqual(['shop/c', 'other/a']);
    expect(await names({ fieldSelector: 'metadata.name=a' })).toEqual(['shop/a', 'other/a']);
    const first = await client.list(widgets, { limit: 3 });
    expect(first.items).toHaveLength(3);
    expect(await names({ limit: 3, continue: first.continue })).toEqual(['other/a']);
  });

  test('a watch replays what came after its version and then follows until aborted', async () => {
    const client = setup();
    const first = await client.create(widgets, widget(1));
    await client.update(widgets, { ...first, spec: { size: 2 } });
    const controller = new AbortController();
    const seen: string[] = [];
    const watching = (async () => {
      const options = { resourceVersion: '1', signal: controller.signal };
      for await (const event of client.watch(widgets, options)) {
        seen.push(`${event.type} ${event.object.spec.size}`);
        if (event.type === 'DELETED') controller.abort();
      }
    })();
    await client.delete(widgets, key);
    await watching;
    expect(seen).toEqual(['MODIFIED 2', 'DELETED 2']);
  });

  test('for a watch with a selection, an object that begins or ceases to match is added or deleted', async () => {
    const client = setup();
    const { resourceVersion } = await client.list(widgets);
    const aborting = new AbortController();
    const watch = client.watch(widgets, { resourceVersion, labelSelector: 'a=b', signal: aborting.signal });
    await client.create(widgets, widget());
    await client.mergePatch(widgets, key, { metadata: { labels: { a: 'b' } } });
    await client.mergePatch(widgets, key, { metadata: { labels: { c: 'd' } } });
    await client.mergePatch(widgets, key, { metadata: { labels: { a: null } } });
    await client.delete(widgets, key);
    const types: string[] = [];
    for await (const { type } of watch) {
      types.push(type);
      if (types.length === 3) break;
    }
    aborting.abort();
    expect(types).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
  });

  test('metadata reads hold nothing else', async () => {
    const client = setup();
    client.seed(widgets, widget());
    expect(await client.getMetadata(widgets, key)).not.toHaveProperty('spec');
    expect((await client.listMetadata(widgets)).items[0]).not.toHaveProperty('spec');
  });
});

test('a hook sees every request and decides its fate', async () => {
  const client = setup();
  const remove = client.onRequest(({ verb }) => {
    if (verb === 'create') throw apiError(503, 'ServiceUnavailable');
  });
  await expect(client.create(widgets, widget())).rejects.toThrow('ServiceUnavailable');
  remove();
  await client.create(widgets, widget());
  expect(client.requests.map((r) => r.verb)).toEqual(['create', 'create']);
});

test('a POST to a subresource is answered by the hook of the test, for objects that exist', async () => {
  const client = setup();
  const approve = () => client.createSubresource(widgets, key, 'approval', { by: 'me' });
  client.seed(widgets, widget());
  await expect(approve()).rejects.toMatchObject({ status: 404 });
  client.onSubresource(
    widgets,
    'approval',
    (of, body) =>
      ({
        apiVersion: 'v1',
        kind: 'Approval',
        metadata: of,
        spec: body,
      }) as KubeObject,
  );
  expect(await approve()).toMatchObject({ kind: 'Approval', metadata: key, spec: { by: 'me' } });
  await client.delete(widgets, key);
  await expect(approve()).rejects.toMatchObject({ status: 404, kind: 'not-found' });
});
