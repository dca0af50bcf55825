import { expect, test } from '@jest/globals';
import { parseSetValues } from './set-values.ts';

test.each<[string, unknown]>([
  ['a=1', { a: 1n }],
  ['a=1,b=x', { a: 1n, b: 'x' }],
  ['a.b.c=true', { a: { b: { c: true } } }],
  ['a=null', { a: null }],
  ['a=', { a: '' }],
  ['a=007', { a: '007' }],
  ['a=0', { a: 0n }],
  ['a=1.5', { a: '1.5' }],
  ['a={x,1,true}', { a: ['x', 1n, true] }],
  ['a={x},b=1', { a: ['x'], b: 1n }],
  ['a[1]=x', { a: [null, 'x'] }],
  ['a[0].b=1,a[0].c=2', { a: [{ b: 1n, c: 2n }] }],
  ['a[0][1]=x', { a: [[null, 'x']] }],
  [String.raw`a\.b=x\,y`, { 'a.b': 'x,y' }],
  ['a=99999999999999999999', { a: '99999999999999999999' }],
])('%s', (text, values) => {
  expect(parseSetValues([text])).toEqual(values);
});

test('a later value replaces an earlier one, and tables are joined', () => {
  expect(parseSetValues(['a.b=1,a.c=2', 'a.b=3'])).toEqual({ a: { b: 3n, c: 2n } });
});

test('all values are texts if that is asked for', () => {
  expect(parseSetValues(['a=1,b=true'], { asText: true })).toEqual({ a: '1', b: 'true' });
});

test.each([
  ['a', 'key "a" has no value'],
  ['a,b=1', 'key "a" has no value (cannot end with ,)'],
  ['a={x', "list must terminate with '}'"],
  ['a[x]=1', 'error parsing index'],
  ['a[-1]=1', 'negative -1 index not allowed'],
  ['a[70000]=1', 'index of 70000 is greater than maximum supported index of 65536'],
  ['a=1,a.b=2', 'the value of "a" is no map'],
  [`${'a.'.repeat(31)}b=1`, 'maximum supported nested level of 30'],
])('%s is refused', (text, message) => {
  expect(() => parseSetValues([text])).toThrow(message);
});
