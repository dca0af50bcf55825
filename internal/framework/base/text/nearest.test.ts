import { expect, test } from '@jest/globals';
import { nearest, similar } from './nearest.ts';

test.each([
  ['enableMachineImageVersionAutoUpdate', 'enableMachineImageVersionVersionAutoUpdate'],
  ['ENABLEKubernetesAutoUpdate', 'enableKubernetesVersionAutoUpdate'],
  ['defaultVersoin', 'defaultVersion'],
  ['', 'defaultVersion'],
])('the name nearest to "%s" is %s', (name, expected) => {
  const names = [
    'enableKubernetesVersionAutoUpdate',
    'enableMachineImageVersionVersionAutoUpdate',
    'defaultVersion',
  ];
  expect(nearest(name, names)).toBe(expected);
});

test('of nothing nothing is nearest', () => {
  expect(nearest('a', [])).toBeUndefined();
});

test('long names take bounded time', () => {
  expect(nearest('a'.repeat(1_000_000), ['b'.repeat(1_000_000), 'a'])).toBe('a');
});

test.each([
  ['--grop', '--group'],
  ['lst', 'list'],
  ['--explode', undefined],
  ['x'.repeat(200), undefined],
])('the name that "%s" is a typing error of: %s', (name, expected) => {
  expect(similar(name, ['list', '--group', 'x'.repeat(201)])).toBe(expected);
});
