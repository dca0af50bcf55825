import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemClock } from '../../../../../framework/base/time/clock.ts';
import type { ChartRequest, Charts } from '../../model/component.ts';
import { openTestWorkspaces, type WorkspacesOfTest } from '../sources/workspaces.fixture.ts';
import { type ChartJobs, createChartJobs } from './chart-jobs.ts';
import { createCharts } from './create-charts.ts';

const configMap = (name: string, data: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  namespace: {{ .Release.Namespace }}\ndata:\n  ${data}\n`;
const files: Readonly<Record<string, string>> = {
  'Chart.yaml': 'apiVersion: v2\nname: logging\nversion: 1.0.0\n',
  'values.yaml': 'text: default\nglobal: {domain: none}\nbackend: {text: of-parent}\n',
  'profile-production.yaml': 'text: production\n',
  'crds/crd.yaml':
    'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: logs.example.com}\n',
  'templates/main.yaml': configMap(
    '{{ .Release.Name }}',
    'text: {{ .Values.text }}-{{ .Values.global.domain }}',
  ),
  'templates/hook.yaml': `${configMap('hook', 'a: b')}`.replace(
    '  name: hook',
    '  name: hook\n  annotations: {helm.sh/hook: pre-install}',
  ),
  'templates/first.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: {name: logs}\n',
  'templates/bad.yaml': '{{ if .Values.bad }}{{ fail "bad value" }}{{ end }}',
  'templates/broken.yaml': '{{ if .Values.broken }}a: 1\n b: 2\n{{ end }}',
  'charts/backend/Chart.yaml': 'apiVersion: v2\nname: backend\nversion: 1.0.0\n',
  'charts/backend/templates/a.yaml': configMap(
    'backend',
    'text: {{ .Values.text }}-{{ .Values.global.domain }}',
  ),
};
const ending = (name: string, style: string, end: string) =>
  `${configMap(name, `text: ${style}`)}    a${end}`;
const endings: Readonly<Record<string, string>> = {
  'Chart.yaml': 'apiVersion: v2\nname: endings\nversion: 1.0.0\n',
  'crds/crd.yaml':
    'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: crd}\nspec:\n  note: |\n    a',
  'templates/file.yaml': ending('file', '|', ''),
  'templates/trimmed.yaml': `{{- if true }}\n${ending('trimmed', '|', '\n\n')}{{- end -}}\n`,
  'templates/two.yaml': `${ending('separator', '|', '\n---\n')}${ending('folded', '>', '')}`,
  'templates/stripped.yaml': ending('stripped', '|-', '\n'),
  'templates/kept.yaml': ending('kept', '|+', '\n'),
};
const request: ChartRequest = {
  component: 'logging',
  namespace: 'kyma-system',
  version: 'local',
  url: '',
  profile: 'production',
  configuration: { 'global.domain': 'example.com', 'backend.text': 'configured' },
};
const options = { tenant: 'shop', signal: new AbortController().signal };

let workspaces: WorkspacesOfTest;
let jobs: ChartJobs;
let charts: Charts;
beforeAll(async () => {
  workspaces = await openTestWorkspaces({ storage: await mkdtemp(join(tmpdir(), 'rendered-')) });
  jobs = createChartJobs({ clock: systemClock });
  charts = createCharts({ workspaces, jobs });
  await mkdir(join(workspaces.storage, 'installation/resources/crds'), { recursive: true });
  for (const [chart, content] of Object.entries({ logging: files, endings, versions: kubeVersions })) {
    for (const [name, text] of Object.entries(content)) {
      const path = join(workspaces.storage, 'resources', chart, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    }
  }
});
afterAll(async () => {
  await jobs.close();
  await workspaces[Symbol.asyncDispose]();
});

test('[R78] a chart with a subchart and CRDs becomes objects in the order of Helm, without hooks', async () => {
  const manifest = await charts.render(request, options);

  expect(manifest.map(({ object, source }) => [object.kind, object.metadata.name, source])).toEqual([
    ['CustomResourceDefinition', 'logs.example.com', 'logging/crds/crd.yaml'],
    ['Namespace', 'logs', 'logging/templates/first.yaml'],
    ['ConfigMap', 'backend', 'logging/charts/backend/templates/a.yaml'],
    ['ConfigMap', 'logging', 'logging/templates/main.yaml'],
  ]);
});

test('[R79] values of the chart, the profile and the component, also for a subchart', async () => {
  const manifest = await charts.render(request, options);
  const data = manifest.filter(({ object }) => object.kind === 'ConfigMap').map(({ object }) => object);

  expect(data).toMatchObject([
    { data: { text: 'configured-example.com' }, metadata: { namespace: 'kyma-system' } },
    { data: { text: 'production-example.com' } },
  ]);
});

test('a block scalar at the end of a document keeps its line break, wherever the document ends', async () => {
  const manifest = await charts.render({ ...request, component: 'endings', profile: '' }, options);
  const texts = manifest.map(({ object }) => [object.metadata.name, (object as { data?: unknown }).data]);

  expect(Object.fromEntries(texts)).toEqual({
    file: { text: 'a\n' },
    trimmed: { text: 'a\n' },
    separator: { text: 'a\n' },
    folded: { text: 'a\n' },
    stripped: { text: 'a' },
    kept: { text: 'a\n\n' },
    crd: undefined,
  });
  expect(manifest[0]?.object).toMatchObject({ spec: { note: 'a\n' } });
});

const kubeVersions = {
  'Chart.yaml': "apiVersion: v2\nname: versions\nversion: 1.0.0\nkubeVersion: '< 1.37.0-0'\n",
  'templates/a.yaml': configMap(
    'a',
    'text: "{{ .Capabilities.KubeVersion.Minor }} {{ .Capabilities.APIVersions.Has "example.org/v1/Thing" }} {{ .Capabilities.APIVersions.Has "apps/v1" }}"',
  ),
};

test.each([
  [
    { kubeVersion: 'v1.36.3', apiVersions: ['v1', 'example.org/v1', 'example.org/v1/Thing'] },
    '36 true false',
  ],
  [{ kubeVersion: 'v1.31.1-eks-ce1d5eb', apiVersions: ['apps/v1'] }, '31 false true'],
])('versions are those of the cluster: %p', async (capabilities, text) => {
  const versions = { ...request, component: 'versions', profile: '', configuration: {} };
  const [rendered] = await charts.render(versions, { ...options, capabilities });

  expect(rendered?.object).toMatchObject({ data: { text } });
  await expect(charts.render(versions, options)).rejects.toThrow('is incompatible with Kubernetes v1.37');
});

test.each([
  [{ bad: true }, /logging\/templates\/bad\.yaml:1.*bad value/],
  [{ broken: true }, /logging\/templates\/broken\.yaml/],
])('[R78] with %p an error has file and line', async (configuration, message) => {
  await expect(charts.render({ ...request, configuration }, options)).rejects.toThrow(message);
});
