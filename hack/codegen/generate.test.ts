import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { temporaryFolders } from '../../internal/framework/base/temporary-folder.fixture.ts';
import { generate, repository } from './generate.ts';
import { findDrift, type Outputs, writeOutputs } from './outputs.ts';
import type { Project } from './project.ts';
import { orderPath, orderSource, samplePath, sampleSource } from './source/sample-source.ts';

const root = temporaryFolders('codegen-');
let project: Project;
beforeEach(async () => {
  project = repository(root());
  await put(samplePath, sampleSource());
});

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root(), path)), { recursive: true });
  await writeFile(join(root(), path), text);
}

const pathsOf = (outputs: Outputs): string[] => [...outputs.keys()].sort();

const crdFile = 'package/crds/shop.example.org_buckets.yaml';
const typesFile = 'apis/shop.example.org/v1alpha1/bucket.gen.ts';
const pageFile = 'docs/reference/bucket.md';
const schemasFile = 'apis/schemas.gen.ts';

describe('generate', () => {
  test('emits a CRD, types and a page for each emitted form, and nothing for the others', async () => {
    expect(pathsOf(await generate(project))).toEqual([crdFile, typesFile, pageFile, schemasFile].sort());
  });

  test('emits the namespaced twin from the same source once the source enables it, with one type for both', async () => {
    await put(
      samplePath,
      sampleSource((text) => text.replace('emit: false', 'emit: true')),
    );
    const outputs = await generate(project);
    expect(pathsOf(outputs)).toEqual(
      [
        crdFile,
        typesFile,
        pageFile,
        schemasFile,
        'package/crds/shop.m.example.org_buckets.yaml',
        'docs/reference/bucket.shop.m.example.org.md',
      ].sort(),
    );
    expect(parse(outputs.get('package/crds/shop.m.example.org_buckets.yaml') ?? '')).toMatchObject({
      metadata: { name: 'buckets.shop.m.example.org' },
      spec: {
        group: 'shop.m.example.org',
        scope: 'Namespaced',
        names: { kind: 'Bucket', plural: 'buckets' },
      },
    });
    expect(outputs.get(typesFile)).toContain('export const namespacedBuckets: {');
  });

  test('gives the same text each time, as the check for drift requires', async () => {
    expect(await generate(project)).toEqual(await generate(project));
  });

  test('names in each file its source and how to generate it', async () => {
    for (const text of (await generate(project)).values()) {
      expect(text.split('\n', 1)[0]).toContain(
        `Generated from ${samplePath} by hack/codegen. Do not edit; run \`make generate\`.`,
      );
    }
  });

  test('puts the schemas of all managed kinds into one module, without what only people read', async () => {
    const text = (await generate(project)).get(schemasFile) ?? '';
    expect(text).toContain('"Bucket.v1alpha1.shop.example.org": {');
    expect(text).toContain('"deletionPolicy"');
    expect(text).not.toContain('"description":');
  });

  test('emits types and a page for each version, in one CRD', async () => {
    await rm(join(root(), samplePath));
    await put(orderPath, orderSource);
    const outputs = await generate(project);
    expect(pathsOf(outputs)).toEqual([
      'apis/shop.example.org/v1/order.gen.ts',
      'apis/shop.example.org/v1alpha1/order.gen.ts',
      'docs/reference/order.md',
      'docs/reference/order.v1alpha1.md',
      'package/crds/shop.example.org_orders.yaml',
    ]);
    expect(outputs.get('apis/shop.example.org/v1alpha1/order.gen.ts')).toContain(
      'apiVersion: "shop.example.org/v1alpha1"',
    );
    expect(outputs.get('docs/reference/order.md')).toContain(
      '| versions | [`v1`](order.md) (stored), [`v1alpha1`](order.v1alpha1.md) (deprecated) |',
    );
  });

  test('puts the CRDs of a group into the folder that the group states, and webhooks into their file', async () => {
    await put('apis/shop.example.org/group.yaml', 'crds: package/shop/crds\n');
    await put(
      'apis/shop.example.org/webhooks.yaml',
      `name: shop
output: package/shop/webhooks.yaml
validating: [{ name: vbucket.shop.example.org, kind: Bucket, operations: [CREATE] }]
`,
    );
    const outputs = await generate(project);
    expect([...outputs.keys()].filter((path) => path.startsWith('package/'))).toEqual([
      'package/shop/crds/shop.example.org_buckets.yaml',
      'package/shop/webhooks.yaml',
    ]);
    await writeOutputs(project, outputs);
    await rm(join(root(), 'apis/shop.example.org/webhooks.yaml'));
    await rm(join(root(), 'apis/shop.example.org/group.yaml'));
    const drift = await findDrift(project, await generate(project));
    expect(drift.filter(({ state }) => state === 'left over').map(({ path }) => path)).toEqual([
      'package/shop/crds/shop.example.org_buckets.yaml',
      'package/shop/webhooks.yaml',
    ]);
  });

  test.each([
    {
      reason: 'a folder that is none for CRDs',
      path: 'apis/shop.example.org/group.yaml',
      text: 'crds: package/shop\n',
      message: 'group.yaml:1:7: must be a folder package/…/crds',
    },
    {
      reason: 'a group without kinds, whose name may be mistyped',
      path: 'apis/shops.example.org/group.yaml',
      text: 'crds: package/shop/crds\n',
      message: 'group.yaml:1:1: no kind has its source in this folder',
    },
  ])('refuses $reason', async ({ path, text, message }) => {
    await put(path, text);
    await expect(generate(project)).rejects.toThrow(message);
  });

  test('refuses two sources for one file', async () => {
    await put(
      samplePath.replace('bucket', 'pail'),
      sampleSource((text) => text.replace('kind: Bucket', 'kind: Pail')),
    );
    await expect(generate(project)).rejects.toThrow(`${crdFile} is generated from another source already`);
  });

  test('names a source that cannot be read, even for a form that is not emitted', async () => {
    await put(
      samplePath,
      sampleSource((text) => text.replace('plural: buckets', 'plurals: buckets')),
    );
    await expect(generate(project)).rejects.toThrow(`${samplePath}:2:1: unknown key plurals`);
  });

  test("makes the types of a client's OpenAPI document, in which a default does not make a property required", async () => {
    const document = {
      openapi: '3.0.3',
      info: { title: 'shop', version: '1' },
      paths: {},
      components: {
        schemas: { Item: { type: 'object', properties: { sold: { type: 'boolean', default: false } } } },
      },
    };
    await put('internal/systems/shop/client/openapi.yaml', JSON.stringify(document));
    expect((await generate(project)).get('internal/systems/shop/client/openapi.gen.ts')).toContain(
      'sold?: boolean;',
    );
  });
});

