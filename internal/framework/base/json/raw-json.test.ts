import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { rawElements, rawMember } from './raw-json.ts';

describe('rawMember', () => {
  test.each([
    ['a number keeps its form', '{"a":1,"b": 1.50e+2 }', '1.50e+2'],
    [
      'an object keeps white space and order',
      '{ "b" : { "z": 1,\n"a":[2 ] } , "c": 1}',
      '{ "z": 1,\n"a":[2 ] }',
    ],
    ['a string keeps its escapes', '{"b":"\\u0041}\\"]"}', '"\\u0041}\\"]"'],
    ['a key with escapes is found', '{"\\u0062":true}', 'true'],
    ['of two members the last one counts', '{"b":1,"b":2}', '2'],
    ['a member of an inner object is not found', '{"a":{"b":1}}', undefined],
    ['an empty object has no member', ' {} ', undefined],
    ['an array has no members', '["b"]', undefined],
  ])('%s', (_reason, text, value) => {
    expect(rawMember(text, 'b')).toBe(value);
  });
});

test('each member and element of any JSON value is found, and parses to the same value', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.integer({ min: 0, max: 2 }),
      (object, indent) => {
        const text = JSON.stringify(object, undefined, indent);
        const parsed: Record<string, unknown> = JSON.parse(text);
        for (const [name, value] of Object.entries(parsed)) {
          expect(JSON.parse(rawMember(text, name) ?? '')).toEqual(value);
        }
        const values = Object.values(parsed);
        const elements = rawElements(JSON.stringify(values, undefined, indent));
        expect(elements.map((element) => JSON.parse(element))).toEqual(values);
      },
    ),
  );
});

test('what is no array has no elements', () => {
  expect(rawElements('{"a":[1]}')).toEqual([]);
  expect(rawElements(' [ ] ')).toEqual([]);
});
