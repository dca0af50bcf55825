import { expect, test } from '@jest/globals';
import { kymaNames } from './external-names.ts';

test('parses what it formats, also with slashes in the cluster ID', () => {
  const identity = {
    serviceInstanceID: 'i',
    platform: 'kubernetes',
    primaryID: 'eu/10/x',
    secondaryID: 'shop',
  } as const;
  expect(kymaNames.format(identity)).toBe('i/eu/10/x/shop');
  expect(kymaNames.parse('i/eu/10/x/shop')).toEqual(identity);
});

test('a name above the limit of the status fields is not an external name', () => {
  expect(kymaNames.parse(`i/${'c'.repeat(1020)}/n`)).toBeDefined();
  expect(kymaNames.parse(`i/${'c'.repeat(1021)}/n`)).toBeUndefined();
});

test.each(['', 'shop', 'i/c', '/c/n', 'i//n', 'i/c/'])('%j is not an external name', (text) => {
  expect(kymaNames.parse(text)).toBeUndefined();
});
