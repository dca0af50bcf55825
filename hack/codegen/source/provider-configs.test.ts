import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { temporaryFolders } from '../../../internal/framework/base/temporary-folder.fixture.ts';
import { generateKinds } from '../generate-kinds.ts';
import { collectOutputs, type Outputs } from '../outputs.ts';
import { authorProject } from '../project.ts';

const root = temporaryFolders('codegen-');

async function generate(source: string): Promise<Outputs> {
  await mkdir(join(root(), 'apis/shop.example.org'), { recursive: true });
  await writeFile(join(root(), 'apis/shop.example.org/group.yaml'), source);
  const project = authorProject(root());
  const { outputs, put } = collectOutputs(project);
  await generateKinds(project, put);
  return outputs;
}

const crds = (outputs: Outputs) =>
  [...outputs].filter(([path]) => path.endsWith('.yaml')).map(([, text]) => parse(text));
const specOf = (crd: ReturnType<typeof parse>) => crd.spec.versions[0].schema.openAPIV3Schema.properties.spec;

describe('one line for the provider configurations of a system', () => {
  const line = 'providerConfigs: { version: v1 }\n';

  test('makes all kinds of both scopes, with one module of types', async () => {
    const outputs = await generate(line);
    expect([...outputs.keys()].sort()).toEqual([
      'apis/shop.example.org/v1/providerconfigs.gen.ts',
      'package/crds/shop.example.org_providerconfigs.yaml',
      'package/crds/shop.example.org_providerconfigusages.yaml',
      'package/crds/shop.m.example.org_clusterproviderconfigs.yaml',
      'package/crds/shop.m.example.org_providerconfigs.yaml',
      'package/crds/shop.m.example.org_providerconfigusages.yaml',
    ]);
    expect(
      crds(outputs).map(({ spec: { names, scope } }) => `${names.kind} ${scope} ${names.categories}`),
    ).toEqual([
      'ProviderConfig Cluster crossplane,provider,shop',
      'ProviderConfig Namespaced crossplane,provider,shop',
      'ClusterProviderConfig Cluster crossplane,provider,shop',
      'ProviderConfigUsage Cluster crossplane,provider,shop',
      'ProviderConfigUsage Namespaced crossplane,provider,shop',
    ]);
  });

  test('gives them the credentials that the framework reads; in a namespace only Secrets of it', async () => {
    const fields = crds(await generate(line))
      .slice(0, 3)
      .map((crd) => {
        const { properties } = specOf(crd).properties.credentials;
        return [Object.keys(properties), properties.secretRef.required];
      });
    const all = [
      ['source', 'secretRef', 'env', 'fs'],
      ['name', 'namespace', 'key'],
    ];
    expect(fields).toEqual([
      all,
      [
        ['source', 'secretRef'],
        ['name', 'key'],
      ],
      all,
    ]);
  });
});

test('a spec adds fields to the credentials', async () => {
  const [config] = crds(
    await generate(`providerConfigs:
  version: v1
  description: Where the shop is.
  categories: [shop]
  namespacedGroup: shop.namespaced.example.org
  spec:
    type: object
    required: [url]
    properties:
      url: { description: Address of the shop., type: string }
`),
  );
  expect(config.spec.names.categories).toEqual(['shop']);
  expect(config.spec.versions[0].schema.openAPIV3Schema.description).toBe('Where the shop is.');
  expect(specOf(config).required).toEqual(['credentials', 'url']);
  expect(Object.keys(specOf(config).properties)).toEqual(['credentials', 'url']);
});

test.each([
  { source: '{ version: latest }', message: 'group.yaml:1:29: latest is no version such as v1 or v1alpha1' },
  { source: '{}', message: 'group.yaml:1:18: version is missing' },
  { source: '{ version: v1, kinds: 2 }', message: 'group.yaml:1:33: unknown key kinds;' },
])('refuses providerConfigs: $source', async ({ source, message }) => {
  await expect(generate(`providerConfigs: ${source}\n`)).rejects.toThrow(message);
});
