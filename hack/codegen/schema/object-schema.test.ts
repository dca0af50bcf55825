import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { repository } from '../generate.ts';
import { generateKinds } from '../generate-kinds.ts';
import { onlySource, samplePath, sampleSource } from '../source/sample-source.ts';
import type { Form, Schema, Source } from '../source/source.ts';
import { objectSchema } from './object-schema.ts';
import { withReferences } from './reference-fields.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const kinds = await generateKinds(repository(root), () => undefined);

function both(kind: string): { cluster: Schema; namespaced: Schema } {
  const source = kinds.find(({ stored }) => stored.kind === kind)?.stored;
  if (source === undefined) throw new Error(`there is no ${kind}`);
  return { cluster: schemaOf(source, 'Cluster'), namespaced: schemaOf(source, 'Namespaced') };
}

function schemaOf(source: Source, scope: 'Cluster' | 'Namespaced'): Schema {
  const form = source.forms.find((candidate) => candidate.scope === scope);
  if (form === undefined) throw new Error(`${source.file} has no form of scope ${scope}`);
  return objectSchema(source, form);
}

/** Paths at which two values differ, the outermost one where a value is missing. */
function differences(a: unknown, b: unknown, path = ''): string[] {
  if (JSON.stringify(a) === JSON.stringify(b)) return [];
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return [path];
  if (Array.isArray(a) || Array.isArray(b)) return [path];
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].flatMap((key) =>
    differences((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key], `${path}/${key}`),
  );
}

const betweenGenerations = [
  '/properties/spec/properties/deletionPolicy',
  '/properties/spec/properties/providerConfigRef/default/kind',
  '/properties/spec/properties/providerConfigRef/description',
  '/properties/spec/properties/providerConfigRef/properties/kind',
  '/properties/spec/properties/providerConfigRef/properties/name/description',
  '/properties/spec/properties/providerConfigRef/properties/policy',
  '/properties/spec/properties/providerConfigRef/required',
  '/properties/spec/properties/publishConnectionDetailsTo',
  '/properties/spec/properties/writeConnectionSecretToRef/description',
  '/properties/spec/properties/writeConnectionSecretToRef/properties/namespace',
  '/properties/spec/properties/writeConnectionSecretToRef/required',
];

/** How the reference to a Secret differs. */
const ownSecret = ['/description', '/properties/namespace', '/required'];

const inForProvider = (field: string, at: readonly string[]) =>
  at.map((each) => `/properties/spec/properties/forProvider/properties/${field}${each}`);

describe('a field with $reference', () => {
  const region = '      $reference: Region\n';
  const text = sampleSource((sample) => sample.replace('      x-kubernetes', `${region}      x-kubernetes`));
  const source = onlySource(samplePath, text);
  const forProviderOf = (scope: 'Cluster' | 'Namespaced') =>
    schemaOf(source, scope).properties?.spec?.properties?.forProvider;

  test('is filled by a reference or a selector, and one of the three is required', () => {
    const schema = forProviderOf('Cluster');
    expect(schema?.required).toBeUndefined();
    expect(Object.keys(schema?.properties ?? {})).toEqual([
      'region',
      'regionRef',
      'regionSelector',
      'public',
    ]);
    expect(schema?.['x-kubernetes-validations']).toEqual([
      {
        rule: 'has(self.region) || has(self.regionRef) || has(self.regionSelector)',
        message: 'one of region, regionRef and regionSelector is required',
      },
    ]);
    expect(JSON.stringify(schema)).not.toContain('$reference');
  });

  test.each([
    [8, ['has(self.user_id) || has(self.userIdRef) || has(self.userIdSelector)']],
    // The API server refuses the whole CRD for a rule that may cost too much.
    [2_000_000, undefined],
  ])(
    'may be in a list of %d: each of its items has a reference, a selector and the rule',
    (maxItems, expected) => {
      const list = `
    rules:
      description: Who may do what.
      type: array
      maxItems: ${maxItems}
      items:
        type: object
        required: [user_id]
        properties:
          user_id: { description: The user., type: string, $reference: User }`;
      const { forProvider } = onlySource(
        samplePath,
        sampleSource((sample) => sample.replace('\natProvider', `${list}\natProvider`)),
      ) as Source & { forProvider: Schema };
      const rules = withReferences(forProvider, { scope: 'Cluster' } as Form).properties?.rules?.items;
      expect(Object.keys(rules?.properties ?? {})).toEqual(['user_id', 'userIdRef', 'userIdSelector']);
      expect([rules?.required, rules?.['x-kubernetes-validations']?.map(({ rule }) => rule)]).toEqual([
        undefined,
        expected,
      ]);
    },
  );

  test('can name another namespace in the namespaced form only', () => {
    const namesOf = (scope: 'Cluster' | 'Namespaced') =>
      ['regionRef', 'regionSelector'].map(
        (name) => 'namespace' in (forProviderOf(scope)?.properties?.[name]?.properties ?? {}),
      );
    expect([namesOf('Cluster'), namesOf('Namespaced')]).toEqual([
      [false, false],
      [true, true],
    ]);
  });
});

