import { describe, expect, test } from '@jest/globals';
import { type ByteBudget, createByteBudget } from '../../base/collections/byte-budget.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { apiError, createMemoryClient } from '../fakes/memory-client.ts';
import { type KubeObject, keyOf } from '../object/object.ts';
import { configMaps, type ResourceType, secrets } from '../object/resource-type.ts';
import { createPolledReads, createSharedReads, FRESH_MS, PAUSE_MS } from './shared-reads.ts';

const { signal } = new AbortController();
const names = (count: number) => Array.from({ length: count }, (_, index) => `o-${index}`);

function setup(count: number, type: ResourceType = configMaps, memory?: ByteBudget) {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  for (const name of names(count))
    client.seed<KubeObject>(type, {
      apiVersion: 'v1',
      kind: type.kind,
      metadata: { namespace: 'shop', name },
    });
  const polled = createPolledReads({ client, clock, reads: createSharedReads({ client, clock }), memory });
  /** Polls each object once, spread over the time. @returns requests by verb */
  const poll = async (polledNames: readonly string[], ms: number) => {
    const before = client.requests.length;
    for (const name of polledNames) {
      const read = polled.get(type, { namespace: 'shop', name }, signal);
      await clock.advance(ms / polledNames.length);
      expect(keyOf(await read)).toEqual({ namespace: 'shop', name });
    }
    const made = client.requests.slice(before).map(({ verb }) => verb);
    return {
      get: made.filter((verb) => verb === 'get').length,
      list: made.filter((v) => v === 'list').length,
    };
  };
  return { clock, client, polled, poll };
}

describe('polls of many objects of one namespace', () => {
  test('share a list for some seconds, after the first ones', async () => {
    const { poll } = setup(100);
    await poll(names(100), 2 * FRESH_MS);
    const { get, list } = await poll(names(100), 2 * FRESH_MS);
    expect(get).toBe(0);
    expect(list).toBeLessThanOrEqual(3);
  });

  test('cost a page for a hundred objects, a few in each window', async () => {
    const { poll } = setup(1000);
    await poll(names(1000), 2 * FRESH_MS);
    const { get, list } = await poll(names(1000), 2 * FRESH_MS);
    expect(get).toBe(0);
    expect(list).toBeLessThanOrEqual(30);
  });

  test('show a change when the list is older', async () => {
    const { clock, client, polled, poll } = setup(20);
    await poll(names(20), 1000);
    await client.mergePatch(configMaps, { namespace: 'shop', name: 'o-1' }, { data: { a: 'b' } });
    const read = () => polled.get(configMaps, { namespace: 'shop', name: 'o-1' }, signal);
    expect((await read()).data).toBeUndefined();
    await clock.advance(FRESH_MS);
    await poll(names(20), 1000);
    expect((await read()).data).toEqual({ a: 'b' });
  });

  test('are as old as the request for the list, since the answer may take long', async () => {
    const { clock, client, polled, poll } = setup(20);
    let answer = () => {};
    const end = client.onRequest(({ verb }) =>
      verb === 'list' ? new Promise<void>((resolve) => (answer = resolve)) : undefined,
    );
    const reading = names(20).map((name) => polled.get(configMaps, { namespace: 'shop', name }, signal));
    await clock.advance(FRESH_MS - 1);
    answer();
    await Promise.all(reading);
    end();
    await clock.advance(1);
    expect((await poll(['o-1'], 100)).list).toBe(1);
  });

  test('report an object that does not exist, as the API server does', async () => {
    const { polled, poll } = setup(20);
    await poll(names(20), 1000);
    await expect(polled.get(configMaps, { namespace: 'shop', name: 'none' }, signal)).rejects.toMatchObject({
      status: 404,
    });
  });

  test('are reads where lists are refused', async () => {
    const { client, poll } = setup(20);
    client.onRequest(({ verb }) => {
      if (verb === 'list') throw apiError(403, 'Forbidden');
    });
    await poll(names(20), 1000);
    expect(await poll(names(20), 1000)).toEqual({ get: 20, list: 0 });
  });

  test('are reads where objects take more memory than there is, and take none then', async () => {
    const memory = createByteBudget(300_000);
    const { clock, client, poll } = setup(20, configMaps, memory);
    const data = Object.fromEntries(names(1000).map((name) => [name, '']));
    await client.mergePatch(configMaps, { namespace: 'shop', name: 'o-1' }, { data });
    await poll(names(20), 1000);
    expect((await poll(names(20), 1000)).list).toBe(0);
    expect(memory.take(300_000)).toBe(true);
    memory.give(300_000);
    // Not a fault of the server: the list is tried again.
    await client.mergePatch(configMaps, { namespace: 'shop', name: 'o-1' }, { data: null });
    await clock.advance(PAUSE_MS);
    await poll(names(20), 1000);
    expect(memory.take(300_000)).toBe(false);
    await clock.advance(FRESH_MS);
    expect(memory.take(300_000)).toBe(true);
  });

  test('are reads in a namespace with too many objects', async () => {
    const { poll } = setup(2001);
    await poll(names(20), 1000);
    expect(await poll(names(20), 1000)).toEqual({ get: 20, list: 0 });
  });
});

