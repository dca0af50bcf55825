import { expect, test } from '@jest/globals';
import type { KubeObject } from '../../../kube/object.ts';
import { annotationSeenBy, createSightings, wasEverSeen } from './sightings.ts';

const resource = (): KubeObject => ({ apiVersion: 'v1', kind: 'Thing', metadata: { name: 'shop' } });
const anna = { viewer: 'anna' };
const bert = { viewer: 'bert' };

test('what one viewer saw says nothing of another viewer or another instance', () => {
  const sightings = createSightings();
  const shop = resource();
  sightings.record(shop, anna, 'i');
  expect(sightings.has(shop, anna, 'i')).toBe(true);
  expect(sightings.has(shop, bert, 'i')).toBe(false);
  expect(sightings.has(shop, anna, 'i-2')).toBe(false);
});

test('what is on record is known to the next process; what is not is known to this one alone', () => {
  const sightings = createSightings();
  const shop = resource();
  sightings.record(shop, anna, 'i');
  sightings.note(bert, 'i');
  expect(sightings.has(resource(), bert, 'i')).toBe(true);
  const next = createSightings();
  expect([next.has(shop, anna, 'i'), next.has(shop, bert, 'i')]).toEqual([true, false]);
});

test('the record follows the credentials in use', () => {
  const sightings = createSightings();
  const shop = resource();
  sightings.record(shop, anna, 'i');
  sightings.record(shop, bert, 'i');
  expect(shop.metadata.annotations).toEqual({ [annotationSeenBy]: 'i/bert' });
  expect([wasEverSeen(shop, 'i'), wasEverSeen(shop, 'i-2'), wasEverSeen(resource(), 'i')]).toEqual([
    true,
    false,
    false,
  ]);
});
