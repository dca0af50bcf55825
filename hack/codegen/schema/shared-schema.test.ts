import { describe, expect, test } from '@jest/globals';
import { readSource } from '../source/read-source.ts';
import { samplePath, sampleSource } from '../source/sample-source.ts';
import type { Schema } from '../source/source.ts';
import { objectSchema } from './object-schema.ts';
import { sharedSchema } from './shared-schema.ts';

/** The schema of `spec.forProvider.region`, as both forms share it, and whether it is required. */
function shared(namespaced: string): {
  region: Schema | undefined;
  isRequired: boolean;
  spec: Schema | undefined;
} {
  const text = sampleSource((raw) =>
    raw.replace('.region }', '.public }').replace('type: string\n', `type: string\n      ${namespaced}\n`),
  );
  const [source] = readSource(samplePath, text);
  const forms = source?.forms.map((form) => ({ form, schema: objectSchema(source, form) })) ?? [];
  const { spec } = sharedSchema(forms).properties ?? {};
  const forProvider = spec?.properties?.forProvider;
  const isRequired = forProvider?.required?.includes('region') === true;
  return { region: forProvider?.properties?.region, isRequired, spec };
}

describe('one schema for both forms', () => {
  test('requires what both require', () => {
    expect(shared('minLength: 1')).toMatchObject({
      region: { description: 'Where it is.' },
      isRequired: true,
    });
  });

  test.each([
    {
      reason: 'a field of one form is optional, and says so',
      namespaced: '$namespaced: absent',
      description: 'Where it is. Cluster-scoped form only.',
    },
    {
      reason: 'a field that one form requires is optional',
      namespaced: '$namespaced: { optional: true }',
      description: 'Where it is.',
    },
    {
      reason: 'what the other description adds is stated once',
      namespaced: '$namespaced: { optional: true, description: Where it is. Default is eu. }',
      description: 'Where it is.\n\nNamespaced form: Default is eu.',
    },
    {
      reason: 'another description stands beside the first',
      namespaced: '$namespaced: { optional: true, description: Ignored. }',
      description: 'Where it is.\n\nNamespaced form: Ignored.',
    },
  ])('$reason', ({ namespaced, description }) => {
    expect(shared(namespaced)).toMatchObject({ region: { description }, isRequired: false });
  });

  test('has the fields of either form, and a default that both have', () => {
    const { spec } = shared('minLength: 1');
    expect(Object.keys(spec?.properties?.providerConfigRef?.properties ?? {})).toEqual([
      'name',
      'policy',
      'kind',
    ]);
    expect(spec?.properties?.providerConfigRef).not.toHaveProperty('default');
    expect(spec?.properties?.managementPolicies).toHaveProperty('default', ['*']);
    expect(spec?.properties?.deletionPolicy?.description).toMatch(/Cluster-scoped form only\.$/);
  });
});
