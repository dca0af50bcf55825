/** One cluster in one process: the built command, and the library. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from '@jest/globals';
import { packTar } from 'modern-tar';
import { valueAt } from '../../../../internal/framework/base/json/json-value.ts';
import { configMaps, secrets } from '../../../../internal/framework/kube/object/resource-type.ts';
import { startHttpServer } from '../../../../internal/systems/reconciler/components/charts/sources/http-server.fixture.ts';
import { startRegistry } from '../../../../internal/systems/reconciler/components/charts/sources/registry.fixture.ts';
import { packZip } from '../../../../internal/systems/reconciler/components/charts/sources/zip.fixture.ts';
import {
  type ComponentStatus,
  createClusterReconciler,
} from '../../../../internal/systems/reconciler/components/index.ts';
import { KYMA_VERSION } from '../../../environment/components/kyma-workspace.ts';
import { uniqueName } from '../../harness/control-planes/control-planes.ts';
import { forFile } from '../../harness/for-file.ts';
import { startComponentEnvironment } from './component-environment.ts';
import { deployments } from './deploy-environment.ts';
import { startGitServer } from './sources/git-server.ts';

const PROVIDER = fileURLToPath(new URL('../../../../bin/provider-kyma', import.meta.url));

const environment = forFile(startComponentEnvironment);
let kubeconfig: string;
beforeAll(async () => {
  kubeconfig = join(environment.workspace.folder, 'kubeconfig.yaml');
  await writeFile(kubeconfig, environment.plane.kubeconfig);
});

const configMap = `
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: { replicas: "{{ .Values.replicas }}", domain: "{{ .Values.global.domain }}" }
`;

/** Runs `provider-kyma local`. */
function local(...args: string[]) {
  const { PATH = '', HOME = '' } = process.env;
  const all = ['local', `--kubeconfig=${kubeconfig}`, `--workspace=${environment.workspace.folder}`];
  return new Promise<{ code: number; out: string; err: string }>((done) => {
    const child = execFile(
      PROVIDER,
      [...all, '--allow-private-endpoints', ...args],
      { env: { PATH, HOME } },
      (_, out, err) => done({ code: child.exitCode ?? -1, out, err }),
    );
  });
}

const openGit = async () => {
  const server = await startGitServer();
  return { ...server, [Symbol.asyncDispose]: () => server.close() };
};

const settingsOf = (namespace: string) =>
  environment.objects.find(configMaps, { namespace, name: 'settings' });

test('components of a file are installed with values, those that come first first, and deleted in reverse order', async () => {
  const first = await environment.component(configMap);
  const second = await environment.component(configMap);
  await environment.workspace.write(
    'installation/resources/components.yaml',
    `prerequisites: [{ name: ${first.name}, namespace: ${first.name} }]
components: [{ name: ${second.name}, namespace: ${second.name} }]
`,
  );
  const values = [
    `--value=global.domain=example.org,${first.name}.replicas=1`,
    `--value=${second.name}.replicas=2`,
  ];
  const installed = await local(`--version=${KYMA_VERSION}`, ...values);
  expect(installed).toMatchObject({ code: 0, err: '' });
  expect(installed.out).toMatch(/^reading version \S+, with charts in /);
  const ended = installed.out.split('\n').filter((line) => line.endsWith(': success'));
  expect(ended).toEqual(['CRDs', first.name, second.name].map((name) => `${name}: success`));
  expect((await settingsOf(first.name))?.data).toEqual({ replicas: '1', domain: 'example.org' });
  expect((await settingsOf(second.name))?.data).toEqual({ replicas: '2', domain: 'example.org' });

  const deleted = await local(`--version=${KYMA_VERSION}`, ...values, '--delete');
  expect(deleted).toMatchObject({ code: 0, err: '' });
  expect(deleted.out).toMatch(/deleted: 4 components/);
  expect(await settingsOf(first.name)).toBeUndefined();
  expect(await settingsOf(second.name)).toBeUndefined();
});

