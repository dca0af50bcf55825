import { describe, expect, test } from '@jest/globals';
import { type Crd, packageCrds } from '../environment/install-crds.ts';
import { breakingChanges, type Schema } from './schema-changes.ts';
import { readStoredState, recordedVersions } from './stored-state.ts';

interface Versions {
  readonly spec: {
    readonly scope: string;
    readonly versions: readonly {
      readonly name: string;
      readonly served: boolean;
      readonly storage: boolean;
      readonly schema: { readonly openAPIV3Schema: Schema };
    }[];
  };
}

const name = (schema: Schema): Schema => ({ type: 'object', properties: { name: schema } });

describe('breakingChanges finds', () => {
  test.each<[string, Schema, Schema, string]>([
    ['a field that is gone', name({ type: 'string' }), { type: 'object' }, '.name: is gone'],
    [
      'another type',
      name({ type: 'string' }),
      name({ type: 'integer' }),
      '.name: type was string, is integer',
    ],
    [
      'a new duty',
      name({ type: 'string' }),
      { ...name({ type: 'string' }), required: ['name'] },
      'the object: name is required',
    ],
    [
      'a value that is not allowed any more',
      name({ type: 'string', enum: ['a', 'b'] }),
      name({ type: 'string', enum: ['a'] }),
      '.name: "b" is not allowed any more',
    ],
    [
      'a choice where there was none',
      name({ type: 'string' }),
      name({ type: 'string', enum: ['a'] }),
      '.name: "anything" is not allowed any more',
    ],
    [
      'a limit',
      name({ type: 'string' }),
      name({ type: 'string', maxLength: 3 }),
      '.name: maxLength is 3, was not there',
    ],
    [
      'a limit that became lower',
      name({ type: 'string', maxLength: 253 }),
      name({ type: 'string', maxLength: 100 }),
      '.name: maxLength is 100, was 253',
    ],
    [
      'another default',
      name({ type: 'boolean', default: false }),
      name({ type: 'boolean', default: true }),
      '.name: default was false, is true',
    ],
    [
      'a rule, in a list',
      { type: 'array', items: { type: 'string' } },
      { type: 'array', items: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self != ""' }] } },
      '[]: a rule was added: self != ""',
    ],
    [
      'fields that are pruned',
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      { type: 'object' },
      'the object: unknown fields are pruned',
    ],
  ])('%s', (_, before, after, change) => {
    expect(breakingChanges(before, after)).toEqual([change]);
  });

  test('no change in a limit above all stored values', () => {
    const after = { ...name({ type: 'string', maxLength: 253 }), maxProperties: 256 };
    expect(breakingChanges(name({ type: 'string' }), after)).toEqual([]);
  });

  test('no change in a wider schema', () => {
    const before = { ...name({ type: 'string', enum: ['a'], maxLength: 3 }), required: ['name'] };
    const after = {
      type: 'object',
      properties: {
        name: { type: 'string', enum: ['a', 'b'], description: 'more of it', maxLength: 4 },
        more: { type: 'string', default: 'x' },
      },
      required: ['more'],
    };
    expect(breakingChanges(before, after)).toEqual([]);
  });
});

describe.each(await recordedVersions())('the current CRDs accept all objects of %s', (version) => {
  test('in every version of every kind', async () => {
    const now = new Map((await packageCrds()).map((crd) => [crd.metadata.name, crd as Crd & Versions]));
    const { crds } = await readStoredState(version);
    const changes = (crds as readonly (Crd & Versions)[]).flatMap(({ metadata, spec }) => {
      const crd = now.get(metadata.name);
      if (crd === undefined) return [`${metadata.name} is gone`];
      if (crd.spec.scope !== spec.scope) return [`${metadata.name} has another scope`];
      return spec.versions.flatMap((old) => {
        const same = crd.spec.versions.find(({ name: of, served }) => of === old.name && served);
        if (same === undefined) return [`${metadata.name}: ${old.name} is not served`];
        const found = breakingChanges(old.schema.openAPIV3Schema, same.schema.openAPIV3Schema);
        return found.map((change) => `${metadata.name} ${old.name}${change}`);
      });
    });
    expect(crds.length).toBeGreaterThan(0);
    expect(changes).toEqual([]);
  });
});
