import { describe, expect, test } from '@jest/globals';
import { onlySource, samplePath, sampleSource } from '../source/sample-source.ts';
import type { Form, Source } from '../source/source.ts';
import { kindTypes } from './kind-types.ts';

function sample(edit?: (text: string) => string): { source: Source; cluster: Form; namespaced: Form } {
  const source = onlySource(samplePath, sampleSource(edit));
  const [cluster, namespaced] = source.forms;
  if (cluster === undefined || namespaced === undefined) throw new Error('the sample has two forms');
  return { source, cluster, namespaced };
}

describe('kindTypes', () => {
  test('leaves a field with a default optional, because objects that were never stored lack it', async () => {
    const { source, cluster } = sample();
    const text = await kindTypes(source, cluster);
    expect(text).toContain('public?: boolean;');
    expect(text).toContain('region: string;');
  });

  test('has no imports', async () => {
    const { source, cluster } = sample();
    expect(await kindTypes(source, cluster)).not.toMatch(/\bimport\b/);
  });

  test('requires a namespace where the kind has one, and only there', async () => {
    const { source, cluster, namespaced } = sample();
    expect(await kindTypes(source, namespaced)).toContain('    name: string;\n    namespace: string;\n');
    expect(await kindTypes(source, cluster)).not.toContain('    name: string;\n    namespace');
  });

  test('narrows the status of a condition to the three that exist', async () => {
    const { source, cluster } = sample();
    expect(await kindTypes(source, cluster)).toContain('status: "True" | "False" | "Unknown";');
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
  ])('names the constant $name after the plural: $reason', async ({ kind, plural, name }) => {
    const path = samplePath.replace('bucket', kind.toLowerCase());
    const text = sampleSource((raw) =>
      raw.replace('Bucket\n', `${kind}\n`).replace('plural: buckets', `plural: ${plural}`),
    );
    const source = onlySource(path, text);
    const [form] = source.forms;
    if (form === undefined) throw new Error('no form');
    const types = await kindTypes(source, form);
    expect(types).toContain(`export const ${name}: {`);
    expect(types).toContain(`readonly objectType?: ${kind};`);
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
  ])('has a type where the schema is open: $reason', async ({ schema, type }) => {
    const { source, cluster } = sample((text) => text.replace('type: boolean\n      default: false', schema));
    expect(await kindTypes(source, cluster)).toContain(`public?: ${type};`);
  });

  test('shows descriptions as comments that no description can end early', async () => {
    const { source, cluster } = sample((text) => text.replace('Where it is.', 'Where it is, eu/*/1.'));
    expect(await kindTypes(source, cluster)).toContain('/** Where it is, eu/*\\/1. */');
  });
});
