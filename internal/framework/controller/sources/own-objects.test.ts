import { describe, expect, test } from '@jest/globals';
import { createFakeCache } from '../../kube/fakes/fake-cache.ts';
import type { ConfigMap } from '../../kube/object/object.ts';
import { createKeyStore } from '../key-store.ts';
import { createOwnObjects } from './own-objects.ts';

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
