import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { RenderRequest } from '../../../helm/chart-renderer.ts';
import type { ChartRequest, Charts } from '../../model/charts.ts';
import { openTestWorkspaces, type WorkspacesOfTest } from '../sources/workspaces.fixture.ts';
import { createCharts } from './create-charts.ts';

const options = { signal: new AbortController().signal, group: 'cluster' };
const request: ChartRequest = {
  component: 'eventing',
  namespace: 'kyma-system',
  version: 'local',
  url: '',
  profile: '',
  configuration: {},
};
const crd = (name: string) =>
  `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: ${name}\n`;

let workspaces: WorkspacesOfTest;
let charts: Charts;
let rendered: RenderRequest[];
let documents: { source: string; text: string }[];

const write = async (files: Readonly<Record<string, string>>): Promise<void> => {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(workspaces.storage, name)), { recursive: true });
    await writeFile(join(workspaces.storage, name), text);
  }
};

beforeEach(async () => {
  workspaces = await openTestWorkspaces({ storage: await mkdtemp(join(tmpdir(), 'rendering-')) });
  rendered = [];
  documents = [];
  charts = createCharts({
    workspaces,
    renderer: {
      render: async (what) => {
        rendered.push(what);
        return documents;
      },
    },
  });
  await write({
    'resources/eventing/Chart.yaml': 'name: eventing',
    'resources/eventing/values.yaml': 'global: {a: 1, b: 1, c: 1}\nlist: [1, 2]\n',
    'resources/eventing/profile-production.yaml': 'global: {b: 2, c: 2}\nlist: [3]\n',
    'resources/eventing/evaluation.yaml': 'global: {b: 9}\n',
    'resources/eventing/templates/a.yaml': 'a',
    'installation/resources/crds/eventing/two.yaml': `${crd('a')}---\n${crd('b')}`,
    'installation/resources/crds/istio/one.yml': crd('c'),
    'installation/resources/crds/readme.md': 'kind: CustomResourceDefinition',
    'installation/resources/crds/values.yaml': 'no: object',
  });
});
afterEach(async () => {
  await workspaces[Symbol.asyncDispose]();
  await rm(workspaces.storage, { recursive: true, force: true });
});

test('[R78] the chart is rendered with its name as release, and its objects keep their order and file', async () => {
  documents = ['b', 'a'].map((name) => ({
    source: `eventing/templates/${name}.yaml`,
    text: `# Source\napiVersion: v1\nkind: Secret\nmetadata: {name: ${name}}`,
  }));

  const manifest = await charts.render(request, options);

  expect(rendered[0]?.release).toEqual({ name: 'eventing', namespace: 'kyma-system' });
  expect(rendered[0]?.files.map(({ name }) => name)).toContain('templates/a.yaml');
  expect(manifest.map(({ object, source }) => [object.metadata.name, source])).toEqual([
    ['b', 'eventing/templates/b.yaml'],
    ['a', 'eventing/templates/a.yaml'],
  ]);
});

test('[R78] a document that cannot be parsed is an error with its file', async () => {
  documents = [{ source: 'eventing/templates/a.yaml', text: 'a: {' }];

  await expect(charts.render(request, options)).rejects.toThrow(/eventing\/templates\/a\.yaml:\d/);
});

test.each([
  ['', {}, { global: { a: 1, b: 1, c: 1 }, list: [1, 2] }, {}],
  ['Production', {}, { global: { a: 1, b: 2, c: 2 }, list: [3] }, { global: { b: 2, c: 2 }, list: [3] }],
  ['evaluation', {}, { global: { a: 1, b: 9, c: 1 }, list: [1, 2] }, { global: { b: 9 } }],
  ['unknown', {}, { global: { a: 1, b: 1, c: 1 }, list: [1, 2] }, {}],
  [
    'production',
    { 'global.c': 3, 'x.y': true },
    { global: { a: 1, b: 2, c: 3 }, list: [3], x: { y: true } },
    { global: { b: 2, c: 3 }, list: [3], x: { y: true } },
  ],
])('[R79] profile %p with %p', async (profile, configuration, values, over) => {
  expect(await charts.values({ ...request, profile, configuration }, options)).toEqual(values);

  await charts.render({ ...request, profile, configuration }, options);
  expect(rendered[0]?.values).toEqual(over);
});

test('a profile that is no YAML is refused with its file', async () => {
  await write({ 'resources/eventing/profile-bad.yaml': 'a: {\n' });
  await expect(charts.values({ ...request, profile: 'bad' }, options)).rejects.toThrow(
    /profile-bad\.yaml:\d/,
  );
});

test('[R78] CRDs of all YAML files are there once, without those that are excluded', async () => {
  const all = await charts.crds(request, options);
  const exclude = (path: string) => path.startsWith('istio/');
  const some = await charts.crds(request, { ...options, exclude });

  expect(all.map(({ object }) => object.metadata.name)).toEqual(['a', 'b', 'c']);
  expect(all[0]?.source).toBe('eventing/two.yaml');
  expect(some.map(({ object }) => object.metadata.name)).toEqual(['a', 'b']);
});

test('a link in a chart is refused', async () => {
  await symlink('/etc/passwd', join(workspaces.storage, 'resources/eventing/templates/link.yaml'));

  await expect(charts.render(request, options)).rejects.toThrow('link or special file: templates/link.yaml');
});
