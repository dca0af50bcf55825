/** The module infrastructure-manager: Gardener that is lost, its metrics, its namespace, and mistakes in its configuration. */
import '../harness/timeout.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { shoots } from '../../../apis/gardener/kinds.ts';
import { runtimes } from '../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { eventually } from '../../environment/eventually.ts';
import { type NetworkPath, openNetworkPath } from '../../environment/network-path.ts';
import { demands, moduleOf } from '../../monitoring/monitoring-files.ts';
import { missingIn, seriesIn } from '../../monitoring/series.ts';
import { editKubeconfig } from '../harness/access/kubeconfigs.ts';
import { uniqueName } from '../harness/control-planes/control-planes.ts';
import { type Cli, createCli } from '../harness/provider/cli-run.ts';
import type { ProviderProcess } from '../harness/provider/provider-process.ts';
import { type ModuleEnvironment, NAMESPACE, startModuleEnvironment } from './module-environment.ts';

let environment: ModuleEnvironment;
let cli: Cli;
/** Before Gardener. */
let way: NetworkPath;
let provider: ProviderProcess;

beforeAll(async () => {
  [environment, way] = await Promise.all([
    startModuleEnvironment({
      flags: { 'runtime-ctrl-workers-cnt': '7', 'gardener-cluster-ctrl-workers-cnt': '3' },
    }),
    openNetworkPath(),
  ]);
  cli = await createCli(environment.plane, '');
  const server = new URL(environment.garden.server);
  const cluster = { server: `https://${way.address}`, 'tls-server-name': server.hostname };
  provider = await environment.start({ garden: editKubeconfig(environment.garden.kubeconfig, { cluster }) });
}, 120_000);

afterAll(async () => {
  await environment?.stop();
  await cli?.stop();
  await way?.close();
});

test('while Gardener cannot be reached at the start the program is ready, and no Runtime fails', async () => {
  await environment.create('early');
  await eventually(async () => expect((await provider.get('/readyz')).status).toBe(200));
  await provider.untilLogged('the watch failed', 30_000);
  expect(await environment.provisioned('early')).not.toMatch(/Failed/);
  way.leadTo(environment.garden.server);
  await environment.completed('early');
});

test('a Runtime that is created while Gardener is lost becomes a Shoot when it is back', async () => {
  way.leadTo(undefined);
  way.cut();
  await environment.create('later');
  await eventually(async () => expect((await provider.get('/readyz')).body).toContain('gardener'));
  expect((await provider.get('/readyz')).status).toBe(200);
  expect(await environment.provisioned('later')).not.toMatch(/Failed/);
  expect(await environment.provisioned('early')).toBe('Pending True ShootCreationCompleted');
  way.leadTo(environment.garden.server);
  await environment.completed('later');
});

test('Runtimes of other namespaces are ignored', async () => {
  await environment.create('other', 'default');
  await environment.create('third');
  await environment.completed('third');
  expect(await environment.provisioned('other', 'default')).toBe('undefined undefined undefined');
});

test('what alerts and dashboard use is there, with its labels', async () => {
  const own = (await demands()).filter((demand) => moduleOf(demand) === 'infrastructure-manager');
  // States come and go.
  const asked = own.map((demand) => ({ ...demand, values: {} }));
  expect(asked.length).toBeGreaterThan(5);
  await eventually(async () => {
    const { body } = await provider.get('/metrics');
    expect(missingIn(seriesIn(body), asked)).toEqual([]);
  });
});

test('controllers have as many workers as their flags say', async () => {
  const { body } = await provider.get('/metrics');
  const workers = (controller: string) =>
    new RegExp(
      `^controller_runtime_max_concurrent_reconciles\\{.*controller="${controller}".*\\} (\\d+)$`,
      'm',
    ).exec(body)?.[1];
  expect([workers('runtime-controller'), workers('gardener-cluster-controller')]).toEqual(['7', '3']);
});

