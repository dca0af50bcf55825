import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cpuTimeMs } from '../time/cpu-time.fixture.ts';
import { JsonLimitError, parseBoundedJson, rawElements, rawMember } from './json-text.ts';

const limits = { maxLength: 1000, maxDepth: 3, maxValues: 10 };

test('property: what is within its limits is parsed as JSON.parse does', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const text = JSON.stringify(value);
      expect(parseBoundedJson(text, { maxLength: text.length, maxDepth: 6 })).toEqual(JSON.parse(text));
    }),
  );
});

describe('what exceeds a limit is refused before it is parsed', () => {
  test.each([
    ['of more than 1000 characters', JSON.stringify('x'.repeat(1000))],
    ['that is nested deeper than 3 levels', '[[[[]]]]'],
    ['that is nested deeper than 3 levels', '{"a":{"b":[{}]}}'],
    ['that is nested deeper than 3 levels', '["]]]]", ["]]]]", ["\\"]]]]", [0]]]]'],
    ['of more than 10 values', '[0,0,0,0,0,0,0,0,0,0,0]'],
    ['of more than 10 values', '[[],[],[],[],[],[]]'],
    ['of more than 10 values', '{"a":1,"b":2,"c":3,"d":4,"e":5}\n,,,'],
  ])('%s', (why, text) => {
    expect(() => parseBoundedJson(text, limits)).toThrow(new JsonLimitError(why));
  });
});

test.each(['[":,[{:,[{:,[{", ",,,,,,,,,,,,,,"]', '["\\\\\\"[[[[[", "\\\\"]', '"\\u005b[[[["'])(
  'what stands in a string is no structure: %s',
  (text) => {
    expect(parseBoundedJson(text, limits)).toEqual(JSON.parse(text));
  },
);

describe('a number that is too large', () => {
  const digits = '9'.repeat(400);
  test.each([
    '1e999',
    '-1E+400',
    digits,
    `-${digits}`,
    `[{"a":[1,1e309]}]`,
    `{"a":${digits}.5}`,
    `0.${digits}e400`,
  ])('is refused: %s', (text) => {
    expect(() => parseBoundedJson(text, { maxLength: 1000 })).toThrow(
      new JsonLimitError('with a number that is too large'),
    );
  });
  test.each(['1e308', '1e-999', '-0', `0.${digits}`, `"1e999 ${digits}"`, '[true,false,null,1e3]'])(
    'is none of these: %s',
    (text) => {
      expect(parseBoundedJson(text, { maxLength: 1000 })).toEqual(JSON.parse(text));
    },
  );
  test('is kept where digits are', () => {
    expect(JSON.stringify(parseBoundedJson(`[${digits}]`, { maxLength: 1000, rawNumbers: true }))).toBe(
      `[${digits}]`,
    );
    expect(() => parseBoundedJson('[1e999]', { maxLength: 1000, rawNumbers: true })).toThrow('too large');
  });
});

test.each(['', '[', ']]]]', '"', '"\\', '{"a":'])('%j is left to the parser', (text) => {
  expect(() => parseBoundedJson(text, limits)).toThrow(SyntaxError);
});

test.each(['[', '"', '\\', '"\\', '\\"', ',', '{"a":', ' '])(
  '1 MiB of %j is judged in linear time',
  (part) => {
    const text = part.repeat(2 ** 20 / part.length);
    const judge = () => expect(() => parseBoundedJson(text, { maxLength: 2 ** 21 })).toThrow();
    // Quadratic time would be an hour; linear time is some milliseconds, and a second if each branch is counted.
    expect(cpuTimeMs(judge)).toBeLessThan(5000);
  },
);

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
