import { expect, test } from '@jest/globals';
import { nopLogger } from '../../base/telemetry/telemetry.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createMemoryClient } from '../fakes/memory-client.ts';
import { configMaps } from '../object/resource-type.ts';
import type { CacheEvent } from './cache.ts';
import { createInformers, type Informers } from './informers.ts';
import { inNamespaces } from './merged-informer.ts';

const inNamespace = (namespace: string, name = 'settings') => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace, name },
});

function setup(...namespaces: string[]) {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const all = createInformers({ client, clock, log: nopLogger });
  for (const namespace of ['a', 'b', 'c']) client.seed(configMaps, inNamespace(namespace));
  return { client, clock, all, informers: inNamespaces(all, namespaces) };
}

test('only the given namespaces are read, each once', async () => {
  const { client, informers } = setup('a', 'b', 'a');
  const informer = informers.of(configMaps);
  expect(informer.hasSynced()).toBe(false);
  const stop = informer.start();
  await informer.whenSynced();
  expect(informer.hasSynced()).toBe(true);
  expect(informer.list().map(({ metadata }) => metadata.namespace)).toEqual(['a', 'b']);
  expect([informer.get('b/settings')?.metadata.namespace, informer.get('c/settings')]).toEqual([
    'b',
    undefined,
  ]);
  expect(client.requests.filter(({ verb }) => verb === 'list')).toHaveLength(2);
  expect(informer.problem()).toBeUndefined();
  stop();
  informer.forget();
  expect(informer.list()).toEqual([]);
});

test('events of all namespaces reach a subscriber until it ends', async () => {
  const { client, clock, informers } = setup('a', 'b');
  const informer = informers.metadataOf(configMaps);
  const events: string[] = [];
  const end = informer.subscribe(({ type, object }: CacheEvent<{ metadata: { namespace?: string } }>) => {
    events.push(`${type} ${object.metadata.namespace}`);
  });
  const stop = informer.start();
  await informer.whenSynced();
  await client.delete(configMaps, { namespace: 'b', name: 'settings' });
  await clock.advance(0);
  expect(events.sort()).toEqual(['added a', 'added b', 'deleted b']);
  end();
  await client.delete(configMaps, { namespace: 'a', name: 'settings' });
  await clock.advance(0);
  expect(events).toHaveLength(3);
  stop();
});

test('the problem of several namespaces is the one that lasts longest', () => {
  const ages: Record<string, number | undefined> = { a: 10, b: 5000, c: undefined };
  const { all } = setup();
  const of: Informers['of'] = (type, options = {}) => {
    const forMs = ages[options.selection?.namespace ?? ''];
    const problem = () => (forMs === undefined ? undefined : { text: 'no answer', forMs });
    return { ...all.of(type, options), problem };
  };
  const informer = inNamespaces({ ...all, of }, ['a', 'b', 'c']).of(configMaps);
  expect(informer.problem()?.forMs).toBe(5000);
});

test('a selection with a namespace is used as it is, and shared', () => {
  const { all, informers } = setup('a');
  const selection = { namespace: 'c' };
  expect(informers.of(configMaps, { selection })).toBe(all.of(configMaps, { selection }));
  expect(informers.metadataOf(configMaps, { selection })).toBe(all.metadataOf(configMaps, { selection }));
});

test('everybody who asks for the same gets the same informer, which tells its cluster and whether it is read', async () => {
  const { informers } = setup('a', 'b');
  const informer = informers.of(configMaps);
  expect(informers.of(configMaps)).toBe(informer);
  expect(informers.metadataOf(configMaps)).not.toBe(informer);
  expect(informer.cluster).toMatchObject({ name: 'management', required: true });
  expect(() => informer.list()).toThrow('nothing watches configmaps on memory cluster');
  const stop = informer.start();
  expect(informer.isStarted()).toBe(true);
  stop();
  expect(informer.isStarted()).toBe(false);
});

test('without a namespace there is nothing to read', () => {
  expect(() => setup().informers.of(configMaps)).toThrow('there is no namespace');
});
