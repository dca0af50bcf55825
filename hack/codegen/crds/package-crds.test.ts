import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { repository } from '../generate.ts';
import { generateKinds } from '../generate-kinds.ts';
import type { Schema } from '../source/source.ts';
import { crd } from './crd.ts';

const root = new URL('../../../', import.meta.url);

interface Crd {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly scope: string;
    readonly names: { readonly categories?: readonly string[] };
    readonly versions: readonly {
      readonly name: string;
      readonly storage: boolean;
      readonly subresources?: object;
      readonly additionalPrinterColumns?: readonly { readonly name: string }[];
      readonly schema: { readonly openAPIV3Schema: Schema };
    }[];
  };
}

const kinds = await generateKinds(repository(fileURLToPath(root)), () => undefined);
const crds = kinds.flatMap((kind) =>
  kind.stored.forms.map((form) => ({ folder: kind.folder, ...(crd(kind, form) as unknown as Crd) })),
);
const versions = crds.flatMap(({ metadata, spec }) =>
  spec.versions.map((version) => [`${metadata.name} ${version.name}`, version] as const),
);

/** Every schema inside, with the path users know it by. */
function* walk(schema: Schema, path: string): Generator<{ path: string; schema: Schema }> {
  yield { path, schema };
  for (const [name, value] of Object.entries(schema.properties ?? {})) yield* walk(value, `${path}.${name}`);
  if (schema.items !== undefined) yield* walk(schema.items, `${path}[]`);
  if (schema.additionalProperties !== undefined) yield* walk(schema.additionalProperties, `${path}{}`);
}

describe.each(versions)('%s', (_, version) => {
  const all = [...walk(version.schema.openAPIV3Schema, '')];

  test('is described', () => {
    expect(all[0]?.schema.description).toBeTruthy();
  });

  test('has a type for each value, or the schema is not structural', () => {
    expect(all.filter(({ schema }) => schema.type === undefined).map(({ path }) => path)).toEqual([]);
  });

  test('has a description for each field, for kubectl explain', () => {
    const fields = all.filter(({ path }) => !/[\]}]$/.test(path) && path !== '.metadata');
    expect(fields.filter(({ schema }) => !schema.description?.endsWith('.')).map(({ path }) => path)).toEqual(
      [],
    );
  });

  test('has no field that the API server does not know', () => {
    expect(all.filter(({ schema }) => schema.$standard !== undefined)).toEqual([]);
    expect(version.additionalPrinterColumns?.filter((column) => 'at' in column)).toEqual([]);
  });

  test('bounds every string, list and map, or a resource may be as large as etcd allows', () => {
    const unbounded = all.filter(({ path, schema }) => {
      // The API server bounds these itself.
      if (['.apiVersion', '.kind'].includes(path)) return false;
      if (schema.type === 'string') return schema.maxLength === undefined && schema.enum === undefined;
      if (schema.type === 'array') return schema.maxItems === undefined;
      return schema.additionalProperties !== undefined && schema.maxProperties === undefined;
    });
    expect(unbounded.map(({ path }) => path)).toEqual([]);
  });

  test('has a status subresource exactly if it has a status', () => {
    const hasStatus = version.schema.openAPIV3Schema.properties?.status !== undefined;
    expect(version.subresources !== undefined).toBe(hasStatus);
  });
});

test.each(crds)('$metadata.name stores the first of its versions, and no other', ({ spec }) => {
  expect(spec.versions.map(({ storage }) => storage)).toEqual(spec.versions.map((_, index) => index === 0));
});

test.each(crds.filter(({ folder }) => folder === 'package/crds'))(
  '$metadata.name, which the package installs, is found by category',
  ({ spec }) => {
    expect(spec.names.categories).toEqual(expect.arrayContaining(['crossplane']));
  },
);
