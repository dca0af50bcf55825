import { expect, test } from '@jest/globals';
import { shardLabelsOf, withShardLabels } from './shard-ownership.ts';

const object = (labels?: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', ...(labels === undefined ? {} : { labels }) },
});
const labels = { shard: 'a', team: 'shop', 'example.org/of': 'x' };

test.each([
  { selector: '', want: {} },
  { selector: 'shard=a', want: { shard: 'a' } },
  { selector: 'shard==a', want: { shard: 'a' } },
  { selector: 'shard != b', want: { shard: 'a' } },
  { selector: 'shard in (a, b),team=shop', want: { shard: 'a', team: 'shop' } },
  { selector: 'shard notin (b,c), !old', want: { shard: 'a', old: undefined } },
  { selector: 'example.org/of,size>1', want: { 'example.org/of': 'x', size: undefined } },
])('the labels of the selector "$selector" are $want', ({ selector, want }) => {
  // Strict: a label that there must not be is known, and undefined.
  expect(shardLabelsOf(object(labels), selector)).toStrictEqual(want);
});

test('an object without labels has none of them', () => {
  expect(shardLabelsOf(object(), 'shard notin (a)')).toStrictEqual({ shard: undefined });
});

test('another object gets them beside its own, and loses those that it must not have', () => {
  expect(withShardLabels({ own: '1', shard: 'b', old: 'x' }, { shard: 'a', old: undefined })).toEqual({
    own: '1',
    shard: 'a',
  });
});
