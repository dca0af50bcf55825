import { expect, test } from '@jest/globals';
import { createKeyStore } from './key-store.ts';

test('keeps one value of each kind for each request', () => {
  const keys = createKeyStore();
  const failures = keys.values<number>('failures');
  const notes = keys.values<string>('notes');
  failures.set('a', 1);
  failures.set('a', 2);
  notes.set('b', 'x');
  expect([failures.get('a'), failures.get('b'), notes.get('b')]).toEqual([2, undefined, 'x']);
  expect([...keys.kept()]).toEqual([
    ['a', ['failures']],
    ['b', ['notes']],
  ]);
  expect([notes.delete('b'), notes.delete('b'), notes.get('b')]).toEqual([true, false, undefined]);
});

test('drops all that is kept for a request, releases what it holds, and leaves other requests alone', () => {
  const keys = createKeyStore();
  const released: string[] = [];
  const watches = keys.values<string>('watches', (value) => released.push(value));
  const failures = keys.values<number>('failures');
  for (const key of ['a', 'b']) {
    watches.set(key, `watch of ${key}`);
    failures.set(key, 1);
  }
  keys.drop('a');
  keys.drop('a');
  expect(released).toEqual(['watch of a']);
  expect([...keys.kept()]).toEqual([['b', ['watches', 'failures']]]);
  keys.clear();
  expect(released).toEqual(['watch of a', 'watch of b']);
  expect(keys.kept().size).toBe(0);
});

test('has no two slots of one name', () => {
  const keys = createKeyStore();
  keys.values('failures');
  expect(() => keys.values('failures')).toThrow('the store already has values named failures');
});
