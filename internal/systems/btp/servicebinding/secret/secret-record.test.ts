import { expect, test } from '@jest/globals';
import type { Secret } from '../../../../framework/kube/index.ts';
import { secretVersionOf } from '../../secret-version.ts';
import { hasContent, recordOf } from './secret-record.ts';

const secret: Secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: 'orders-secret',
    uid: 'uid-1',
    resourceVersion: '7',
    labels: { managed: 'true' },
    annotations: { binding: 'orders-db' },
  },
  type: 'Opaque',
  data: { password: 'aHVudGVyMg==' },
};
const content = { labels: { managed: 'true' }, annotations: { binding: 'orders-db' } };
const withMetadata = (metadata: Partial<Secret['metadata']>): Secret => ({
  ...secret,
  metadata: { ...secret.metadata, ...metadata },
});

test('the version differs for each change, and for a Secret of the same name', () => {
  expect(secretVersionOf(secret)).toBe('uid-1/7');
  expect(secretVersionOf(withMetadata({ resourceVersion: '8' }))).not.toBe(secretVersionOf(secret));
  expect(secretVersionOf(withMetadata({ uid: 'uid-2' }))).not.toBe(secretVersionOf(secret));
});

test('the record has the version and names, no credentials', () => {
  const record = recordOf(secret, content);
  expect(record).toEqual({
    version: 'uid-1/7',
    fingerprint: expect.any(String),
    labels: ['managed'],
    annotations: ['binding'],
  });
  expect(JSON.stringify(record)).not.toContain('aHVudGVyMg');
});

test.each([
  { change: 'nothing', changed: secret },
  { change: 'the version', changed: withMetadata({ resourceVersion: '8' }) },
  { change: 'a label of others', changed: withMetadata({ labels: { managed: 'true', team: 'shop' } }) },
  {
    change: 'an annotation of others',
    changed: withMetadata({ annotations: { binding: 'orders-db', seen: 'x' } }),
  },
  { change: 'immutable, which is false as if it were absent', changed: { ...secret, immutable: false } },
])('the Secret has its content after a change of $change', ({ changed }) => {
  expect(hasContent(changed, recordOf(secret, content))).toBe(true);
});

test.each([
  { change: 'a value', changed: { ...secret, data: { password: 'eA==' } } },
  { change: 'all data', changed: { ...secret, data: undefined } },
  { change: 'the type', changed: { ...secret, type: 'example.com/custom' } },
  { change: 'immutable', changed: { ...secret, immutable: true } },
  { change: 'the value of an own label', changed: withMetadata({ labels: { managed: 'false' } }) },
  { change: 'an own label, removed', changed: withMetadata({ labels: {} }) },
  { change: 'an own label, emptied', changed: withMetadata({ labels: { managed: '' } }) },
  { change: 'an own annotation, removed', changed: withMetadata({ annotations: {} }) },
])('a change of the content is noticed: $change', ({ changed }) => {
  const { data, ...rest } = changed;
  expect(hasContent(data === undefined ? rest : { ...rest, data }, recordOf(secret, content))).toBe(false);
});