test('an abandoned poll does not make the others reads', async () => {
  const { clock, client, polled, poll } = setup(100);
  await poll(names(100), FRESH_MS);
  let isHeld = false;
  const end = client.onRequest(({ verb }) => {
    if (verb !== 'list') return undefined;
    isHeld = true;
    return new Promise(() => undefined);
  });
  await clock.advance(FRESH_MS / 2);
  const abandoned = new AbortController();
  for (let index = 0; !isHeld; index++) {
    const key = { namespace: 'shop', name: names(100)[index] ?? '' };
    polled.get(configMaps, key, abandoned.signal).catch(() => undefined);
    await clock.advance(FRESH_MS / 200);
  }
  abandoned.abort(new Error('too late'));
  await clock.advance(0);
  end();
  const { get, list } = await poll(names(100), FRESH_MS);
  expect(list).toBeGreaterThan(0);
  expect(get).toBeLessThan(10);
});

test('polls of a few objects are reads', async () => {
  const { poll } = setup(3);
  await poll(names(3), FRESH_MS);
  expect(await poll(names(3), FRESH_MS)).toEqual({ get: 3, list: 0 });
});

test('polls of other objects in each of many windows are reads', async () => {
  const { poll } = setup(30);
  const rounds = Array.from({ length: 10 }, (_, round) => names(30).slice(3 * round, 3 * round + 3));
  for (const round of rounds) expect(await poll(round, FRESH_MS)).toEqual({ get: 3, list: 0 });
});

test('the first polls after a time without any are reads', async () => {
  const { clock, poll } = setup(20);
  await poll(names(20), FRESH_MS);
  await clock.advance(10 * FRESH_MS);
  expect(await poll(names(3), FRESH_MS)).toEqual({ get: 3, list: 0 });
});

test('each namespace and each kind has a list of its own', async () => {
  const { clock, client, polled } = setup(0);
  const places = [configMaps, secrets].flatMap((type) => [
    { type, namespace: 'shop' },
    { type, namespace: 'other' },
  ]);
  for (const { type, namespace } of places)
    for (const name of names(20)) {
      const metadata = { namespace, name, uid: `${type.kind} in ${namespace}` };
      client.seed<KubeObject>(type, { apiVersion: 'v1', kind: type.kind, metadata });
    }
  for (const { type, namespace } of places) {
    const found = names(20).map((name) => polled.versionOf(type, { namespace, name }, signal));
    await clock.advance(0);
    expect((await Promise.all(found)).at(-1)?.uid).toBe(`${type.kind} in ${namespace}`);
  }
});

test('polls of a few among many objects are reads, once the number of pages is known', async () => {
  const { clock, poll } = setup(500);
  await poll(names(9), FRESH_MS);
  await clock.advance(2 * FRESH_MS);
  expect(await poll(names(9), FRESH_MS)).toEqual({ get: 9, list: 0 });
  expect((await poll(names(20), FRESH_MS)).list).toBeGreaterThan(0);
});

test('Secrets are never listed with their content; their versions are', async () => {
  const { clock, client, polled, poll } = setup(50, secrets);
  await poll(names(50), FRESH_MS);
  expect(await poll(names(50), FRESH_MS)).toEqual({ get: 50, list: 0 });
  const versions = async () => {
    const found = names(50).map((name) => polled.versionOf(secrets, { namespace: 'shop', name }, signal));
    await clock.advance(0);
    return Promise.all(found);
  };
  await versions();
  const before = client.requests.length;
  const { uid, resourceVersion } = client.peek(secrets, { namespace: 'shop', name: 'o-49' })?.metadata ?? {};
  expect((await versions()).at(-1)).toEqual({ uid, resourceVersion });
  await client.mergePatch(secrets, { namespace: 'shop', name: 'o-49' }, { data: { a: '' } });
  expect((await versions()).at(-1)).toEqual({ uid, resourceVersion });
  await clock.advance(FRESH_MS);
  expect((await versions()).at(-1)?.resourceVersion).not.toBe(resourceVersion);
  expect(client.requests.slice(before).map(({ verb }) => verb)).toEqual(['patch', 'list']);
});
