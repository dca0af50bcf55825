import { expect, test } from '@jest/globals';
import { compareVersions } from './version.ts';

test.each([
  ['1.29.1', '2.0.0', -1],
  ['1.29.1', '1.30.0', -1],
  ['1.29.1', '1.29.2', -1],
  ['1.29.1', '1.29.1', 0],
  ['2.0.0', '1.29.1', 1],
  ['1.9.0', '1.10.0', -1],
  ['10.6.2800-118', '10.6.2800-119', -1],
  ['15.5.20240522+fips', '15.5.20240524+fips', -1],
  ['1.0.0+a', '1.0.0+b', 0],
  ['1.29', '1.29.0', 0],
  ['1', '1.0.1', -1],
  ['v1.29.1', '1.29.1', 0],
  ['1.0.0-rc.1', '1.0.0', -1],
  ['1.0.0-1', '1.0.0-a', -1],
  ['1.0.0-9', '1.0.0-10', -1],
  ['1.0.0-a', '1.0.0-a.1', -1],
  ['1.0.0-b', '1.0.0-a.1', 1],
  ['9007199254740993.0.0', '9007199254740992.0.0', 1],
])('[I92] %s and %s', (a, b, expected) => {
  expect(compareVersions(a, b)).toBe(expected);
  expect(compareVersions(b, a)).toBe(expected === 0 ? 0 : -expected);
});

test.each([
  'invalid',
  '',
  '1.2.3.4',
  '1..2',
  '-1',
  '1.0.0-',
  '1.0.0-a..b',
  ' 1',
  '1\n',
  `1.0.0-${'1'.repeat(300)}`,
])('[I92] %j is no version', (text) => {
  expect(compareVersions(text, '1.0.0')).toBeUndefined();
  expect(compareVersions('1.0.0', text)).toBeUndefined();
});
