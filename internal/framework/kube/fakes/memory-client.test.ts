import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import type { KubeObject, Secret } from '../object/object.ts';
import { type ResourceType, secrets } from '../object/resource-type.ts';
import { apiError, createMemoryClient } from './memory-client.ts';

// Its behaviour as an API server is tested by test/contract/kubernetes.

interface Widget extends KubeObject {
  spec: { size?: number; part?: object };
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
const widget = (spec: Widget['spec'] = { size: 1 }): Widget => ({
  apiVersion: 'example.org/v1',
  kind: 'Widget',
  metadata: { ...key },
  spec,
});
const setup = () => createMemoryClient({ clock: createFakeClock() });

test('what is handed out, and what was sent, is a copy', async () => {
  const client = setup();
  const sent = widget();
  const created = await client.create(widgets, sent);
  for (const copy of [sent, created]) copy.spec.size = 99;
  expect(client.peek(widgets, key)?.spec.size).toBe(1);
  expect(client.requests[0]?.body).toMatchObject({ spec: { size: 1 } });
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

test('a seeded object keeps what the server would set', async () => {
  const metadata = { ...key, uid: 'uid-w', generation: 42, deletionTimestamp: '2024-01-01T00:00:00Z' };
  const seeded = setup().seed(widgets, { ...widget(), metadata, status: { ready: true } });
  expect(seeded).toMatchObject({ metadata, status: { ready: true } });
  expect(seeded.metadata.resourceVersion).toBe('2');
});

describe('refuses what it cannot do:', () => {
  const secret: Secret & { stringData: object } = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...key },
    stringData: { a: 'b' },
  };
  const apply = { fieldManager: 'a' };
  test.each<[string, (client: ReturnType<typeof setup>) => Promise<unknown>]>([
    ['to validate fields', (client) => client.create(widgets, widget(), { fieldValidation: 'Strict' })],
    ['to convert stringData', (client) => client.create(secrets, secret)],
    ['to apply empty fields', (client) => client.apply(widgets, widget({ part: {} }), apply)],
    [
      'to change managedFields',
      (client) => client.mergePatch(widgets, key, { metadata: { managedFields: [] } }),
    ],
    ['to compare labels as numbers', (client) => client.list(widgets, { labelSelector: 'size>1' })],
    ['a version that is not yet there', (client) => client.list(widgets, { resourceVersion: '1000' })],
  ])('%s', async (_what, call) => {
    const client = setup();
    client.seed(widgets, widget());
    await expect(call(client)).rejects.toThrow(RangeError);
  });
});
