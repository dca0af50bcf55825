import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test } from '@jest/globals';
import { isObject, valueAt } from '../../../../../framework/base/json/json-value.ts';
import { systemClock } from '../../../../../framework/base/time/clock.ts';
import type { ChartRequest, Charts } from '../../model/component.ts';
import { openTestWorkspaces, type WorkspacesOfTest } from '../sources/workspaces.fixture.ts';
import { createChartJobs } from './chart-jobs.ts';
import { createCharts } from './create-charts.ts';

const options = { signal: new AbortController().signal, tenant: 'shop' };
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

const dataOf = (object: object): Readonly<Record<string, unknown>> => {
  const data = valueAt(object, ['data']);
  return isObject(data) ? data : {};
};
const configMap = (name: string) =>
  `# Source\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {values: {{ .Values | toJson | quote }}, release: {{ .Release.Name }}/{{ .Release.Namespace }}}`;

let workspaces: WorkspacesOfTest;
let charts: Charts;
const jobs = createChartJobs({ clock: systemClock });
afterAll(() => jobs.close());

const write = async (files: Readonly<Record<string, string>>): Promise<void> => {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(workspaces.storage, name)), { recursive: true });
    await writeFile(join(workspaces.storage, name), text);
  }
};

beforeEach(async () => {
  workspaces = await openTestWorkspaces({ storage: await mkdtemp(join(tmpdir(), 'rendering-')) });
  charts = createCharts({ workspaces, jobs });
  await write({
    'resources/eventing/Chart.yaml': 'apiVersion: v2\nname: eventing\nversion: 1.0.0',
    'resources/eventing/values.yaml': 'global: {a: 1, b: 1, c: 1}\nlist: [1, 2]\n',
    'resources/eventing/profile-production.yaml': 'global: {b: 2, c: 2}\nlist: [3]\n',
    'resources/eventing/evaluation.yaml': 'global: {b: 9}\n',
    'resources/eventing/templates/a.yaml': configMap('a'),
    'resources/eventing/templates/b.yaml': configMap('b'),
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
  const manifest = await charts.render(request, options);

  expect(
    manifest.map(({ object, source }) => [object.metadata.name, source, dataOf(object).release]),
  ).toEqual([
    ['a', 'eventing/templates/a.yaml', 'eventing/kyma-system'],
    ['b', 'eventing/templates/b.yaml', 'eventing/kyma-system'],
  ]);
});

test('[R78] a document that cannot be parsed is an error with its file', async () => {
  await write({ 'resources/eventing/templates/a.yaml': 'a: {' });

  await expect(charts.render(request, options)).rejects.toThrow(/eventing\/templates\/a\.yaml/);
});

test.each([
  ['', {}, { global: { a: 1, b: 1, c: 1 }, list: [1, 2] }],
  ['Production', {}, { global: { a: 1, b: 2, c: 2 }, list: [3] }],
  ['evaluation', {}, { global: { a: 1, b: 9, c: 1 }, list: [1, 2] }],
  ['unknown', {}, { global: { a: 1, b: 1, c: 1 }, list: [1, 2] }],
  ['production', { 'global.c': 3, 'x.y': true }, { global: { a: 1, b: 2, c: 3 }, list: [3], x: { y: true } }],
])('[R79] profile %p with %p', async (profile, configuration, values) => {
  expect(await charts.values({ ...request, profile, configuration }, options)).toEqual(values);

  const [first] = await charts.render({ ...request, profile, configuration }, options);
  expect(JSON.parse(String(dataOf(first?.object ?? {}).values))).toEqual(values);
});

test('a profile that is no YAML is refused with its file', async () => {
  await write({ 'resources/eventing/profile-bad.yaml': 'a: {\n' });
  await expect(charts.values({ ...request, profile: 'bad' }, options)).rejects.toThrow(
    /profile-bad\.yaml:\d/,
  );
});

test('[R78] CRDs of all YAML files are there once, with the paths of their files', async () => {
  const all = await charts.crds(request, options);

  expect(all.map(({ object }) => object.metadata.name)).toEqual(['a', 'b', 'c']);
  expect(all[0]?.source).toBe('eventing/two.yaml');
  expect(all[2]?.source).toMatch(/^istio[/]/);
});

test('a link in a chart is refused', async () => {
  await symlink('/etc/passwd', join(workspaces.storage, 'resources/eventing/templates/link.yaml'));

  await expect(charts.render(request, options)).rejects.toThrow('link or special file: templates/link.yaml');
});
