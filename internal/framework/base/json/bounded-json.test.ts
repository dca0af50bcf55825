import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cpuTimeMs } from '../time/cpu-time.fixture.ts';
import { JsonLimitError, parseBoundedJson } from './bounded-json.ts';

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
