import { expect, test } from '@jest/globals';
import type { Schema } from '../source/source.ts';
import { typeText } from './type-text.ts';

const text: Schema = { type: 'string' };
const preserve = { 'x-kubernetes-preserve-unknown-fields': true } as const;

test.each<{ reason: string; schema: Schema; type: string }>([
  { reason: 'integers are numbers', schema: { type: 'integer' }, type: 'number' },
  { reason: 'an enum is a union', schema: { type: 'string', enum: ['a', 'b"'] }, type: '"a" | "b\\""' },
  { reason: 'null is a value', schema: { type: 'string', nullable: true }, type: 'string | null' },
  {
    reason: 'a union in a list has parentheses',
    schema: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
    type: '("a" | "b")[]',
  },
  {
    reason: 'so has an intersection',
    schema: { type: 'array', items: { type: 'object', properties: { a: text }, ...preserve } },
    type: '({ a?: string; } & { [key: string]: unknown; })[]',
  },
  {
    reason: 'lists may be in lists',
    schema: { type: 'array', items: { type: 'array', items: text } },
    type: 'string[][]',
  },
  {
    reason: 'a map of lists',
    schema: { type: 'object', additionalProperties: { type: 'array', items: text } },
    type: '{ [key: string]: string[]; }',
  },
  {
    reason: 'the API server keeps all fields of an embedded resource',
    schema: { type: 'object', 'x-kubernetes-embedded-resource': true },
    type: '{ [key: string]: unknown; }',
  },
  {
    reason: 'a required field with a default may be absent before the object is stored',
    schema: {
      type: 'object',
      required: ['a', 'b-c'],
      properties: { a: { ...text, default: 'x' }, 'b-c': text },
    },
    type: '{ /** @default x */ a?: string; "b-c": string; }',
  },
])('$type: $reason', ({ schema, type }) => {
  expect(typeText(schema).replace(/\s+/g, ' ')).toBe(type);
});

test('comments state what the type lacks: description, format and default', () => {
  const properties: Schema['properties'] = {
    at: { description: 'When.', type: 'string', format: 'date-time', default: 'now' },
  };
  expect(typeText({ type: 'object', properties })).toBe(`{
    /**
     * When.
     * Format: date-time
     * @default now
     */
    at?: string;
}`);
});