test('charts come from a Git repository, a tar.gz, a zip and a registry', async () => {
  await using git = await openGit();
  await using registry = await startRegistry();
  const files = {
    'chart/Chart.yaml': 'apiVersion: v2\nname: chart\nversion: 1.0.0\n',
    'chart/templates/settings.yaml': configMap.replace(/^data: .*$/m, 'data: {}'),
  };
  const entries = Object.entries(files);
  const tarGz = gzipSync(
    await packTar(entries.map(([name, body]) => ({ header: { name, size: body.length }, body }))),
  );
  const archives: Readonly<Record<string, Uint8Array>> = {
    '/chart.tgz': tarGz,
    '/chart.zip': packZip(entries.map(([name, content]) => ({ name, content }))),
  };
  await using server = await startHttpServer(({ url = '' }, response) => void response.end(archives[url]));
  const repository = await git.repository('chart.git');
  await repository.commit('main', files);
  registry.push('chart', '1.0.0', tarGz);
  const urls = [
    `${repository.url},main`,
    `${server.url}/chart.tgz,`,
    `${server.url}/chart.zip,`,
    `oci://${registry.host}/chart,1.0.0`,
  ];
  const names = urls.map(() => uniqueName('from'));
  const components = urls.map((url, index) => `--components={${names[index]},${names[index]},${url}}`);
  const installed = await local(`--version=${KYMA_VERSION}`, ...components);
  expect(installed).toMatchObject({ code: 0, err: '' });
  for (const name of names) expect(await settingsOf(name)).toBeDefined();
});

test('the library: a cluster in, a result out, and each status by a call', async () => {
  const good = await environment.component(configMap.replace(/^data: .*$/m, 'data: {}'));
  const bad = await environment.component('kind: {{ fail "not today" }}');
  const statuses: ComponentStatus[] = [];
  const reconciler = createClusterReconciler({
    workspace: environment.workspace.folder,
    allowPrivateEndpoints: true,
    settings: { maxRetries: 1 },
  });
  try {
    const result = await reconciler.reconcile(
      {
        kubeconfig: environment.plane.kubeconfig,
        version: KYMA_VERSION,
        components: [good, bad].map(({ name }) => ({ component: name, namespace: name })),
      },
      { onStatus: (status) => void statuses.push(status) },
    );
    expect(result).toMatchObject({
      status: 'error',
      components: [
        { component: 'CRDs', state: 'done' },
        { component: good.name, state: 'done', reason: '' },
        { component: bad.name, state: 'error', reason: expect.stringContaining('not today') },
      ],
    });
    const of = (name: string) =>
      statuses.filter(({ component }) => component === name).map(({ status }) => status);
    expect(of(good.name)).toEqual(['running', 'success']);
    expect(of(bad.name)).toEqual(['running', 'error']);
  } finally {
    await reconciler.close();
  }
});

test('what a chart makes at random is the same in each run: nothing is written, and no pod starts again', async () => {
  const { name } = await environment.component(`
apiVersion: v1
kind: Secret
metadata: { name: login }
stringData: { password: "{{ randAlphaNum 20 }}" }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, annotations: { reconciler.kyma-project.io/ignore-pod-state: "true" } }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web }, annotations: { roll: "{{ uuidv4 }}", size: "{{ .Values.size }}" } }
    spec: { containers: [{ name: web, image: "web:1" }] }
`);
  const reconciler = createClusterReconciler({
    workspace: environment.workspace.folder,
    allowPrivateEndpoints: true,
    settings: { maxRetries: 1 },
  });
  const run = async (size: number) => {
    const result = await reconciler.reconcile({
      kubeconfig: environment.plane.kubeconfig,
      version: KYMA_VERSION,
      components: [{ component: name, namespace: name, configuration: { size } }],
    });
    expect(result).toMatchObject({ status: 'ready' });
    const login = await environment.objects.get(secrets, { namespace: name, name: 'login' });
    const web = await environment.objects.get(deployments, { namespace: name, name: 'web' });
    const roll = valueAt(web, ['spec', 'template', 'metadata', 'annotations', 'roll']);
    return { versionOfLogin: login.metadata.resourceVersion, roll, generation: web.metadata.generation };
  };
  try {
    const first = await run(1);
    expect(await run(1)).toEqual(first);
    // A change of another value leaves them as they are.
    expect(await run(2)).toEqual({ ...first, generation: 2 });
  } finally {
    await reconciler.close();
  }
});
