import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import type { KubeClient } from '../client/client.ts';
import { createMemoryClient } from '../fakes/memory-client.ts';
import type { KubeObject } from '../object/object.ts';
import { secrets } from '../object/resource-type.ts';
import { createListedCache, listAll } from './cache.ts';

const secret = (namespace: string, name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace, name },
});
const { signal } = new AbortController();

test('a cache of listed objects has synced, finds each by its key, and reports each once', async () => {
  const objects = [secret('shop', 'a'), secret('bank', 'a')];
  const cache = createListedCache(objects);
  const events: unknown[] = [];
  await cache.whenSynced(signal);
  cache.subscribe((event) => events.push(event))();
  expect(cache.hasSynced()).toBe(true);
  expect(cache.list()).toEqual(objects);
  expect(cache.get('bank/a')).toBe(objects[1]);
  expect(cache.get('bank/b')).toBeUndefined();
  expect(events).toEqual(objects.map((object) => ({ type: 'added', object, initial: true })));
});

test('all pages of a collection are read, each after the one before', async () => {
  const asked: (string | undefined)[] = [];
  const names = ['a', 'b', 'c'];
  const client: KubeClient = {
    ...createMemoryClient({ clock: createFakeClock() }),
    list: async <T extends KubeObject>(_type: unknown, options: { readonly continue?: string } = {}) => {
      asked.push(options.continue);
      const at = Number(options.continue ?? 0);
      return {
        items: [secret('shop', names[at] ?? '') as T],
        resourceVersion: '1',
        ...(at < 2 ? { continue: String(at + 1) } : {}),
      };
    },
  };
  const found = await listAll(client, secrets, { namespace: 'shop', signal });
  expect(found.map(({ metadata }) => metadata.name)).toEqual(names);
  expect(asked).toEqual([undefined, '1', '2']);
});
