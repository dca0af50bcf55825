import { expect, test } from '@jest/globals';
import { WaitingError } from '../../base/errors/errors.ts';
import { nopLogger } from '../../base/telemetry/telemetry.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { apiError, createMemoryClient } from '../fakes/memory-client.ts';
import type { ConfigMap } from '../object/object.ts';
import { configMaps } from '../object/resource-type.ts';
import { createInformers, readable } from './informers.ts';
import { inNamespaces } from './merged-informer.ts';

const settings: ConfigMap = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'shop', name: 'settings' },
};

function setup() {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock, clusterName: 'cluster garden.example' });
  client.seed(configMaps, settings);
  const informers = createInformers({ client, clock, random: () => 0.5, log: nopLogger });
  return { clock, client, informers };
}

function waitingOf(read: () => unknown): WaitingError {
  try {
    read();
  } catch (error) {
    if (error instanceof WaitingError) return error;
    throw error;
  }
  throw new Error('it was read');
}

test('a reconcile waits for the first list, which ends its wait', async () => {
  const { clock, informers } = setup();
  const informer = readable(informers).of(configMaps);
  const stop = informer.start();
  const { message, targets } = waitingOf(() => informer.get('shop/settings'));
  expect(message).toBe('configmaps of cluster garden.example are not listed yet');
  let changes = 0;
  const [target, ended, late] = [...targets, ...waitingOf(() => informer.list()).targets, ...targets];
  expect(target?.description).toBe('configmaps of cluster garden.example');
  target?.watch(() => changes++);
  ended?.watch(() => changes++)();
  await clock.advance(0);
  expect(changes).toBe(1);
  expect(informer.get('shop/settings')?.metadata.name).toBe('settings');
  expect(informer.list()).toHaveLength(1);
  // A list between the read and the subscription is a change, too.
  late?.watch(() => changes++);
  await clock.advance(0);
  expect(changes).toBe(2);
  stop();
});

test('the message says why there is no list', async () => {
  const { clock, client, informers } = setup();
  client.onRequest(() => {
    throw apiError(503, 'ServiceUnavailable');
  });
  const informer = readable(informers).metadataOf(configMaps);
  const stop = informer.start();
  await clock.advance(0);
  expect(waitingOf(() => informer.list()).message).toBe(
    'configmaps of cluster garden.example are not listed yet: cannot reach the object on memory cluster: ServiceUnavailable',
  );
  stop();
});

test('what nothing watches is a bug still, and what was removed is empty', () => {
  const { informers } = setup();
  const informer = readable(informers).of(configMaps);
  expect(() => informer.list()).toThrow('nothing watches configmaps on cluster garden.example');
  informer.start()();
  informer.forget();
  expect([informer.list(), informer.get('shop/settings')]).toEqual([[], undefined]);
});

test.each([
  { what: 'a cluster', of: readable },
  {
    what: 'some namespaces',
    of: (all: Parameters<typeof readable>[0]) => readable(inNamespaces(all, ['shop', 'b'])),
  },
])('informers of $what are guarded once, and handlers of them need no list', ({ of }) => {
  const { informers } = setup();
  const guarded = of(informers);
  expect(guarded.of(configMaps)).toBe(guarded.of(configMaps));
  const stop = guarded.of(configMaps).start();
  waitingOf(() => guarded.of(configMaps).list());
  expect(guarded.of(configMaps).subscribe(() => undefined)).toBeInstanceOf(Function);
  stop();
});
