import { expect, test } from '@jest/globals';
import { listOf } from './manifests.ts';

test('objects are one JSON document, which every kubectl reads', () => {
  const objects = [{ kind: 'Namespace' }, { kind: 'ConfigMap' }];
  expect(JSON.parse(listOf(objects))).toEqual({ apiVersion: 'v1', kind: 'List', items: objects });
});
