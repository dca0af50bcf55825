import { expect, test } from '@jest/globals';
import { conditionsText, mappingText, missingObjects } from './context.ts';

test.each([
  [
    'ServiceInstance shop/db not found; ServiceBinding shop/admin: secret shop/admin has no key uaa; ConfigMap a/b not found (on cluster x)',
    ['ServiceInstance shop/db', 'ServiceBinding shop/admin', 'ConfigMap a/b'],
    'each is named once, a Secret by its binding',
  ],
  [
    'ConfigMap a/b; ServiceInstance c/d',
    ['ConfigMap a/b', 'ServiceInstance c/d'],
    'in the order of the text',
  ],
  ['', [], 'nothing is missing'],
  ['connect failed: token refused', [], 'nothing of the sources is'],
])('%j names %j: %s', (message, objects) => {
  expect(missingObjects(message)).toEqual(objects);
});

test('conditions are one line, in their order, and those that the demo is not about are left out', () => {
  expect(
    conditionsText([
      { type: 'Synced', status: 'False', reason: 'Waiting' },
      { type: 'Ready', status: 'True', reason: 'Available' },
      { type: 'UpToDate', status: 'True', reason: 'ObserveMatched' },
    ]),
  ).toBe('Synced=False Waiting, Ready=True Available');
  expect(conditionsText([])).toBe('');
});

test('a mapping that is the default has the mark', () => {
  const mapping = { platform: 'kubernetes', primaryID: 'c-1', secondaryID: 'shop' };

  expect(mappingText({ ...mapping, isDefault: false })).toBe('c-1/shop');
  expect(mappingText({ ...mapping, isDefault: true })).toBe('c-1/shop (default)');
});
