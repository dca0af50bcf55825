import { glob, readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { crd } from './crd.ts';
import { readSource } from './read-source.ts';
import type { Schema } from './source.ts';

const root = new URL('../../', import.meta.url);

interface Crd {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly scope: string;
    readonly names: { readonly categories?: readonly string[] };
    readonly versions: readonly {
      readonly subresources?: object;
      readonly additionalPrinterColumns?: readonly { readonly name: string }[];
      readonly schema: { readonly openAPIV3Schema: Schema };
    }[];
  };
}

const crds: Crd[] = [];
for await (const path of glob('apis/*/*/*.yaml', { cwd: root })) {
  const source = readSource(path, await readFile(new URL(path, root), 'utf8'));
  for (const form of source.forms) crds.push(crd(source, form) as unknown as Crd);
}

/** Every schema inside, with the path users know it by. */
function* walk(schema: Schema, path: string): Generator<{ path: string; schema: Schema }> {
  yield { path, schema };
  for (const [name, value] of Object.entries(schema.properties ?? {})) yield* walk(value, `${path}.${name}`);
  if (schema.items !== undefined) yield* walk(schema.items, `${path}[]`);
  if (schema.additionalProperties !== undefined) yield* walk(schema.additionalProperties, `${path}{}`);
}

describe.each(crds.map((each) => [each.metadata.name, each] as const))('%s', (_, { spec }) => {
  const version = spec.versions[0];
  const all = [...walk(version?.schema.openAPIV3Schema ?? {}, '')];

  test('has one version, stored and described', () => {
    expect(spec.versions).toHaveLength(1);
    expect(all[0]?.schema.description).toBeTruthy();
  });

  test('has a type for each value, or the schema is not structural', () => {
    expect(all.filter(({ schema }) => schema.type === undefined).map(({ path }) => path)).toEqual([]);
  });

  test('has a sentence for each field, or kubectl explain is silent about it', () => {
    const fields = all.filter(({ path }) => !/[\]}]$/.test(path) && path !== '.metadata');
    expect(fields.filter(({ schema }) => !schema.description?.endsWith('.')).map(({ path }) => path)).toEqual(
      [],
    );
  });

  test('keeps nothing of the source that the API server does not know', () => {
    expect(all.filter(({ schema }) => schema.$standard !== undefined)).toEqual([]);
    expect(version?.additionalPrinterColumns?.filter((column) => 'at' in column)).toEqual([]);
  });

  test('has a status subresource exactly if it has a status', () => {
    const hasStatus = version?.schema.openAPIV3Schema.properties?.status !== undefined;
    expect(version?.subresources !== undefined).toBe(hasStatus);
  });

  test('is found by category', () => {
    expect(spec.names.categories).toEqual(expect.arrayContaining(['crossplane']));
  });
});
