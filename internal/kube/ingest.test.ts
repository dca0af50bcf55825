import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { createTextPool, dropManagedFields, poolAndFreeze } from './ingest.ts';
import type { KubeObject } from './object.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** As the API server sends it. */
const textOf = (index: number) =>
  JSON.stringify({
    apiVersion: 'example.org/v1',
    kind: 'SomethingWithALongName',
    metadata: {
      name: `sample-${index}`,
      uid: `00000000-0000-0000-0000-${String(index).padStart(12, '0')}`,
      labels: { 'example.org/team': 'the-team-that-has-all-of-them' },
      managedFields: [{ manager: 'kubectl', operation: 'Update', fieldsV1: { 'f:spec': {} } }],
      finalizers: ['finalizer.managedresource.crossplane.io'],
    },
    status: {
      conditions: ['Ready', 'Synced'].map((type) => ({
        type,
        status: 'True',
        reason: 'ReconcileSuccess',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      })),
    },
  });

/** Of heap for each object that is kept, in bytes. */
function bytesEach(keep: (object: KubeObject) => KubeObject): number {
  const COUNT = 5000;
  collect();
  const before = process.memoryUsage().heapUsed;
  const kept = Array.from({ length: COUNT }, (_, index) => keep(JSON.parse(textOf(index))));
  collect();
  const bytes = (process.memoryUsage().heapUsed - before) / kept.length;
  expect(kept).toHaveLength(COUNT);
  return bytes;
}

test('objects take their texts from the pool, are frozen, and stay what they were', () => {
  const pool = createTextPool();
  for (let index = 0; index < 3; index++) {
    const object = poolAndFreeze(JSON.parse(textOf(index)), pool);
    expect(object).toEqual(JSON.parse(textOf(index)));
    expect(Object.isFrozen(object.status.conditions[0])).toBe(true);
  }
});

test('the pool returns equal texts, however many and long they are', () => {
  const pool = createTextPool();
  for (let index = 0; index < 20_000; index++) {
    for (const text of [`text ${index}`, 'common', 'x'.repeat(100)]) expect(pool(text)).toBe(text);
  }
});

test('what objects have in common is in memory once', () => {
  const pool = createTextPool();
  const own = bytesEach((object) => object);
  const pooled = bytesEach((object) => poolAndFreeze(object, pool));
  expect(pooled).toBeLessThan(0.8 * own);
});

test('an object without its managed fields takes less memory than with them', () => {
  const whole = bytesEach((object) => object);
  const trimmed = bytesEach(dropManagedFields);
  expect(trimmed).toBeLessThan(0.85 * whole);
});
