import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter } from '../../../../test/campaign/any-character.ts';
import { ProviderError } from '../../base/errors/errors.ts';
import { customResourceDefinitions, leases, secrets } from '../object/resource-type.ts';
import { collectionName, collectionPath, objectPath, pathFor, queryString } from './resource-path.ts';

describe('paths are built from the type alone, without discovery', () => {
  test.each([
    [collectionPath(secrets, 'shop'), '/api/v1/namespaces/shop/secrets', 'core group'],
    [collectionPath(secrets, undefined), '/api/v1/secrets', 'all namespaces'],
    [
      objectPath(leases, { name: 'a', namespace: 'n' }),
      '/apis/coordination.k8s.io/v1/namespaces/n/leases/a',
      'named group',
    ],
    [
      objectPath(customResourceDefinitions, { name: 'x.example.org', namespace: 'ignored' }),
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/x.example.org',
      'cluster-scoped kinds have no namespace',
    ],
    [
      objectPath(leases, { name: 'a', namespace: 'n' }, 'status'),
      '/apis/coordination.k8s.io/v1/namespaces/n/leases/a/status',
      'subresource',
    ],
  ])('%s = %s: %s', (path, expected) => {
    expect(path).toBe(expected);
  });
});

test('whatever stands in a reference, a path leads to that one object or is refused', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter }), (namespace, name) => {
      let path: string;
      try {
        path = objectPath(secrets, { namespace, name });
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
        return;
      }
      // An API server looks at the parts after it has decoded the path.
      const parts = decodeURIComponent(path).split('/');
      expect(parts).toEqual(['', 'api', 'v1', 'namespaces', namespace, 'secrets', name]);
      expect(['', '.', '..']).not.toContain(name);
    }),
  );
});

test.each(['', '.', '..', 'a/b', 'a%2fb', '../../secrets/x'])('the name %j is refused', (name) => {
  expect(() => objectPath(secrets, { namespace: 'shop', name })).toThrow('is not a name');
  expect(() => collectionPath(secrets, name)).toThrow('is not a name');
});

test('a subresource is one segment of the path', () => {
  expect(() => objectPath(secrets, { namespace: 'shop', name: 'a' }, '../b')).toThrow('is not a name');
});

test('a namespaced object without a namespace is refused, or its path would be that of another collection', () => {
  expect(() => objectPath(secrets, { name: 'a' })).toThrow('Secret needs a namespace');
});

test('a refused name is a terminal error that names the attempt', () => {
  const attempt = { verb: 'get', object: 'Secret shop/', clusterName: 'cluster kyma-1' };
  const refused = () => pathFor(attempt, () => objectPath(secrets, { namespace: 'shop', name: '' }));
  expect(refused).toThrow(ProviderError);
  expect(refused).toThrow('cannot get Secret shop/ on cluster kyma-1: "" is not a name');
});

test('queries leave out what is not set and escape the rest', () => {
  expect(queryString({})).toBe('');
  expect(
    queryString({
      limit: 0,
      watch: true,
      continue: undefined,
      labelSelector: 'a in (b,c)',
      fieldSelector: '',
    }),
  ).toBe('?limit=0&watch=true&labelSelector=a+in+%28b%2Cc%29');
});

test('collections are named as users know them', () => {
  expect(collectionName(secrets, 'shop')).toBe('secrets in namespace shop');
  expect(collectionName(leases, undefined)).toBe('leases.coordination.k8s.io in all namespaces');
  expect(collectionName(customResourceDefinitions, undefined)).toBe(
    'customresourcedefinitions.apiextensions.k8s.io',
  );
});
