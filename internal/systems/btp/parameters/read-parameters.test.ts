import { describe, expect, test } from '@jest/globals';
import { mergeParameters, parseParameters } from './read-parameters.ts';

describe('[B164] parameters', () => {
  test('none are undefined, so that none are sent', () => {
    expect(mergeParameters([])).toBeUndefined();
    expect(mergeParameters([{}], {})).toBeUndefined();
  });

  test('those of the spec are sent as they are', () => {
    const parameters = { a: { b: [1, '2', null] }, shared: true };
    expect(mergeParameters([], parameters)).toEqual(parameters);
  });

  test('those of Secrets and of the spec are merged at the top level, sorted by name', () => {
    const merged = mergeParameters([{ z: { a: 1 } }, { b: 2 }], { a: { c: 3 } });
    expect(JSON.stringify(merged)).toBe('{"a":{"c":3},"b":2,"z":{"a":1}}');
  });

  test('shared in a Secret is ignored', () => {
    expect(mergeParameters([{ shared: true }, { shared: false }], { a: 1 })).toEqual({ a: 1 });
    expect(mergeParameters([{ shared: true }], { shared: false })).toEqual({ shared: false });
  });

  test.each([
    { reason: 'in two Secrets', secrets: [{ key: 1 }, { key: 1 }], inline: {} },
    { reason: 'in a Secret and the spec', secrets: [{ key: 1 }], inline: { key: 2 } },
  ])('a name given twice is refused: $reason', ({ secrets, inline }) => {
    expect(() => mergeParameters(secrets, inline)).toThrow('conflict: duplicate entry for parameter "key"');
  });

  test('a name that every object inherits is a name', () => {
    const parameters = JSON.parse('{"__proto__":{"x":1},"constructor":2}');
    const merged = mergeParameters([parameters], { toString: 3 });
    expect(JSON.stringify(merged)).toBe('{"__proto__":{"x":1},"constructor":2,"toString":3}');
  });
});

describe('the value of a Secret', () => {
  test.each([
    ['{"a":1}', { a: 1 }],
    ['null', {}],
  ])('%s', (text, expected) => {
    expect(parseParameters(text, 'db', 'parameters')).toEqual(expected);
  });

  test.each([
    { text: undefined, why: 'key parameters of secret db does not exist' },
    { text: '', why: 'key parameters of secret db has no JSON' },
    { text: '{"password":"hunter2"', why: 'key parameters of secret db has no JSON' },
    { text: '["hunter2"]', why: 'key parameters of secret db has another JSON value' },
    { text: '"hunter2"', why: 'key parameters of secret db has another JSON value' },
    {
      text: '['.repeat(100),
      why: 'key parameters of secret db has a JSON text that is nested deeper than 64 levels',
    },
  ])('what is not a JSON object is refused without a quote of it: $text', ({ text, why }) => {
    expect(() => parseParameters(text, 'db', 'parameters')).toThrow(
      new Error(`failed to unmarshal parameters as JSON object: ${why}`),
    );
  });
});
