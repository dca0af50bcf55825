/** The module infrastructure-manager as users run it: the program, with the rights of its manifest and its flags. */
import '../harness/timeout.ts';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { shoots } from '../../../apis/gardener/kinds.ts';
import {
  type Runtime,
  runtimes,
} from '../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { type ControlPlane, startControlPlane } from '../../../hack/control-planes/control-plane.ts';
import type { KubeObject } from '../../../internal/kube/object/object.ts';
import { namespaces } from '../../../internal/kube/object/resource-type.ts';
import {
  configurationOf,
  pool,
  runtimeOf,
  tenant,
  zonesOf,
} from '../../contract/gardener/rendering/choices.ts';
import { eventually } from '../../environment/eventually.ts';
import { infrastructureManagerCrds, installCrds } from '../../environment/install-crds.ts';
import { namespaceManifest } from '../../environment/manifests.ts';
import { type Objects, objectsOf } from '../../environment/objects.ts';
import { editKubeconfig } from '../harness/access/kubeconfigs.ts';
import { type BlackHole, openBlackHole } from '../harness/black-hole.ts';
import { type GardenProject, openProject, sharedGarden } from '../harness/gardener/garden.ts';
import { type Cli, createCli } from '../harness/provider/cli-run.ts';
import {
  type ProviderProcess,
  type ProviderProcesses,
  providerProcesses,
} from '../harness/provider/provider-process.ts';

const NAMESPACE = 'kcp-system';
const ACCOUNT = `system:serviceaccount:${NAMESPACE}:infrastructure-manager`;

let plane: ControlPlane;
let project: GardenProject;
let objects: Objects;
let processes: ProviderProcesses;
let cli: Cli;
let folder: string;
let gardenPort: number;
/** Before Gardener. */
let way: BlackHole;
let provider: ProviderProcess;
const file = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kyma-infrastructure-'));
  const garden = await sharedGarden();
  [plane, project, way] = await Promise.all([
    startControlPlane({ name: 'kcp-module' }),
    openProject(garden),
    openBlackHole(),
  ]);
  objects = objectsOf(plane);
  await objects.apply(namespaces, namespaceManifest(NAMESPACE));
  await installCrds(plane, await infrastructureManagerCrds());
  await applyRights();
  const server = new URL(garden.server);
  gardenPort = Number(server.port);
  const cluster = { server: `https://${way.address}`, 'tls-server-name': server.hostname };
  const { auditTenants: _t, maintenanceWindows: _w, ...converter } = configurationOf(project.project);
  const { auditLogging } = converter.converter;
  await Promise.all([
    writeFile(file('garden.kubeconfig'), editKubeconfig(garden.kubeconfig, { cluster })),
    writeFile(file('tenants.json'), JSON.stringify({ aws: { elsewhere: tenant } })),
    writeFile(
      file('converter.json'),
      JSON.stringify(
        {
          ...converter,
          converter: {
            ...converter.converter,
            auditLogging: { ...auditLogging, tenantConfigPath: file('tenants.json') },
            maintenanceWindow: { windowMapPath: '' },
          },
        },
        null,
        2,
      ),
    ),
  ]);
  [processes, cli] = await Promise.all([providerProcesses(''), createCli(plane, '')]);
  provider = await processes.start({
    kubeconfig: await plane.addUser({ name: ACCOUNT }),
    args: ['--controllers=infrastructure-manager', ...flags()],
  });
}, 120_000);

