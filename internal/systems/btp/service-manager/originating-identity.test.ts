import { expect, test } from '@jest/globals';
import { originatingIdentity } from './originating-identity.ts';

const many = Array.from({ length: 2000 }, (_, index) => `group-${index}`);

test.each([
  ['no user', undefined, undefined],
  ['a user without fields', {}, undefined],
  ['name and ID', { username: 'user1', uid: '1' }, '{"username":"user1","uid":"1"}'],
  [
    'all fields, in the order of Go',
    { extra: { a: ['b'] }, groups: ['g'], uid: '1', username: 'u' },
    '{"username":"u","uid":"1","groups":["g"],"extra":{"a":["b"]}}',
  ],
  [
    'characters outside of ASCII and line breaks',
    { username: 'ü\n😀' },
    '{"username":"\\u00fc\\n\\ud83d\\ude00"}',
  ],
  ['too long extra', { username: 'u', groups: ['g'], extra: { a: many } }, '{"username":"u","groups":["g"]}'],
  ['too many groups', { username: 'u', groups: many }, '{"username":"u"}'],
  ['a too long name', { username: 'u'.repeat(5000) }, undefined],
])('%s', (_reason, user, value) => {
  expect(originatingIdentity(user)).toBe(value);
});
