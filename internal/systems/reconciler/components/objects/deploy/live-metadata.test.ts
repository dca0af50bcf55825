import { expect, test } from '@jest/globals';
import {
  configMaps,
  type KubeClient,
  type KubeObject,
  keyString,
} from '../../../../../framework/kube/index.ts';
import type { PreparedObject } from '../prepared-object.ts';
import { createLiveMetadata } from './live-metadata.ts';

const prepared = (namespace: string, name: string): PreparedObject => ({
  type: configMaps,
  object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name } },
  source: 'chart',
});

/** A cluster whose lists have the first `page` objects of a namespace. */
function liveOf(objects: readonly PreparedObject[], page: number) {
  const requests: string[] = [];
  const client = {
    listMetadata: async (_: unknown, { namespace = '' }: { readonly namespace?: string }) => {
      requests.push(`list ${namespace}`);
      const all = objects
        .map(({ object }) => object)
        .filter(({ metadata }) => metadata.namespace === namespace);
      return { items: all.slice(0, page), ...(all.length > page ? { continue: 'next' } : {}) };
    },
    getMetadata: async (_: unknown, key: { readonly namespace?: string; readonly name: string }) => {
      requests.push(`get ${keyString(key)}`);
      return objects.find(({ object }) => keyString(object.metadata) === keyString(key))
        ?.object as KubeObject;
    },
  };
  const { signal } = new AbortController();
  const live = createLiveMetadata(objects, {
    component: 'istio',
    client: client as unknown as KubeClient,
    signal,
  });
  const find = (each: PreparedObject) => live.find(each, client as unknown as KubeClient);
  return { requests, find };
}

type Find = ReturnType<typeof liveOf>['find'];
const namesOf = async (find: Find, objects: readonly PreparedObject[]) =>
  Promise.all(objects.map(async (each) => keyString((await find(each))?.metadata ?? { name: 'none' })));
const inNamespaces = (...names: string[]) =>
  names.flatMap((namespace) => ['a', 'b', 'c'].map((name) => prepared(namespace, name)));

test('three objects of a kind and namespace are one list; those of another namespace are in another one', async () => {
  const objects = inNamespaces('shop', 'kyma-system');
  const { find, requests } = liveOf(objects, 500);
  expect(await namesOf(find, objects)).toEqual(objects.map(({ object }) => keyString(object.metadata)));
  expect(requests).toEqual(['list shop', 'list kyma-system']);
});

test('what a list has no room for is read', async () => {
  const objects = inNamespaces('shop');
  const { find, requests } = liveOf(objects, 2);
  expect(await namesOf(find, objects)).toEqual(['shop/a', 'shop/b', 'shop/c']);
  expect(requests).toEqual(['list shop', 'get shop/c']);
});

test('what a whole list does not have is not there', async () => {
  const objects = inNamespaces('shop');
  const { find, requests } = liveOf(objects, 500);
  expect(await find(prepared('shop', 'd'))).toBeUndefined();
  expect(requests).toEqual(['list shop']);
});
