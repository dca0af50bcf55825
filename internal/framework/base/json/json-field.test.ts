import { expect, test } from '@jest/globals';
import { ownMember, stringAt, valueAt } from './json-field.ts';

const object: Record<string, unknown> = JSON.parse('{"a": "b", "__proto__": "own"}');

test('a member is found by its name', () => {
  expect(ownMember(object, 'a')).toBe('b');
  expect(ownMember(object, '__proto__')).toBe('own');
});

test.each(['constructor', 'toString', 'valueOf', '__defineGetter__', 'x'])(
  '%s is no member, though every object may have it by its prototype',
  (name) => {
    expect(ownMember(object, name)).toBeUndefined();
    expect(valueAt(object, [name])).toBeUndefined();
    expect(stringAt(object, [name])).toEqual({ state: 'absent' });
  },
);

test('nothing has no members', () => {
  expect(ownMember(undefined, 'a')).toBeUndefined();
});
