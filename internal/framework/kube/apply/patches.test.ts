import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { jsonEqual } from '../../base/json/json-value.ts';
import {
  applyJsonPatch,
  changedFields,
  JsonPatchError,
  type JsonPatchOperation,
  jsonPatch,
  jsonPointer,
  mergePatch,
} from './patches.ts';

describe('a JSON patch', () => {
  test.each<{ title: string; before: unknown; patch: JsonPatchOperation[]; after: unknown }>([
    {
      title: 'adds, replaces and removes members',
      before: { a: 1, b: { c: 2 } },
      patch: [
        { op: 'add', path: '/d', value: [3] },
        { op: 'replace', path: '/b/c', value: 4 },
        { op: 'remove', path: '/a' },
      ],
      after: { b: { c: 4 }, d: [3] },
    },
    {
      title: 'replaces a member that is missing, as an API server does',
      before: {},
      patch: [{ op: 'replace', path: '/a', value: 1 }],
      after: { a: 1 },
    },
    {
      title: 'inserts into lists, appends to them and removes from them',
      before: { list: ['a', 'b'] },
      patch: [
        { op: 'add', path: '/list/1', value: 'c' },
        { op: 'add', path: '/list/-', value: 'd' },
        { op: 'remove', path: '/list/0' },
        { op: 'replace', path: '/list/0', value: 'e' },
      ],
      after: { list: ['e', 'b', 'd'] },
    },
    {
      title: 'unescapes names',
      before: { 'a/b~c': 1 },
      patch: [{ op: 'remove', path: '/a~1b~0c' }],
      after: {},
    },
    {
      title: 'reaches a member called like a prototype',
      before: {},
      patch: [{ op: 'add', path: '/__proto__', value: 1 }],
      after: JSON.parse('{"__proto__": 1}'),
    },
    {
      title: 'replaces the whole document',
      before: { a: 1 },
      patch: [{ op: 'replace', path: '', value: { b: 2 } }],
      after: { b: 2 },
    },
    {
      title: 'changes nothing by a test that holds',
      before: { a: ['x'] },
      patch: [{ op: 'test', path: '/a/0', value: 'x' }],
      after: { a: ['x'] },
    },
  ])('$title', ({ before, patch, after }) => {
    const copy = structuredClone(before);
    expect(applyJsonPatch(before, patch)).toEqual(after);
    expect(before).toEqual(copy);
  });

  test.each<{ title: string; patch: JsonPatchOperation }>([
    { title: 'a test of another value', patch: { op: 'test', path: '/list/0', value: 'b' } },
    { title: 'a test of a missing member', patch: { op: 'test', path: '/none', value: 'b' } },
    { title: 'the removal of a missing member', patch: { op: 'remove', path: '/none' } },
    { title: 'the replacement of a missing item', patch: { op: 'replace', path: '/list/1', value: 1 } },
    { title: 'a replacement below a missing member', patch: { op: 'replace', path: '/none/a', value: 1 } },
    { title: 'an index beyond the list', patch: { op: 'remove', path: '/list/1' } },
    { title: 'an index with a leading zero', patch: { op: 'remove', path: '/list/00' } },
    { title: 'a path below a missing member', patch: { op: 'add', path: '/none/a', value: 1 } },
    { title: 'a path below a string', patch: { op: 'add', path: '/list/0/a', value: 1 } },
    { title: 'a member that every object inherits', patch: { op: 'test', path: '/constructor', value: 1 } },
  ])('refuses $title', ({ patch }) => {
    expect(() => applyJsonPatch({ list: ['a'] }, [patch])).toThrow(JsonPatchError);
  });

  test('names members in pointers', () => {
    expect(jsonPointer(jsonPointer('', 'a/b~c'), 0)).toBe('/a~1b~0c/0');
  });
});

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
    { before: { a: undefined }, after: {}, patch: [], reason: 'an undefined member is none that goes' },
    { before: {}, after: { a: undefined }, patch: [], reason: 'an undefined member is none that comes' },
    {
      before: { a: 1 },
      after: { a: undefined },
      patch: [{ op: 'remove', path: '/a' }],
      reason: 'a member that becomes undefined goes',
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

describe('a merge patch', () => {
  test.each([
    { target: { a: 1, b: 2 }, patch: { a: null, c: 3 }, merged: { b: 2, c: 3 }, reason: 'null removes' },
    {
      target: { a: { b: 1 } },
      patch: { a: { c: 2 } },
      merged: { a: { b: 1, c: 2 } },
      reason: 'objects merge',
    },
    { target: { a: [1, 2] }, patch: { a: [3] }, merged: { a: [3] }, reason: 'a list is replaced' },
    {
      target: { a: 1 },
      patch: { a: undefined },
      merged: { a: 1 },
      reason: 'an undefined member changes nothing',
    },
    { target: 'x', patch: { a: { b: null } }, merged: { a: {} }, reason: 'an object replaces what is none' },
  ])('$reason', ({ target, patch, merged }) => {
    expect(mergePatch(target, patch)).toEqual(merged);
  });

  test('shares no list with what it made', () => {
    const patch = { a: [1] };
    const merged = mergePatch({}, patch) as typeof patch;
    merged.a.push(2);
    expect(patch).toEqual({ a: [1] });
  });
});

test.each([
  { before: { a: 1, b: 2 }, after: { a: 1, b: 3, c: 4 }, changed: { b: 3, c: 4 } },
  { before: { a: { b: 1, c: 2 } }, after: { a: { b: 1, c: 3 } }, changed: { a: { c: 3 } } },
  { before: { a: [1, 2] }, after: { a: [1] }, changed: { a: [1] } },
  { before: { a: 1 }, after: {}, changed: {} },
  { before: { a: 1 }, after: { a: undefined }, changed: {} },
  { before: undefined, after: { a: 1 }, changed: { a: 1 } },
])('of $after only $changed differs from $before', ({ before, after, changed }) => {
  expect(changedFields(before, after)).toStrictEqual(changed);
});