afterAll(async () => {
  await processes?.stop();
  await cli?.stop();
  await project?.stop();
  await way?.close();
  await plane?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

/** As in a Deployment of the Kyma infrastructure manager. */
const flags = (change: Readonly<Record<string, string>> = {}) =>
  Object.entries({
    'gardener-kubeconfig-path': file('garden.kubeconfig'),
    'gardener-project-name': project.project,
    'converter-config-filepath': file('converter.json'),
    'gardener-request-timeout': '10s',
    'audit-log-mandatory': 'false',
    'leader-elect': 'false',
    ...change,
  }).map(([name, value]) => `--${name}=${value}`);

async function applyRights(): Promise<void> {
  const manifest = new URL('../../../package/infrastructure-manager/rbac.yaml', import.meta.url);
  for (const document of parseAllDocuments(await readFile(manifest, 'utf8'))) {
    const object = document.toJS() as KubeObject;
    const [group = '', version = ''] = object.apiVersion.includes('/')
      ? object.apiVersion.split('/')
      : ['', object.apiVersion];
    const plural = `${object.kind.toLowerCase()}s`;
    const namespaced = object.metadata.namespace !== undefined;
    await objects.apply({ group, version, kind: object.kind, plural, namespaced }, object);
  }
}

const zones = zonesOf('aws');
const create = async (name: string, namespace = NAMESPACE): Promise<void> => {
  const { metadata, ...rest } = runtimeOf('aws', name, [pool('aws', zones.slice(0, 1))]);
  await objects.apply(runtimes, { ...rest, metadata: { ...metadata, namespace } } as Runtime);
};
const provisioned = async (name: string, namespace = NAMESPACE): Promise<string> => {
  const { status } = await objects.get(runtimes, { namespace, name });
  const condition = status?.conditions?.find(({ type }) => type === 'Provisioned');
  return `${status?.state} ${condition?.status} ${condition?.reason}`;
};
const completed = (name: string) =>
  eventually(async () => expect(await provisioned(name)).toBe('Pending True ShootCreationCompleted'), {
    timeoutMs: 60_000,
  });

test('while Gardener cannot be reached at the start the program is ready, and no Runtime fails', async () => {
  await create('early');
  await eventually(async () => expect((await provider.get('/readyz')).status).toBe(200));
  await provider.untilLogged('the watch failed', 30_000);
  expect(await provisioned('early')).not.toMatch(/Failed/);
  way.leadTo(gardenPort);
  await completed('early');
});

test('a Runtime that is created while Gardener is lost becomes a Shoot when it is back', async () => {
  way.cut();
  await create('later');
  await eventually(async () => expect((await provider.get('/readyz')).body).toContain('gardener'));
  expect((await provider.get('/readyz')).status).toBe(200);
  expect(await provisioned('later')).not.toMatch(/Failed/);
  expect(await provisioned('early')).toBe('Pending True ShootCreationCompleted');
  way.leadTo(gardenPort);
  await completed('later');
});

test('Runtimes of other namespaces are ignored', async () => {
  await create('other', 'default');
  await create('third');
  await completed('third');
  expect(await provisioned('other', 'default')).toBe('undefined undefined undefined');
});

test('metrics have the state of each Runtime, and requests to Gardener by its name', async () => {
  const { body } = await provider.get('/metrics');
  expect(body).toMatch(
    /infrastructure_manager_im_runtime_state\{[^}]*runtimeName="early"[^}]*state="Pending"/,
  );
  expect(body).toMatch(/kube_informer_failures_total\{cluster="gardener",resource="shoots[^}]*\} [1-9]/);
});

test('a deleted Runtime goes with its Shoot', async () => {
  await objects.delete(runtimes, { namespace: NAMESPACE, name: 'early' });
  await eventually(async () => {
    expect(await objects.find(runtimes, { namespace: NAMESPACE, name: 'early' })).toBeUndefined();
  });
  const names = (await project.client.list(shoots, { namespace: project.namespace })).items;
  expect(names.map(({ metadata }) => metadata.name).sort()).toEqual(['later', 'third']);
  expect(project.errors).toEqual([]);
});

test.each([
  {
    mistake: 'a kubeconfig of Gardener that is missing',
    change: { 'gardener-kubeconfig-path': '/missing/kubeconfig' },
    text: /cannot use the kubeconfig of Gardener \(--gardener-kubeconfig-path=\/missing\/kubeconfig\)/,
  },
  {
    mistake: 'another project than in the converter configuration',
    change: { 'gardener-project-name': 'another' },
    text: /converter\.json:\d+:\d+: .*--gardener-project-name is another/,
  },
  {
    mistake: 'a converter configuration that is missing',
    change: { 'converter-config-filepath': '/missing/converter.json' },
    text: /\/missing\/converter\.json/,
  },
  { mistake: 'a value out of bounds', change: { 'runtime-ctrl-workers-cnt': '0' }, text: /1 to 1000/ },
])('$mistake is one error and exit code 2', async ({ change, text }) => {
  const addresses = ['--metrics-bind-address=0', '--health-probe-bind-address=0'];
  const { code, err } = await cli.run([
    'start',
    '--controllers=infrastructure-manager',
    ...flags(change),
    ...addresses,
  ]);
  expect(err).toMatch(text);
  expect(code).toBe(2);
});
