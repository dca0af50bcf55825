import { describe, expect, test } from '@jest/globals';
import { onlySource, samplePath, sampleSource } from '../source/sample-source.ts';
import type { Form } from '../source/source.ts';
import { kindTypes, typesModule } from './kind-types.ts';

function types(edit?: (text: string) => string, ...scopes: Form['scope'][]): string {
  const source = onlySource(samplePath, sampleSource(edit));
  return kindTypes(
    source,
    source.forms.filter(({ scope }) => scopes.length === 0 || scopes.includes(scope)),
  );
}

describe('kindTypes', () => {
  test('leaves a field with a default optional, because objects that were never stored lack it', () => {
    const text = types();
    expect(text).toContain('public?: boolean;');
    expect(text).toContain('region: string;');
  });

  test('imports nothing but the type of metadata', () => {
    const text = typesModule('provider-kyma/kube', [types()]);
    expect(text.match(/^import .*$/gm)).toEqual(['import type { ObjectMeta } from "provider-kyma/kube";']);
  });

  test('requires a namespace where the kind has one, and refuses it where it has none', () => {
    expect(types(undefined, 'Namespaced')).toContain('metadata: ObjectMeta & { namespace: string };');
    expect(types(undefined, 'Cluster')).toContain('metadata: ObjectMeta & { namespace?: never };');
    expect(types()).toContain('metadata: ObjectMeta;');
  });

  test('has one type for both scopes, with a resource type for each', () => {
    const text = types();
    expect(text.match(/^export (const|interface|type|function) \w+/gm)).toEqual([
      'export const buckets',
      'export const namespacedBuckets',
      'export const bucketTypes',
      'export interface Bucket',
      'export type BucketSpec',
      'export type BucketStatus',
      'export type BucketParameters',
      'export type BucketObservation',
      'export function isBucket',
      'export function bucket',
    ]);
    expect(text.match(/readonly objectType\?: Bucket;/g)).toHaveLength(2);
    expect(text).toContain('metadata.namespace === undefined ? buckets : namespacedBuckets');
  });

  test('narrows the status of a condition to the three that exist', () => {
    expect(types()).toContain('status: "True" | "False" | "Unknown";');
  });

  test.each([
    {
      reason: 'the capitals of the kind are kept',
      kind: 'BucketSet',
      plural: 'bucketsets',
      name: 'bucketSets',
    },
    {
      reason: 'the plural may change the end',
      kind: 'BucketPolicy',
      plural: 'bucketpolicies',
      name: 'bucketPolicies',
    },
  ])('names the constant $name after the plural: $reason', ({ kind, plural, name }) => {
    const path = samplePath.replace('bucket', kind.toLowerCase());
    const text = sampleSource((raw) =>
      raw.replace('Bucket\n', `${kind}\n`).replace('plural: buckets', `plural: ${plural}`),
    );
    const source = onlySource(path, text);
    const module = kindTypes(source, source.forms);
    expect(module).toContain(`export const ${name}: {`);
    expect(module).toContain(`readonly objectType?: ${kind};`);
  });

  test.each([
    {
      reason: 'all content is kept',
      schema: 'type: object\n      x-kubernetes-preserve-unknown-fields: true',
      type: '{\n            [key: string]: unknown;\n        }',
    },
    {
      reason: 'the API server takes both',
      schema: 'x-kubernetes-int-or-string: true',
      type: 'number | string',
    },
  ])('has a type where the schema is open: $reason', ({ schema, type }) => {
    const text = types((raw) => raw.replace('type: boolean\n      default: false', schema));
    expect(text).toContain(`public?: ${type};`);
  });

  test('shows descriptions as comments that no description can end early', () => {
    expect(types((text) => text.replace('Where it is.', 'Where it is, eu/*/1.'))).toContain(
      '/** Where it is, eu/*\\/1. */',
    );
  });
});
