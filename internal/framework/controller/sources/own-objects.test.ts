import { describe, expect, test } from '@jest/globals';
import { createFakeCache } from '../../kube/fakes/fake-cache.ts';
import { clusterWidgets, type Widget, widget } from '../../kube/fakes/widget.ts';
import type { ConfigMap } from '../../kube/object/object.ts';
import { createKeyStore } from '../key-store.ts';
import { createOwnObjects, createOwnWrites, type WrittenVersions } from './own-objects.ts';

const at = (resourceVersion: string): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', uid: 'u', resourceVersion },
});

function setUp(...cached: ConfigMap[]) {
  const cache = createFakeCache<ConfigMap>(cached);
  const keys = createKeyStore();
  const asked: (string | undefined)[][] = [];
  const objects = createOwnObjects<ConfigMap>({
    cache,
    keys,
    outdated: new WeakSet(),
    expects: (what) => what === 'status',
    predicate: (...versions) => {
      asked.push(versions.map(({ metadata }) => metadata.resourceVersion));
      return true;
    },
  });
  const requests: string[] = [];
  const stop = objects.source.start((key) => requests.push(key));
  requests.length = 0;
  return { cache, keys, objects, asked, requests, stop };
}

test('an update is worth a reconcile if the predicate says so', () => {
  const { cache, asked, requests } = setUp(at('1'));
  cache.put(at('2'));
  expect([asked, requests]).toEqual([[['1', '2']], ['a']]);
});

test('the version of an own write is known before the cache has it, and forgotten when it has', () => {
  const { cache, keys, objects, asked } = setUp(at('1'));
  objects.onWritten(at('3'), 'object');
  expect(objects.newest('a')?.metadata.resourceVersion).toBe('3');
  cache.put(at('2'));
  expect(objects.newest('a')?.metadata.resourceVersion).toBe('3');
  cache.put(at('3'));
  expect(objects.newest('a')?.metadata.resourceVersion).toBe('3');
  expect(keys.kept().size).toBe(0);
  expect(asked).toEqual([
    ['1', '2'],
    ['2', '3'],
  ]);
});

test('the event of an own write needs none, although it arrives before the response', async () => {
  const { cache, keys, objects, requests } = setUp(at('1'));
  await objects.reconciling('a', async () => {
    cache.put(at('2'));
    objects.onWritten(at('2'), 'status');
    expect(requests).toEqual([]);
  });
  expect(requests).toEqual([]);
  expect(keys.kept().size).toBe(0);
});

test('updates of others that arrive during a reconcile are handled when it ends, also if it fails', async () => {
  const { cache, objects, requests } = setUp(at('1'));
  const reconcile = objects.reconciling('a', async () => {
    cache.put(at('2'));
    cache.put(at('3'));
    expect(requests).toEqual([]);
    throw new Error('boom');
  });
  await expect(reconcile).rejects.toThrow('boom');
  expect(requests).toEqual(['a', 'a']);
});

test('a deletion is handled at once', async () => {
  const { cache, objects, requests } = setUp(at('1'));
  await objects.reconciling('a', async () => {
    cache.remove(at('2'));
    expect(requests).toEqual(['a']);
  });
  expect(objects.newest('a')).toBeUndefined();
});

test('asking the predicate has no effect: the same question has the same answer', () => {
  const { objects } = setUp(at('1'));
  objects.onWritten(at('3'), 'status');
  expect([objects.newest('a'), objects.newest('a')]).toEqual([at('3'), at('3')]);
});

