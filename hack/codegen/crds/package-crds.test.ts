import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { repository } from '../generate.ts';
import { generateKinds } from '../generate-kinds.ts';
import { crd } from './crd.ts';
import { type CheckedVersion, schemaProblems } from './schema-checks.ts';

const root = new URL('../../../', import.meta.url);

interface Crd {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly scope: string;
    readonly names: { readonly categories?: readonly string[] };
    readonly versions: readonly (CheckedVersion & { readonly name: string; readonly storage: boolean })[];
  };
}

const kinds = await generateKinds(repository(fileURLToPath(root)), () => undefined);
const crds = kinds.flatMap((kind) =>
  kind.stored.forms.map((form) => ({ folder: kind.folder, ...(crd(kind, form) as unknown as Crd) })),
);
const versions = crds.flatMap(({ metadata, spec }) =>
  spec.versions.map((version) => [`${metadata.name} ${version.name}`, version] as const),
);

test.each(versions)('%s is a structural schema that is described and bounded', (_, version) => {
  expect(schemaProblems(version)).toEqual({});
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