describe('drift', () => {
  test('is none after writing', async () => {
    const outputs = await generate(project);
    expect((await writeOutputs(project, outputs)).map(({ path }) => path).sort()).toEqual(
      [crdFile, typesFile, pageFile, schemasFile].sort(),
    );
    expect(await findDrift(project, outputs)).toEqual([]);
  });

  test('is a file that was edited, one that is missing, and one whose source is gone', async () => {
    await writeOutputs(project, await generate(project));
    await writeFile(join(root(), crdFile), `${await readFile(join(root(), crdFile), 'utf8')}# by hand\n`);
    await rm(join(root(), pageFile));
    await put('package/crds/old.yaml', await readFile(join(root(), crdFile), 'utf8'));
    const outputs = await generate(project);
    expect(await findDrift(project, outputs)).toEqual([
      { path: pageFile, state: 'missing' },
      { path: 'package/crds/old.yaml', state: 'left over' },
      { path: crdFile, state: 'differs' },
    ]);
    await writeOutputs(project, outputs);
    expect(await findDrift(project, outputs)).toEqual([]);
  });

  test('is never a hand-written file', async () => {
    await put('docs/reference/overview.md', '# Overview\n');
    const outputs = await generate(project);
    await writeOutputs(project, outputs);
    expect(await readFile(join(root(), 'docs/reference/overview.md'), 'utf8')).toBe('# Overview\n');
  });
});
