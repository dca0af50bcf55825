import { expect, test } from '@jest/globals';
import { changesBetween } from './field-changes.ts';

test('changed, new and removed fields at every depth; lists as a whole', () => {
  expect(
    changesBetween(
      { same: 1, other: 1, deep: { a: 1, gone: true }, list: [1] },
      { same: 1, other: 2, deep: { a: 1, new: { x: 'y' } }, list: [1, 2] },
    ),
  ).toEqual([
    { path: 'deep.gone', from: true },
    { path: 'deep.new.x', to: 'y' },
    { path: 'list', from: [1], to: [1, 2] },
    { path: 'other', from: 1, to: 2 },
  ]);
  expect(changesBetween({ a: { b: 1 } }, { a: { b: 1 } })).toEqual([]);
});

test('credentials are masked, by name and by form', () => {
  const changes = changesBetween(
    { uaa: { clientsecret: 'abcdefgh12345678' } },
    {
      uaa: { clientsecret: 'another-secret-value' },
      url: 'https://user:hunter2hunter2@host/',
      note: 'Authorization: Bearer abcdef0123456789',
    },
  );
  expect(JSON.stringify(changes)).not.toMatch(/abcdefgh|another-secret|hunter2|abcdef0123/);
  expect(changes).toHaveLength(3);
});
