import { expect, test } from '@jest/globals';
import { describesTheSame } from './description.ts';

const base64 = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64');
const user = { name: 'user', format: 'text' };
const pool = { name: 'pool', format: 'json' };
const plan = { name: 'plan', format: 'text' };
const described = base64({ credentialProperties: [pool, user], metaDataProperties: [plan] });

test.each([
  { title: 'in another order', value: { credentialProperties: [user, pool], metaDataProperties: [plan] } },
  {
    title: 'with a credential that the data of the instance replaces',
    value: { credentialProperties: [user, plan, pool], metaDataProperties: [plan] },
  },
])('the same entries $title are the same', ({ value }) => {
  expect(describesTheSame(described, base64(value))).toBe(true);
});

test.each([
  { title: 'an entry less', value: { credentialProperties: [pool], metaDataProperties: [plan] } },
  {
    title: 'another format',
    value: { credentialProperties: [pool, { ...user, format: 'json' }], metaDataProperties: [plan] },
  },
  {
    title: 'a container',
    value: { credentialProperties: [{ ...pool, container: true }, user], metaDataProperties: [plan] },
  },
  { title: 'no lists', value: { credentialProperties: null } },
  { title: 'no JSON', value: '{' },
  { title: 'null', value: 'null' },
  { title: 'lists of another type', value: { credentialProperties: 1, metaDataProperties: [null] } },
])('$title is a difference', ({ value }) => {
  expect(describesTheSame(described, base64(value))).toBe(false);
});

test('two texts that describe nothing are the same only if they are equal', () => {
  expect(describesTheSame(base64('{'), base64('['))).toBe(false);
  expect(describesTheSame(base64('{'), base64('{'))).toBe(true);
});

test('no credentials and an empty list of them are the same', () => {
  const none = base64({ credentialProperties: null, metaDataProperties: [plan] });
  const empty = base64({ credentialProperties: [], metaDataProperties: [plan] });
  const only = base64({ metaDataProperties: [plan] });
  const credential = base64({ credentialProperties: [plan] });
  for (const other of [empty, only, credential]) expect(describesTheSame(none, other)).toBe(true);
});
