/**
 * A provider that the kit made of a document, as a process: it exposes all metrics that its dashboard and its alerts use, lets the older of
 * two objects own an external resource, and ends when it loses its Lease.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { readProject } from '../../../hack/kit/generate/read-project.ts';
import type { KubeObject } from '../../../internal/framework/kube/object/object.ts';
import {
  leases,
  namespaces,
  type ResourceType,
  secrets,
} from '../../../internal/framework/kube/object/resource-type.ts';
import { getCondition } from '../../../internal/framework/managed/resource/conditions.ts';
import type { Managed } from '../../../internal/framework/managed/resource/managed.ts';
import { type RestSimulator, startRestSimulator } from '../../../internal/framework/rest/fakes/index.ts';
import type { RestProvider } from '../../../internal/framework/rest/index.ts';
import { eventually } from '../../environment/eventually.ts';
import { installCrds, removeCrds } from '../../environment/install-crds.ts';
import { type Objects, objectsOf } from '../../environment/objects.ts';
import { demandsOf, type Monitoring, monitoringIn } from '../../monitoring/monitoring-files.ts';
import { missingIn, seriesIn } from '../../monitoring/series.ts';
import { controlPlanes, uniqueName } from '../harness/control-planes/control-planes.ts';
import { createAuthorFolder } from './author-folder.ts';
import { type ExampleProcess, startProgram } from './example-process.ts';

const ROOT = join(import.meta.dirname, '../../..');
const GROUP = 'monitored.m.example.org';
const namespace = uniqueName('monitored');
const kind = <R extends KubeObject>(name: string): ResourceType<R> => ({
  ...{ group: GROUP, version: 'v1alpha1', kind: name, plural: `${name.toLowerCase()}s`, namespaced: true },
});
const folders = kind<Managed>('Folder');
const configs = kind<KubeObject>('ProviderConfig');
/** It imports the folder `externalName`: one that is created waits for 30 s before it is deleted. */
const folder = (name: string, externalName = name) => ({
  apiVersion: `${GROUP}/v1alpha1`,
  kind: 'Folder',
  metadata: { namespace, name, annotations: { 'crossplane.io/external-name': externalName } },
  spec: {
    forProvider: { title: name },
    providerConfigRef: { kind: 'ProviderConfig', name: 'default' },
  },
});

const stack = new AsyncDisposableStack();
let provider: ExampleProcess;
let simulator: RestSimulator;
let monitoring: Monitoring;
let objects: Objects;

