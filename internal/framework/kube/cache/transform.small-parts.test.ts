import { describe, expect, test } from '@jest/globals';
import { jsonSize } from '../../base/json/json-value.ts';
import type { KubeObject } from '../object/object.ts';
import { isHeavy, isPartial, keepSmallMetadata, keepSmallParts } from './transform.ts';

/** As `docs/security.md` says. */
const KEPT_OBJECT = 40 * 1024;

const keep = keepSmallParts('own.example.org/');

interface Sample extends KubeObject {
  spec: { size?: string; parameters?: object; tags?: string[] };
  status?: { conditions?: object[]; id?: string; tags?: string[] };
}

const conditions = Array.from({ length: 5 }, () => ({ type: 'Ready', message: 'x'.repeat(1024) }));

function sample({ spec, status, metadata }: Partial<Sample> = {}): Sample {
  return {
    apiVersion: 'example.org/v1',
    kind: 'Sample',
    metadata: {
      name: 'a',
      namespace: 'n',
      uid: 'u',
      generation: 2,
      resourceVersion: '7',
      finalizers: ['own.example.org/keep'],
      ...metadata,
    },
    spec: { size: 'S', ...spec },
    status: { conditions, id: '1', ...status },
  };
}

const marks = (count: number, length: number, prefix = 'example.com') =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix}/${n}`, 'x'.repeat(length)]));
const parameters = { text: 'x'.repeat(1_000_000) };

test('a small object is kept, but for its managed fields', () => {
  const object = sample({ spec: { parameters: { a: 1 } } });
  const kept = keep({ ...object, metadata: { ...object.metadata, managedFields: [{ manager: 'kubectl' }] } });
  expect(kept).toEqual(object);
  expect(isPartial(kept)).toBe(false);
});

test('a large object has what selects it, small fields and conditions, with the types of the others', () => {
  const labels = { 'own.example.org/mark': 'yes'.padEnd(60, 's'), ...marks(200, 20) };
  const tags = Array.from({ length: 2000 }, () => 'tag');
  const kept = keep(
    sample({ metadata: { name: 'a', labels }, spec: { parameters, tags }, status: { tags } }),
  );
  expect(kept).toMatchObject({
    metadata: { uid: 'u', generation: 2, resourceVersion: '7', finalizers: ['own.example.org/keep'] },
    spec: { size: 'S', parameters: {}, tags: [] },
    status: { conditions, id: '1', tags: [] },
  });
  expect(kept.metadata.labels).toMatchObject({ 'own.example.org/mark': labels['own.example.org/mark'] });
  expect(Object.keys(kept.metadata.labels ?? {}).length).toBeLessThan(200);
  expect(isPartial(kept)).toBe(true);
});

describe('whatever its author writes, an object in memory has at most 40 KiB', () => {
  test.each<[string, Partial<Sample>]>([
    ['parameters', { spec: { parameters } }],
    ['a text', { spec: { size: 'x'.repeat(1_000_000) } }],
    ['many items', { spec: { tags: Array.from({ length: 100_000 }, () => 'x') } }],
    ['annotations', { metadata: { name: 'a', annotations: marks(1, 250_000) } }],
    ['many own annotations', { metadata: { name: 'a', annotations: marks(20_000, 1, 'own.example.org') } }],
    ['many labels', { metadata: { name: 'a', labels: marks(20_000, 60, 'own.example.org') } }],
    ['finalizers', { metadata: { name: 'a', finalizers: Object.keys(marks(20_000, 1)) } }],
    ['conditions', { status: { conditions: Array.from({ length: 1000 }, () => conditions[0] ?? {}) } }],
  ])('%s', (_, given) => {
    expect(jsonSize(sample(given), 100_000)).toBe(100_000);
    expect(jsonSize(keep(sample(given)), 100_000)).toBeLessThan(KEPT_OBJECT);
  });
});

test('any change of labels, annotations and finalizers is a change of what is kept', () => {
  const annotations = { ...marks(1, 100_000), note: 'a' };
  const kept = (metadata: Partial<KubeObject['metadata']>) =>
    JSON.stringify(keep(sample({ metadata: { name: 'a', annotations, ...metadata } })));
  const changes = [
    kept({}),
    kept({ annotations: { ...annotations, note: 'b' } }),
    kept({ labels: { team: 'a' } }),
    kept({ finalizers: ['example.com/keep'] }),
    // Too many to be kept themselves.
    kept({ finalizers: Object.keys(marks(20_000, 1)) }),
    kept({ finalizers: Object.keys(marks(19_999, 1)) }),
  ];
  expect(new Set(changes).size).toBe(changes.length);
  expect(kept({})).toBe(changes[0]);
});

describe('of a kind whose schema bounds spec and status', () => {
  const keepMetadata = keepSmallMetadata('own.example.org/');

  test('both are whole, and only large metadata is reduced', () => {
    const spec = { parameters };
    expect(keepMetadata(sample({ spec }))).toEqual(sample({ spec }));
    const annotations = { 'own.example.org/mark': 'yes', note: 'small', ...marks(1, 250_000) };
    const kept = keepMetadata(sample({ spec, metadata: { name: 'a', annotations } }));
    expect([isPartial(kept), kept.spec, kept.status]).toEqual([
      true,
      { size: 'S', ...spec },
      sample().status,
    ]);
    expect(kept.metadata.annotations).toMatchObject({ 'own.example.org/mark': 'yes', note: 'small' });
    expect(jsonSize(kept.metadata, 100_000)).toBeLessThan(16 * 1024);
  });
});

describe('an object of 64 KiB is heavy, whatever is kept of it', () => {
  const sized = (length: number) => sample({ metadata: { name: 'a', annotations: marks(1, length) } });
  test.each<[string, (object: Sample) => Sample]>([
    ['as it is', (object) => object],
    ['small parts', keep],
    ['small metadata', keepSmallMetadata('own.example.org/')],
  ])('%s', (_, transform) => {
    const sizes = [1, 20_000, 50_000, 66_000, 250_000];
    expect(sizes.map((size) => isHeavy(transform(sized(size))))).toEqual([false, false, false, true, true]);
  });
});