describe('an update after a reconcile of another version than the cache had before', () => {
  const setUpIrrelevant = ({ relevantAfter = '' } = {}) => {
    const cached = at('5');
    const cache = createFakeCache<ConfigMap>([cached]);
    const outdated = new WeakSet<object>();
    const objects = createOwnObjects<ConfigMap>({
      cache,
      keys: createKeyStore(),
      outdated,
      expects: () => false,
      predicate: (old) => old.metadata.resourceVersion === relevantAfter,
    });
    const requests: string[] = [];
    objects.source.start((key) => requests.push(key));
    requests.length = 0;
    return { cached, cache, outdated, objects, requests };
  };

  test('is reconciled if that version turned out to be outdated', () => {
    const { cached, cache, outdated, requests } = setUpIrrelevant();
    outdated.add(cached);
    cache.put(at('6'));
    cache.put(at('7'));
    expect(requests).toEqual(['a']);
  });

  test('is reconciled if it is relevant for that version, and later', () => {
    const { cache, objects, requests } = setUpIrrelevant({ relevantAfter: '6' });
    objects.onWritten(at('6'), 'object');
    cache.put(at('7'));
    expect(requests).toEqual(['a']);
  });
});

test('a write of a version that may have changes of others is never expected', () => {
  const { cache, objects, requests } = setUp(at('1'));
  objects.onWritten(at('3'), 'merged');
  cache.put(at('3'));
  expect(requests).toEqual(['a']);
});

const widgetAt = (resourceVersion: string, uid = 'u') =>
  widget(clusterWidgets, { metadata: { resourceVersion, uid } });

const createWrites = () => createOwnWrites(createKeyStore().values<WrittenVersions<Widget>>('own writes'));

describe('own writes', () => {
  test('until the cache has seen a write, the written object is the newest', () => {
    const own = createWrites();
    const written = widgetAt('10');
    own.wrote(written, false);
    expect(own.newest('w', widgetAt('9'))).toBe(written);
    const cached = widgetAt('10');
    expect(own.newest('w', cached)).toBe(cached);
    own.onHandled(cached);
    expect(own.newest('w', widgetAt('9'))).not.toBe(written);
  });

  test('a later version in the cache wins, also one with more digits', () => {
    const own = createWrites();
    own.wrote(widgetAt('9'), false);
    const later = widgetAt('10');
    expect(own.newest('w', later)).toBe(later);
  });

  test('an object that is gone is not brought back', () => {
    const own = createWrites();
    own.wrote(widgetAt('10'), false);
    expect(own.newest('w', undefined)).toBeUndefined();
  });

  test('an object created again under the same name is not mistaken for the old one', () => {
    const own = createWrites();
    own.wrote(widgetAt('10', 'old'), false);
    const anew = widgetAt('9', 'new');
    expect(own.newest('w', anew)).toBe(anew);
  });

  test('versions that are no numbers have no order, and the cache is believed', () => {
    const own = createWrites();
    own.wrote(widgetAt('b'), false);
    const cached = widgetAt('a');
    expect(own.newest('w', cached)).toBe(cached);
  });

  test('a write that removes the last finalizer is newer than the cache, although the API server responds with the same version', () => {
    const own = createWrites();
    const metadata = { resourceVersion: '10', uid: 'u', deletionTimestamp: '2026-01-01T00:00:00Z' };
    const cached = widget(clusterWidgets, { metadata: { ...metadata, finalizers: ['f'] } });
    const written = widget(clusterWidgets, { metadata: { ...metadata, finalizers: [] } });
    own.wrote(written, false);
    expect(own.newest('w', cached)).toBe(written);
    // The event of the deletion request may come late.
    own.onHandled(cached);
    expect(own.newest('w', cached)).toBe(written);
    own.onHandled(widget(clusterWidgets, { metadata: { ...metadata, resourceVersion: '11' } }));
    expect(own.newest('w', cached)).toBe(cached);
    own.wrote(widget(clusterWidgets, { metadata: { ...metadata, finalizers: ['of others'] } }), false);
    expect(own.newest('w', cached)).toBe(cached);
  });

  test('only writes marked as expected are, each of them', () => {
    const own = createWrites();
    own.wrote(widgetAt('10'), true);
    own.wrote(widgetAt('11'), false);
    own.wrote(widgetAt('12'), true);
    expect(['9', '10', '11', '12', '13'].map((v) => own.isExpected(widgetAt(v)))).toEqual([
      false,
      true,
      false,
      true,
      false,
    ]);
  });
});
