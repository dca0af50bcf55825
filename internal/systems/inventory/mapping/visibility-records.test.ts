import { expect, test } from '@jest/globals';
import type { KubeObject } from '../../../framework/kube/object/object.ts';
import {
  annotationSeenBy,
  createVisibilityRecords,
  hasVisibilityRecord,
  recordedVisibility,
} from './visibility-records.ts';

const resource = (): KubeObject => ({ apiVersion: 'v1', kind: 'Thing', metadata: { name: 'shop' } });
const anna = { viewer: 'anna', api: 'api' };
const bert = { viewer: 'bert', api: 'api' };

test('a record is of one viewer and one instance', () => {
  const visibility = createVisibilityRecords();
  const shop = resource();
  visibility.record(shop, anna, 'i');
  expect(visibility.has(shop, anna, 'i')).toBe(true);
  expect(visibility.has(shop, bert, 'i')).toBe(false);
  expect(visibility.has(shop, anna, 'i-2')).toBe(false);
});

test('only records on a resource are known to the next process', () => {
  const visibility = createVisibilityRecords();
  const shop = resource();
  visibility.record(shop, anna, 'i');
  visibility.note(bert, 'i');
  expect(visibility.has(resource(), bert, 'i')).toBe(true);
  const next = createVisibilityRecords();
  expect([next.has(shop, anna, 'i'), next.has(shop, bert, 'i')]).toEqual([true, false]);
});

test('the record on the resource is of the current credentials', () => {
  const visibility = createVisibilityRecords();
  const shop = resource();
  visibility.record(shop, anna, 'i');
  visibility.record(shop, bert, 'i');
  expect(shop.metadata.annotations).toEqual({ [annotationSeenBy]: 'i/bert.api' });
  expect([
    hasVisibilityRecord(shop, 'i'),
    hasVisibilityRecord(shop, 'i-2'),
    hasVisibilityRecord(resource(), 'i'),
  ]).toEqual([true, false, false]);
});

test('a record on the resource does not count as a record in memory, since its author can forge it', () => {
  const shop = resource();
  createVisibilityRecords().record(shop, anna, 'i');
  const next = createVisibilityRecords();
  expect([next.has(shop, anna, 'i'), next.hasHere(anna, 'i')]).toEqual([true, false]);
  next.note(anna, 'i');
  expect(next.hasHere(anna, 'i')).toBe(true);
});

test('a record of release 0.1.0 is kept while the same viewer sees the instance', () => {
  const shop = resource();
  shop.metadata.annotations = { [annotationSeenBy]: 'i/anna' };
  const visibility = createVisibilityRecords();
  expect(visibility.has(shop, anna, 'i')).toBe(true);
  visibility.record(shop, anna, 'i');
  expect(shop.metadata.annotations).toEqual({ [annotationSeenBy]: 'i/anna' });
  visibility.record(shop, bert, 'i');
  expect(shop.metadata.annotations).toEqual({ [annotationSeenBy]: 'i/bert.api' });
});

test.each([
  { text: 'i/anna.api', recorded: { serviceInstanceID: 'i', viewer: 'anna', api: 'api' } },
  { text: 'a/b/anna.api', recorded: { serviceInstanceID: 'a/b', viewer: 'anna', api: 'api' } },
  // As release 0.1.0 stored it.
  { text: 'i/anna', recorded: { serviceInstanceID: 'i', viewer: 'anna' } },
  { text: 'i/', recorded: undefined },
  { text: '/anna', recorded: undefined },
  { text: 'i', recorded: undefined },
])('parses the record $text', ({ text, recorded }) => {
  const shop = resource();
  shop.metadata.annotations = { [annotationSeenBy]: text };
  expect(recordedVisibility(shop)).toEqual(recorded);
});
