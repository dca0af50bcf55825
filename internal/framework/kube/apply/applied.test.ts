import { expect, test } from '@jest/globals';
import type { KubeObject } from '../object/object.ts';
import { annotationLastApplied, applied } from './applied.ts';

interface Thing extends KubeObject {
  spec: Record<string, unknown>;
  status?: unknown;
}

const thing = (
  spec: Record<string, unknown>,
  annotations: Record<string, string> = {},
  status?: unknown,
): Thing => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name: 'a', annotations },
  spec,
  ...(status === undefined ? {} : { status }),
});

test('what the manifest has goes over what is there; fields of others, and the status, stay', () => {
  const live = thing({ a: 1, byOthers: true, deep: { x: 1, y: 2 } }, { theirs: '1' }, { ready: true });
  expect(applied(thing({ a: 2, deep: { x: 3 } }, { ours: '2' }, { ready: false }), live)).toEqual(
    thing({ a: 2, byOthers: true, deep: { x: 3, y: 2 } }, { theirs: '1', ours: '2' }, { ready: true }),
  );
});

test('what the manifest had when it was last applied, and has no more, goes', () => {
  const last = thing({ a: 1, gone: 1, deep: { x: 1, status: 1 } }, { gone: '1' }, { ready: false });
  const live = thing(
    { a: 1, gone: 1, byOthers: true, deep: { x: 1, status: 1 } },
    { gone: '1', [annotationLastApplied]: JSON.stringify(last) },
    { ready: true },
  );
  const result = applied(thing({ a: 1, deep: { x: 1 } }), live);
  expect(result.spec).toEqual({ a: 1, byOthers: true, deep: { x: 1 } });
  // No manifest sets or removes the status.
  expect(result.status).toEqual({ ready: true });
  expect(Object.keys(result.metadata.annotations ?? {})).toEqual([annotationLastApplied]);
});

test('lists count as a whole', () => {
  expect(applied(thing({ list: ['b'] }), thing({ list: ['a', 'b'] })).spec).toEqual({ list: ['b'] });
});

test('an invalid last-applied annotation counts as none', () => {
  const live = thing({ a: 1 }, { [annotationLastApplied]: '{' });
  expect(applied(thing({ b: 2 }), live).spec).toEqual({ a: 1, b: 2 });
});
