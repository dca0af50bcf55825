import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../../../base/time/fake-clock.ts';
import { createMemoryClient } from '../../../kube/fakes/memory-client.ts';
import { namespacedWidgets as type, type Widget, widget } from '../../fakes/managed-harness.ts';
import { createOverlayClient } from './overlay-client.ts';

const key = { namespace: 'shop', name: 'w' };

/** A widget that is stored, and a client that must not change it. */
async function setUp() {
  const server = createMemoryClient({ clock: createFakeClock() });
  const stored = await server.create(type, { ...widget(type), metadata: { ...key, labels: { a: '1' } } });
  return { server, stored, overlay: createOverlayClient(server) };
}
const labelled = (object: Widget, labels: Record<string, string>): Widget => ({
  ...object,
  metadata: { ...object.metadata, labels },
});

describe('a write', () => {
  test.each([
    {
      title: 'merge patch',
      verb: 'patch' as const,
      write: ({ overlay }: Given) => overlay.mergePatch(type, key, { metadata: { labels: { b: '2' } } }),
      labels: { a: '1', b: '2' },
    },
    {
      title: 'JSON patch',
      verb: 'patch' as const,
      write: ({ overlay }: Given) =>
        overlay.jsonPatch(type, key, [{ op: 'replace', path: '/metadata/labels/a', value: '2' }]),
      labels: { a: '2' },
    },
    {
      title: 'apply',
      verb: 'patch' as const,
      write: ({ overlay, stored }: Given) =>
        overlay.apply(type, labelled(stored, { b: '2' }), { fieldManager: 'test' }),
      labels: { a: '1', b: '2' },
    },
    {
      title: 'update',
      verb: 'update' as const,
      write: ({ overlay, stored }: Given) => overlay.update(type, labelled(stored, { b: '2' })),
      labels: { b: '2' },
    },
  ])('by $title is recorded and read back, and not sent', async ({ verb, write, labels }) => {
    const given = await setUp();
    const { overlay, server, stored } = given;
    expect((await write(given)).metadata.labels).toEqual(labels);
    expect((await overlay.get(type, key)).metadata.labels).toEqual(labels);
    expect(overlay.writes).toEqual([{ verb, type, key }]);
    expect(await server.get(type, key)).toEqual(stored);
  });
  type Given = Awaited<ReturnType<typeof setUp>>;

  test('to a subresource is refused, since its answer cannot be known', async () => {
    const { overlay, server } = await setUp();
    await expect(overlay.createSubresource(type, key, 'token', {})).rejects.toThrow(
      'POST /apis/m.example.org/v1/namespaces/shop/widgets/w/token was not sent',
    );
    expect(server.requests.map(({ verb }) => verb)).toEqual(['create']);
  });

  test('that deletes makes the object absent here alone, until it is created again', async () => {
    const { overlay, server, stored } = await setUp();
    await overlay.delete(type, key);
    await expect(overlay.get(type, key)).rejects.toMatchObject({ kind: 'not-found', status: 404 });
    await expect(overlay.mergePatch(type, key, {})).rejects.toMatchObject({ status: 404 });
    expect(overlay.peek(type, key)).toBeUndefined();
    await overlay.create(type, stored);
    expect(await overlay.get(type, key)).toEqual(stored);
    expect(overlay.writes.map(({ verb }) => verb)).toEqual(['delete', 'create']);
    expect(await server.get(type, key)).toEqual(stored);
  });
});

test('an update keeps the status that was written, and an update of the status keeps the rest', async () => {
  const { overlay, stored } = await setUp();
  const status = { conditions: [] };
  await overlay.updateStatus(type, { ...labelled(stored, { b: '2' }), status });
  expect(await overlay.get(type, key)).toMatchObject({ status, metadata: { labels: { a: '1' } } });
  const updated = await overlay.update(type, labelled(stored, { c: '3' }));
  expect(updated).toMatchObject({ status, metadata: { labels: { c: '3' } } });
});

test('an object that is given is read in place of the stored one, and is no write', async () => {
  const { overlay, stored } = await setUp();
  overlay.seed(type, labelled(stored, { seeded: 'yes' }));
  expect((await overlay.get(type, key)).metadata.labels).toEqual({ seeded: 'yes' });
  expect(overlay.writes).toEqual([]);
});

test('what a caller changes in an object that it read or wrote does not change the overlay', async () => {
  const { overlay, stored } = await setUp();
  const written = await overlay.update(type, labelled(stored, { b: '2' }));
  written.metadata.labels = { changed: 'yes' };
  (await overlay.get(type, key)).metadata.labels = { changed: 'yes' };
  expect(overlay.peek(type, key)?.metadata.labels).toEqual({ b: '2' });
});