beforeAll(async () => {
  const { management } = await controlPlanes();
  objects = objectsOf(management);
  const author = await createAuthorFolder();
  stack.defer(() => author.remove());
  const document = join(ROOT, 'docs/authors/notes.openapi.yaml');
  const init = ['init', 'my-notes', '--group', 'monitored.example.org', '--openapi', document];
  expect(await author.kit([...init, '--kind', 'Folder'])).toMatchObject({ code: 0 });
  const project = join(author.path, 'provider-my-notes');
  expect(await author.kit(['generate'], project)).toMatchObject({ code: 0 });
  const text = (path: string) => readFile(join(project, path), 'utf8');
  monitoring = await monitoringIn('provider-my-notes', (name) => text(`package/monitoring/${name}`));

  const forms = ['monitored.example.org', GROUP];
  const names = forms.flatMap((group) => [
    ...['folders', 'providerconfigs', 'providerconfigusages'].map((plural) => `${group}_${plural}`),
  ]);
  names.push('monitored.m.example.org_clusterproviderconfigs');
  const crds = await Promise.all(names.map(async (name) => parse(await text(`package/crds/${name}.yaml`))));
  await installCrds(management, crds);
  stack.defer(() => removeCrds(management, crds));

  const module: { provider: RestProvider } = await import(pathToFileURL(join(project, 'kinds.gen.ts')).href);
  const { kinds } = await readProject(project);
  simulator = await startRestSimulator(
    kinds.map(({ kind: name, definition, sample }) => ({ name, definition, sample })),
    module.provider.authentication,
  );
  stack.defer(() => simulator.close());
  await objects.apply(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  stack.defer(() => objects.delete(namespaces, { name: namespace }));
  provider = await startProgram(author, {
    ready: 'controller started',
    args: [join(project, 'main.ts'), '--leader-election', '--poll=1s', '--allow-private-endpoints'],
    env: async () => ({ POD_NAMESPACE: namespace, PROGRAM_VERSION: '1.2.3', PROGRAM_REVISION: '0123abc' }),
  });
  stack.defer(() => provider.stop());
}, 300_000);
afterAll(() => stack.disposeAsync(), 120_000);

const page = async (): Promise<string> => {
  const serving =
    provider
      .log()
      .split('\n')
      .find((line) => line.includes('"/metrics"')) ?? '{}';
  const { address }: { address?: string } = JSON.parse(serving);
  return (await fetch(`http://${address}/metrics`)).text();
};

test('it exposes each metric of its dashboard and alerts, with their labels', async () => {
  const config = {
    apiVersion: `${GROUP}/v1alpha1`,
    kind: 'ProviderConfig',
    metadata: { namespace, name: 'default' },
    spec: {
      url: simulator.url,
      credentials: { source: 'Secret', secretRef: { namespace, name: 'notes', key: 'credentials' } },
    },
  };
  const data = { credentials: Buffer.from(simulator.credentials()).toString('base64') };
  const metadata = { namespace, name: 'notes' };
  await objects.apply(secrets, { apiVersion: 'v1', kind: 'Secret', metadata, data });
  await objects.apply(configs, config);
  for (const name of ['steady', 'going']) {
    simulator.add('Folder', { title: name }, { id: name });
    await objects.apply(folders, folder(name));
  }
  const isReady = async (name: string) => {
    const { status } = getCondition(await objects.get(folders, { namespace, name }), 'Ready') ?? {};
    expect(status).toBe('True');
  };
  for (const name of ['steady', 'going']) await eventually(() => isReady(name));
  const drifted = simulator.items('Folder').find(({ object }) => object.title === 'steady');
  if (drifted !== undefined) drifted.object.title = 'changed by others';
  await objects.delete(folders, { namespace, name: 'going' });
  await eventually(() =>
    expect(simulator.items('Folder').map(({ object }) => object.title)).toEqual(['steady']),
  );

  const asked = demandsOf(monitoring);
  expect(asked.length).toBeGreaterThan(70);
  await eventually(async () => expect(missingIn(seriesIn(await page()), asked)).toEqual([]), {
    timeoutMs: 30_000,
  });
});

test('one metric says which build runs', async () => {
  const [build] = seriesIn(await page()).filter(({ metric }) => metric.endsWith('_build_info'));
  expect(build).toEqual({
    metric: 'provider_my_notes_build_info',
    labels: { version: '1.2.3', revision: '0123abc', node_version: process.versions.node },
  });
});

test('of two objects with one external name the older one owns the folder', async () => {
  await objects.apply(folders, folder('second', 'steady'));
  const key = { namespace, name: 'second' };
  await eventually(async () =>
    expect(getCondition(await objects.get(folders, key), 'Synced')).toMatchObject({
      reason: 'Conflict',
      message: expect.stringContaining(
        `the folder "steady" is owned by Folder ${namespace}/steady: delete one of the two`,
      ),
    }),
  );
  await objects.delete(folders, key);
  await eventually(async () => expect(await objects.find(folders, key)).toBeUndefined());
  expect(simulator.items('Folder').map(({ object }) => object.title)).toEqual(['steady']);

  // Nothing is left with a finalizer when the process is gone.
  for (const [type, name] of [
    [folders, 'steady'],
    [configs, 'default'],
  ] as const) {
    await objects.delete(type, { namespace, name });
    await eventually(async () => expect(await objects.find(type, { namespace, name })).toBeUndefined());
  }
  expect(simulator.items('Folder')).toEqual([]);
});

test('the loss of its Lease ends it, with one line and no stack', async () => {
  const [lease] = await objects.list(leases, namespace);
  const before = provider.log().trimEnd().split('\n').length;
  await objects.patch(
    leases,
    { namespace, name: lease?.metadata.name ?? '' },
    {
      spec: { holderIdentity: 'another', leaseDurationSeconds: 3600 },
    },
  );
  expect(await provider.server.gone).toBe('it ended with 1');
  const lines = provider.log().trimEnd().split('\n').slice(before);
  const errors = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'error');
  expect(errors.map(({ msg }) => msg)).toEqual(['leadership lost', 'ended']);
  expect(provider.log()).not.toMatch(/\n\s+at /);
});
