import { describe, expect, test } from '@jest/globals';
import type { ConfigMap } from '../../kube/object/object.ts';
import {
  availabilityOf,
  type Crd,
  type CrdVersion,
  gvkOf,
  isEstablished,
  trimCrd,
  versionsOf,
} from './crd-watch.ts';

const version = (name: string, served = true): CrdVersion => ({
  name,
  served,
  schema: { openAPIV3Schema: { type: 'object' } },
});
const crd = (versions: CrdVersion[], conditions: { type: string; status: string }[] = []): Crd => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'buckets.example.org' },
  spec: { group: 'example.org', names: { kind: 'Bucket' }, versions },
  status: { conditions },
});
const established = [{ type: 'Established', status: 'True' }];
const bucket = (name: string) => `example.org/${name}, Kind=Bucket`;

test('a kind has one name, wherever it comes from', () => {
  expect(gvkOf({ group: 'example.org', version: 'v1', kind: 'Bucket' })).toBe(bucket('v1'));
  expect([...versionsOf(crd([version('v1')])).keys()]).toEqual([bucket('v1')]);
});

describe('versions of a CRD', () => {
  test.each([
    { title: '[141] a single version', versions: [version('v1')], want: { v1: true } },
    {
      title: '[142] several versions, each served or not',
      versions: [version('v1'), version('v1beta1', false), version('v2')],
      want: { v1: true, v1beta1: false, v2: true },
    },
    { title: '[143] no version', versions: [], want: {} },
  ])('$title', ({ versions, want }) => {
    const expected = Object.entries(want).map(([name, served]) => [bucket(name), served]);
    expect([...versionsOf(crd(versions))]).toEqual(expected);
  });
});

describe('established', () => {
  test.each([
    { title: '[144] Established is True', conditions: established, want: true },
    {
      title: '[145] Established is False',
      conditions: [{ type: 'Established', status: 'False' }],
      want: false,
    },
    {
      title: '[146] Established is Unknown',
      conditions: [{ type: 'Established', status: 'Unknown' }],
      want: false,
    },
    {
      title: '[147] other conditions only',
      conditions: [{ type: 'NamesAccepted', status: 'True' }],
      want: false,
    },
    { title: '[148] no condition', conditions: [], want: false },
    {
      title: '[149] Established among several',
      conditions: [
        { type: 'NamesAccepted', status: 'False' },
        ...established,
        { type: 'Other', status: 'False' },
      ],
      want: true,
    },
  ])('$title', ({ conditions, want }) => {
    expect(isEstablished(crd([version('v1')], conditions))).toBe(want);
  });

  test('a new CRD has no status', () => {
    const { status: _, ...fresh } = crd([version('v1')]);
    expect(isEstablished(fresh)).toBe(false);
  });
});

describe('what can be done with a kind', () => {
  const all = (versions: CrdVersion[], conditions = established, metadata: Partial<Crd['metadata']> = {}) => {
    const whole = crd(versions, conditions);
    return Object.fromEntries(availabilityOf({ ...whole, metadata: { ...whole.metadata, ...metadata } }));
  };

  test('[150] established: every served version is there', () => {
    expect(all([version('v1'), version('v2')])).toEqual({
      [bucket('v1')]: 'served',
      [bucket('v2')]: 'served',
    });
  });

  test('[151] not established: no version is', () => {
    expect(all([version('v1'), version('v2')], [])).toEqual({
      [bucket('v1')]: 'absent',
      [bucket('v2')]: 'absent',
    });
  });

  test('[152] terminating: no version will stay', () => {
    const metadata = { deletionTimestamp: '2024-01-01T00:00:00Z' };
    expect(all([version('v1'), version('v2', false)], established, metadata)).toEqual({
      [bucket('v1')]: 'terminating',
      [bucket('v2')]: 'absent',
    });
  });

  test('[153] some versions served: only these are there', () => {
    expect(all([version('v1', false), version('v2')])).toEqual({
      [bucket('v1')]: 'absent',
      [bucket('v2')]: 'served',
    });
  });

  test('[154] no versions: nothing is', () => {
    expect(all([])).toEqual({});
  });
});

describe('what is kept of a CRD', () => {
  const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
  const large = (versions: CrdVersion[], annotations?: Record<string, string>): Crd => {
    const whole = crd(versions, established);
    const metadata = { ...whole.metadata, managedFields: [{}], ...(annotations ? { annotations } : {}) };
    return { ...whole, metadata };
  };
  const slim = (versions: readonly CrdVersion[]) => versions.map(({ name, served }) => ({ name, served }));

  test('[155] the schema, managedFields and the last applied manifest are dropped', () => {
    const trimmed = trimCrd(large([version('v1')], { [lastApplied]: '{}' }));
    expect(trimmed).toEqual({
      ...crd([{ name: 'v1', served: true }], established),
      metadata: { name: 'buckets.example.org', annotations: {} },
    });
  });

  test('[156] several versions: all schemas are', () => {
    const versions = [version('v1'), version('v2', false)];
    expect(trimCrd(large(versions)).spec.versions).toEqual(slim([version('v1'), version('v2', false)]));
  });

  test('[157] no versions: nothing breaks', () => {
    expect(trimCrd(large([])).spec.versions).toEqual([]);
    const { versions: _, ...spec } = large([]).spec;
    expect(trimCrd({ ...large([]), spec }).spec).toEqual(spec);
  });

  test('[158] no annotations: none are made', () => {
    expect(trimCrd(large([version('v1')])).metadata).toEqual({ name: 'buckets.example.org' });
  });

  test('[159] other annotations stay', () => {
    const { metadata } = trimCrd(large([version('v1')], { [lastApplied]: '{}', mine: 'yes' }));
    expect(metadata.annotations).toEqual({ mine: 'yes' });
  });

  test('[160] what is no CRD stays as it is', () => {
    const object: ConfigMap = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'b', managedFields: [{}], annotations: { [lastApplied]: '{}' } },
      data: { x: '1' },
    };
    expect(trimCrd(object)).toBe(object);
    expect(object.metadata.managedFields).toEqual([{}]);
    expect(object.metadata.annotations).toEqual({ [lastApplied]: '{}' });
  });
});
