import { expect, test } from '@jest/globals';
import { createOwnResources } from './own-resources.ts';

const found = (labels: Record<string, string[]>) => ({ id: 'i-1', labels, subaccountID: 'sub-1' });

test.each([
  ['without labels', {}, true],
  ['with the labels of the namespace', { _clusterid: ['c-1'], _namespace: ['shop'] }, true],
  ['with several namespaces, one of which it is', { _clusterid: ['c-1'], _namespace: ['a', 'shop'] }, true],
  ['of another namespace', { _clusterid: ['c-1'], _namespace: ['shop-2'] }, false],
  ['of several clusters and another namespace', { _clusterid: ['c-0', 'c-1'], _namespace: ['a'] }, false],
  ['of a namespace of another cluster', { _clusterid: ['c-0'], _namespace: ['shop-2'] }, true],
  ['of a cluster without a namespace', { _clusterid: ['c-1'] }, true],
])('a resource %s', (_, labels, isOwn) => {
  const own = createOwnResources('c-1');
  expect(own.own('shop', found(labels), 'viewer-1') !== undefined).toBe(isOwn);
  expect(own.isKnown('shop', 'i-1')).toBe(isOwn);
  expect(own.wasSeenBy('viewer-1', 'i-1')).toBe(isOwn);
  expect([own.isKnown('sho', 'i-1'), own.wasSeenBy('1', 'i-1'), own.isKnown('shop', 'i-2')]).toEqual([
    false,
    false,
    false,
  ]);
  // Whose resources the credentials see does not depend on whose this one is.
  expect(own.subaccountOf('viewer-1')).toBe('sub-1');
});

test('a resource that was created is known to its namespace and viewer', () => {
  const own = createOwnResources('c-1');
  own.created('shop', 'i-1', 'viewer-1');
  expect([
    own.isKnown('shop', 'i-1'),
    own.wasSeenBy('viewer-1', 'i-1'),
    own.wasSeenBy('viewer-2', 'i-1'),
  ]).toEqual([true, true, false]);
  expect([own.own('shop', undefined, 'viewer-1'), own.subaccountOf('viewer-1')]).toEqual([
    undefined,
    undefined,
  ]);
});
