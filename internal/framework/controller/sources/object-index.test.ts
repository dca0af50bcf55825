import { expect, test } from '@jest/globals';
import { createFakeCache } from '../../kube/fakes/fake-cache.ts';
import type { ConfigMap } from '../../kube/object/object.ts';
import { createObjectIndex } from './source.ts';

const configMap = (name: string, ...owners: string[]): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'shop' },
  data: { owners: owners.join(' ') },
});

function setUp(...existing: ConfigMap[]) {
  const cache = createFakeCache<ConfigMap>(existing);
  const index = createObjectIndex(cache, ({ data }) => data?.owners?.split(' ').filter(Boolean) ?? []);
  const names = (request: string) => index.of(request).map(({ metadata }) => metadata.name);
  return { cache, index, names };
}

test('holds what exists and what comes, by each request that the map function gives', () => {
  const { cache, index, names } = setUp(configMap('a', 'x', 'y'));
  expect(names('x')).toEqual([]);
  index.start();
  cache.put(configMap('b', 'y'));
  expect([names('x'), names('y'), names('z')]).toEqual([['a'], ['a', 'b'], []]);
});

test('follows an object whose requests change, and forgets one that is deleted, whatever its last version says', () => {
  const { cache, index, names } = setUp(configMap('a', 'x'));
  index.start();
  cache.put(configMap('a', 'y'));
  expect([names('x'), names('y')]).toEqual([[], ['a']]);
  cache.remove(configMap('a', 'z'));
  expect(names('y')).toEqual([]);
});

test('holds nothing after it has ended', () => {
  const { cache, index, names } = setUp(configMap('a', 'x'));
  index.start()();
  cache.put(configMap('b', 'x'));
  expect(names('x')).toEqual([]);
});
