import { describe, expect, test } from '@jest/globals';
import { valueAt } from '../../base/json/json-value.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createStringInterner, internAndFreeze } from '../../kube/cache/transform.ts';
import { createMemoryClient } from '../../kube/fakes/memory-client.ts';
import { namespacedWidgets as type, type Widget, widget } from '../../kube/fakes/widget.ts';
import { keyOf } from '../../kube/object/object.ts';
import { createWorkingCopy } from './working-copy.ts';

const { signal } = new AbortController();

function setup() {
  const client = createMemoryClient({ clock: createFakeClock() });
  const seeded = client.seed(type, widget(type, { status: { atProvider: { size: 1 } } }));
  const object = internAndFreeze(seeded, createStringInterner());
  const written: string[] = [];
  const copy = createWorkingCopy<Widget>({
    client,
    type,
    object,
    onWritten: (_, what) => written.push(what),
  });
  return { client, copy, written, stored: () => client.peek(type, keyOf(object)) };
}

describe('working copy', () => {
  test('the status in memory survives a PUT of the object, and the PUT does not send it', async () => {
    const { client, copy, stored } = setup();
    copy.object.status = { atProvider: { size: 2 } };
    copy.object.metadata.labels = { a: 'b' };
    await copy.put(signal);
    expect(copy.object.status).toEqual({ atProvider: { size: 2 } });
    expect(stored()?.status).toEqual({ atProvider: { size: 1 } });
    expect(client.requests[0]?.body).not.toHaveProperty('status');
    await copy.putStatus(signal);
    expect(stored()?.status).toEqual({ atProvider: { size: 2 } });
  });

  test('a status that is stored already is not written', async () => {
    const { client, copy } = setup();
    copy.object.status = { atProvider: { size: 1 } };
    await copy.putStatus(signal);
    expect(client.requests).toEqual([]);
  });

  test('what owns which field is neither sent nor lost', async () => {
    const { client, copy, stored } = setup();
    for (const size of [1, 2]) {
      copy.object.spec.forProvider.size = size;
      await copy.put(signal);
      copy.object.status = { atProvider: { size: size + 2 } };
      await copy.putStatus(signal);
    }
    expect(client.requests.map(({ body }) => valueAt(body, ['metadata', 'managedFields']))).toEqual([
      ...[undefined, undefined, undefined, undefined],
    ]);
    expect(stored()?.metadata.managedFields).not.toHaveLength(0);
  });

  test('unknown fields survive a write', async () => {
    const { client, copy, stored } = setup();
    Object.assign(copy.object.spec, { unknownToUs: { deep: [1] } });
    await copy.put(signal);
    expect(stored()?.spec).toHaveProperty('unknownToUs.deep', [1]);
    expect(client.requests).toHaveLength(1);
  });

  test('later writes use the version of the answer', async () => {
    const { copy, stored } = setup();
    for (const size of [1, 2, 3]) {
      copy.object.spec.forProvider.size = size;
      await copy.put(signal);
      copy.object.status = { atProvider: { size } };
      await copy.putStatus(signal);
    }
    expect(stored()).toMatchObject({
      spec: { forProvider: { size: 3 } },
      status: { atProvider: { size: 3 } },
    });
  });

  test('the identity of the object stays, so that a client may hold on to it', async () => {
    const { copy, stored } = setup();
    const { object } = copy;
    object.metadata.labels = { a: 'b' };
    await copy.put(signal);
    expect(copy.object).toBe(object);
    expect(object.metadata.resourceVersion).toBe(stored()?.metadata.resourceVersion);
  });

  test('the callback for writes states which may have changes of others', async () => {
    const { copy, written } = setup();
    copy.object.metadata.labels = { a: 'b' };
    await copy.put(signal);
    await copy.refresh(signal);
    copy.object.metadata.labels = { a: 'c' };
    await copy.put(signal);
    copy.object.status = {};
    await copy.putStatus(signal);
    expect(written).toEqual(['object', 'merged', 'merged']);
  });

  test('a change of others stays one until the end of the reconcile, however often the version is looked at', async () => {
    const { client, copy, written, stored } = setup();
    const latest = stored();
    if (latest) await client.updateStatus(type, { ...latest, status: { atProvider: { size: 7 } } });
    for (let look = 0; look < 2; look++) expect(await copy.isCurrent(signal)).toBe(true);
    copy.object.metadata.labels = { a: 'b' };
    await copy.put(signal);
    expect(await copy.isCurrent(signal)).toBe(true);
    copy.object.status = {};
    await copy.putStatus(signal);
    expect(written).toEqual(['merged', 'merged']);
  });

  test('a generation that others stored meanwhile is not taken for the one that was read', async () => {
    const { client, copy, stored } = setup();
    const latest = stored();
    if (latest) await client.update(type, { ...latest, spec: { ...latest.spec, forProvider: { size: 9 } } });
    await copy.refresh(signal);
    await copy.put(signal);
    expect(copy.object).toMatchObject({ metadata: { generation: 42 }, spec: { forProvider: { size: 9 } } });
    expect(stored()?.metadata.generation).toBe(43);
  });
});