test('metrics have the state of each Runtime, and requests to Gardener by its name', async () => {
  const { body } = await provider.get('/metrics');
  expect(body).toMatch(
    /infrastructure_manager_im_runtime_state\{[^}]*runtimeName="early"[^}]*state="Pending"/,
  );
  expect(body).toMatch(/kube_informer_failures_total\{cluster="gardener",resource="shoots[^}]*\} [1-9]/);
});

test('doctor checks the rights in Gardener too, and prints rules for what is missing', async () => {
  const { garden, project, flags } = environment;
  const review = async (path: string) => {
    const ofDoctor = flags({ 'gardener-kubeconfig-path': path }).filter((flag) =>
      /^--gardener-(kubeconfig|project)/.test(flag),
    );
    return cli.run(['doctor', '--permissions', '--controllers=infrastructure-manager', ...ofDoctor]);
  };
  const user = 'the user of the kubeconfig of Gardener';
  const lacking = await review(await cli.user(garden, uniqueName('without-rights')));
  expect(lacking.code).toBe(1);
  expect(lacking.out).toContain(`Add to a Role in namespace ${project.namespace} that is bound to ${user}:`);
  expect(lacking.out).toContain(
    '{ apiGroups: [ core.gardener.cloud ], resources: [ shoots ], verbs: [ get, list, watch, create, update, patch, delete ] }',
  );
  expect(await review(await cli.user(garden, uniqueName('admin'), ['system:masters']))).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^The user of the kubeconfig of Gardener: (\d+) of \1 rights granted$/m),
  });
});

test('a deleted Runtime goes with its Shoot', async () => {
  await environment.objects.delete(runtimes, { namespace: NAMESPACE, name: 'early' });
  await eventually(async () => {
    expect(await environment.objects.find(runtimes, { namespace: NAMESPACE, name: 'early' })).toBeUndefined();
  });
  const { client, namespace, copies } = environment.project;
  const names = (await client.list(shoots, { namespace })).items.map(({ metadata }) => metadata.name);
  expect(names.filter((name) => !copies.isCopy(name)).sort()).toEqual(['later', 'third']);
  // Of three Shoots, with their ConfigMaps.
  expect(copies.count()).toBe(6);
  expect(environment.project.errors).toEqual([]);
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
  {
    mistake: 'both of them missing',
    change: {
      'gardener-kubeconfig-path': '/missing/kubeconfig',
      'converter-config-filepath': '/missing/converter.json',
    },
    text: /2 mistakes in the configuration; see docs\/\S+: .*\/missing\/converter\.json.*\/missing\/kubeconfig/,
  },
  {
    mistake: 'a runtime bootstrapper without a place in the runtimes',
    change: { 'runtime-bootstrapper-enabled': 'true', 'runtime-bootstrapper-skr-namespace': '' },
    text: /--runtime-bootstrapper-enabled needs --runtime-bootstrapper-skr-namespace/,
  },
  {
    mistake: 'a runtime bootstrapper whose manifests are missing',
    change: {
      'runtime-bootstrapper-enabled': 'true',
      'runtime-bootstrapper-manifests-config-map-name': 'missing',
      'runtime-bootstrapper-kcp-config-name': 'missing',
      'runtime-bootstrapper-skr-config-name': 'config',
      'runtime-bootstrapper-skr-deployment-name': 'bootstrapper',
      'runtime-bootstrapper-skr-namespace': 'kyma-system',
    },
    text: /--runtime-bootstrapper-enabled: unable to find ConfigMap kcp-system\/missing/,
  },
  { mistake: 'a value out of bounds', change: { 'runtime-ctrl-workers-cnt': '0' }, text: /1 to 1000/ },
])('$mistake is one error and exit code 2', async ({ change, text }) => {
  const addresses = ['--metrics-bind-address=0', '--health-probe-bind-address=0'];
  const { code, err } = await cli.run([
    'start',
    '--controllers=infrastructure-manager',
    ...environment.flags(change),
    ...addresses,
  ]);
  expect(err).toMatch(text);
  expect(code).toBe(2);
});