describe('the two forms of one source', () => {
  test.each([
    {
      reason: 'managed resources differ in what Crossplane changed between v1 and v2',
      kind: 'KymaInstanceMapping',
      expected: [
        ...betweenGenerations,
        // Secrets lie beside the resource; the other sources do unless a kubeconfig leads elsewhere.
        ...inForProvider('adminBindingRef', ['/properties/namespace/description', '/required']),
        ...inForProvider('clusterIdConfigMapRef', ['/properties/namespace/description', '/required']),
        ...inForProvider('credentialsSecretNamespace', ['']),
        ...inForProvider('kymaConnectionRef', ['/description']),
        ...inForProvider('kymaConnectionRef/properties/secretRef', ownSecret),
        ...inForProvider('serviceInstanceRef', ['/properties/namespace/description', '/required']),
        '/properties/status/properties/atProvider/properties/childResources',
      ],
    },
    {
      reason: 'every managed resource differs in the same places, and names Secrets of its own namespace',
      kind: 'InstanceMapping',
      expected: [...betweenGenerations, ...inForProvider('adminCredentialsSecretRef', ownSecret)],
    },
    {
      reason: 'a configuration names Secrets of its own namespace, if it has one',
      kind: 'ProviderConfig',
      expected: ownSecret.map(
        (at) => `/properties/spec/properties/credentials/properties/connectionSecretRef${at}`,
      ),
    },
    {
      reason: 'a modern usage names the kind of the configuration',
      kind: 'ProviderConfigUsage',
      expected: [
        '/properties/providerConfigRef/description',
        '/properties/providerConfigRef/properties/kind',
        '/properties/providerConfigRef/properties/name/description',
        '/properties/providerConfigRef/properties/policy',
        '/properties/providerConfigRef/required',
      ],
    },
  ])('differ only where they should: $reason', ({ kind, expected }) => {
    const { cluster, namespaced } = both(kind);
    expect(differences(cluster, namespaced).sort()).toEqual([...expected].sort());
  });

  test('have the standard fields of their scope', () => {
    const { cluster, namespaced } = both('KymaInstanceMapping');
    expect(Object.keys(cluster.properties?.spec?.properties ?? {})).toEqual([
      'forProvider',
      'managementPolicies',
      'deletionPolicy',
      'providerConfigRef',
      'writeConnectionSecretToRef',
      'publishConnectionDetailsTo',
    ]);
    expect(Object.keys(namespaced.properties?.spec?.properties ?? {})).toEqual([
      'forProvider',
      'managementPolicies',
      'providerConfigRef',
      'writeConnectionSecretToRef',
    ]);
    expect(namespaced.properties?.spec?.properties?.providerConfigRef?.default).toEqual({
      kind: 'ClusterProviderConfig',
      name: 'default',
    });
  });
});

describe('a field of the namespaced form', () => {
  const edit = (namespaced: string) =>
    onlySource(
      samplePath,
      sampleSource((sample) =>
        sample.replace(
          '      description: Where it is.\n',
          `      description: Where it is.\n      ${namespaced}\n`,
        ),
      ),
    );
  const regionOf = (source: Source, scope: 'Cluster' | 'Namespaced') => {
    const { required, properties } = schemaOf(source, scope).properties?.spec?.properties?.forProvider ?? {};
    return { required: required?.includes('region'), description: properties?.region?.description };
  };

  test('that is absent there is required nowhere but in the other form', () => {
    const source = edit('$namespaced: absent');
    // The sample shows it in a column, which then has nothing to show.
    expect(() => schemaOf(source, 'Namespaced')).toThrow('column REGION shows');
    expect(regionOf(source, 'Cluster')).toEqual({ required: true, description: 'Where it is.' });
  });

  test('may be optional in the namespaced form, with another description', () => {
    const source = edit('$namespaced: { optional: true, description: Where else. }');
    expect(regionOf(source, 'Namespaced')).toEqual({ required: false, description: 'Where else.' });
    expect(regionOf(source, 'Cluster')).toEqual({ required: true, description: 'Where it is.' });
  });

  test.each(['$namespaced: gone', '$namespaced: { absent: true }'])('is never %s', (text) => {
    expect(() => edit(text)).toThrow(samplePath);
  });
});

describe('columns', () => {
  test('a column without a field is refused with its position', () => {
    const text = sampleSource((sample) =>
      sample.replace('.spec.forProvider.region', '.spec.forProvider.regoin'),
    );
    const source = onlySource(samplePath, text);
    expect(() => schemaOf(source, 'Cluster')).toThrow(
      `${samplePath}:14:5: column REGION shows .spec.forProvider.regoin, which is no field`,
    );
  });

  test.each([
    {
      reason: 'filters are the business of the API server',
      jsonPath: `.status.conditions[?(@.type=='Ready')].status`,
    },
    { reason: 'metadata has no schema', jsonPath: '.metadata.creationTimestamp' },
  ])('a column may show $jsonPath: $reason', ({ jsonPath }) => {
    const text = sampleSource((sample) => sample.replace('.spec.forProvider.region', `"${jsonPath}"`));
    expect(schemaOf(onlySource(samplePath, text), 'Cluster').type).toBe('object');
  });
});
