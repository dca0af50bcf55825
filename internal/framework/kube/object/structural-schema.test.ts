import { describe, expect, test } from '@jest/globals';
import { problemsIn, type StructuralSchema, withDefaults } from './structural-schema.ts';

const schema: StructuralSchema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string' },
    size: { type: 'integer', default: 3 },
    kind: { type: 'string', enum: ['a', 'b'] },
    ref: {
      type: 'object',
      default: { name: 'default' },
      required: ['name'],
      properties: { name: { type: 'string' }, key: { type: 'string', default: 'k' } },
    },
    list: {
      type: 'array',
      items: { type: 'object', properties: { on: { type: 'boolean', default: true } } },
    },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    open: { type: 'object' },
    maybe: { type: 'string', nullable: true, default: 'x' },
    code: { type: 'string', minLength: 2, maxLength: 3 },
    share: { type: 'number', minimum: 1, maximum: 2 },
    pair: { type: 'array', minItems: 2, maxItems: 2, items: { type: 'string', maxLength: 1 } },
    tags: { type: 'object', minProperties: 1, maxProperties: 1, additionalProperties: { type: 'string' } },
  },
};

describe('defaults', () => {
  test('are filled in at every depth, also within defaults, and never over what is given', () => {
    expect(withDefaults(schema, { name: 'n', list: [{}, { on: false }] })).toEqual({
      name: 'n',
      size: 3,
      ref: { name: 'default', key: 'k' },
      list: [{ on: true }, { on: false }],
      maybe: 'x',
    });
    expect(withDefaults(schema, { size: 0, ref: { name: 'mine' } })).toMatchObject({
      size: 0,
      ref: { name: 'mine', key: 'k' },
    });
  });

  test('take the place of null, but of one that the schema allows', () => {
    expect(withDefaults(schema, { size: null, maybe: null })).toMatchObject({ size: 3, maybe: null });
  });

  test('leave what they are given as it is', () => {
    const given = Object.freeze({ ref: Object.freeze({ name: 'mine' }) });
    expect(withDefaults(schema, given)).not.toBe(given);
    expect(given).toEqual({ ref: { name: 'mine' } });
  });
});

describe('problems', () => {
  const table: { value: unknown; want: string[] }[] = [
    { value: { name: 'n', labels: { a: 'b' }, open: { any: 1 }, maybe: null }, want: [] },
    { value: {}, want: ['name: Required value'] },
    { value: { name: 'n', code: 'äöü', share: 1, pair: ['a', 'b'], tags: { a: 'b' } }, want: [] },
    {
      value: { name: 'n', code: 'a', share: 0.5, pair: ['a'], tags: {} },
      want: [
        'code: Invalid value: must have characters: at least 2',
        'share: Invalid value: must be at least 1',
        'pair: Invalid value: must have items: at least 2',
        'tags: Invalid value: must have members: at least 1',
      ],
    },
    {
      value: { name: 'n', code: 'abcd', share: 3, pair: ['a', 'bc', 'd'], tags: { a: 'b', c: 'd' } },
      want: [
        'code: Invalid value: must have characters: at most 3',
        'share: Invalid value: must be at most 2',
        'pair: Invalid value: must have items: at most 2',
        'pair[1]: Invalid value: must have characters: at most 1',
        'tags: Invalid value: must have members: at most 1',
      ],
    },
    { value: { name: 'n', nmae: 'x' }, want: ['unknown field "nmae"'] },
    {
      value: { name: 'n', ref: { nam: 'x' } },
      want: ['ref.name: Required value', 'unknown field "ref.nam"'],
    },
    { value: { name: 1 }, want: ['name: Invalid value: must be of type string'] },
    { value: { name: 'n', size: 1.5 }, want: ['size: Invalid value: must be of type integer'] },
    {
      value: { name: 'n', kind: 'c' },
      want: ['kind: Unsupported value: supported values: "a", "b"'],
    },
    {
      value: { name: 'n', list: [{}, { on: 'yes' }] },
      want: ['list[1].on: Invalid value: must be of type boolean'],
    },
    { value: { name: 'n', labels: { a: 1 } }, want: ['labels.a: Invalid value: must be of type string'] },
    { value: [], want: ['the object: Invalid value: must be of type object'] },
  ];
  test.each(table)('$value: $want', ({ value, want }) => {
    expect(problemsIn(schema, value)).toEqual(want);
  });
});
