import { expect, test } from '@jest/globals';
import { parseDocument } from '../document/openapi-document.ts';
import { sampleOf } from './samples.ts';

const document = parseDocument('openapi: 3.0.0\ninfo: { title: T, version: "1" }\npaths: {}\n');
const sample = (schema: object, variant: 0 | 1 = 0) =>
  sampleOf(schema, { document, name: 'x', variant, use: 'spec' });

test.each([
  ['an example', { type: 'string', example: 'a' }, 'a'],
  ['an example that is too long', { type: 'string', maxLength: 3, example: 'abcdef' }, 'x-1'],
  ['an example above the maximum', { type: 'integer', maximum: 5, example: 9 }, 1],
  [
    'an example with too few items',
    { type: 'array', minItems: 2, items: { type: 'string' }, example: ['a'] },
    ['x-1', 'x-2'],
  ],
  [
    'an example without a required member',
    { type: 'object', required: ['a'], properties: { a: { type: 'string' } }, example: { b: 1 } },
    { a: 'a-1' },
  ],
  [
    'a list with a least number of items',
    { type: 'array', minItems: 3, items: { type: 'integer' } },
    [1, 2, 2],
  ],
])('has a value that the schema accepts: %s', (_, schema, expected) => {
  expect(sample(schema)).toEqual(expected);
});

test('has another value with the same number of items', () => {
  expect(sample({ type: 'array', minItems: 2, items: { type: 'string' } }, 1)).toEqual(['x-2', 'x-1']);
});

test('an example of a response has the members that it leaves out, and keeps its own', () => {
  const text = { type: 'string' };
  const inner = { type: 'object', properties: { x: text, y: { type: 'integer' } } };
  const schema = {
    type: 'object',
    properties: { a: text, b: text, c: inner },
    example: { a: 'given', c: { x: 'own' }, more: 1, b: null },
  };
  expect(sampleOf(schema, { document, name: '', variant: 0, use: 'status' })).toEqual({
    ...{ a: 'given', b: null, c: { x: 'own', y: 1 }, more: 1 },
  });
});
