import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { jsonEqual } from '../../base/json/json-value.ts';
import { applyJsonPatch, type JsonPatchOperation } from '../../kube/apply/json-patch.ts';
import { jsonPatch } from './json-patch.ts';

describe('jsonPatch', () => {
  const table: { before: object; after: object; patch: JsonPatchOperation[]; reason: string }[] = [
    { before: { a: 1 }, after: { a: 1 }, patch: [], reason: 'nothing changed' },
    { before: {}, after: { a: 1 }, patch: [{ op: 'add', path: '/a', value: 1 }], reason: 'a new member' },
    { before: { a: 1 }, after: {}, patch: [{ op: 'remove', path: '/a' }], reason: 'a member less' },
    {
      before: { a: { b: 1, c: 2 } },
      after: { a: { b: 1, c: 3 } },
      patch: [{ op: 'replace', path: '/a/c', value: 3 }],
      reason: 'members of objects are compared',
    },
    {
      before: { a: [1, 2] },
      after: { a: [2] },
      patch: [{ op: 'replace', path: '/a', value: [2] }],
      reason: 'a list is replaced as a whole',
    },
    {
      before: { m: {} },
      after: { m: { 'example.org/a~b': 'x' } },
      patch: [{ op: 'add', path: '/m/example.org~1a~0b', value: 'x' }],
      reason: 'slashes and tildes are escaped',
    },
    {
      before: {},
      after: { toString: 'x' },
      patch: [{ op: 'add', path: '/toString', value: 'x' }],
      reason: 'members of the prototype do not count',
    },
  ];
  test.each(table)('$reason', ({ before, after, patch }) => {
    expect(jsonPatch(before, after)).toEqual(patch);
  });

  test('applied to the one it makes the other', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(object, object, (before, after) => {
        expect(jsonEqual(applyJsonPatch(before, jsonPatch(before, after)), after)).toBe(true);
      }),
    );
  });
});
