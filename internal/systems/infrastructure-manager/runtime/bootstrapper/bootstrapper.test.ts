/** The runtime bootstrapper in the cluster of a Runtime: what is copied, installed and replaced there, and what the Runtime shows. */
import { afterEach, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import {
  type SimulatedGardener,
  startSimulatedGardener,
} from '../../../../../test/simulators/gardener/simulated-gardener.ts';
import { createFakeClock } from '../../../../framework/base/time/fake-clock.ts';
import { apiError, createMemoryClient } from '../../../../framework/kube/fakes/memory-client.ts';
import {
  type ConfigMap,
  configMaps,
  type KubeObject,
  type ResourceType,
  type Secret,
  secrets,
} from '../../../../framework/kube/index.ts';
import { NAMESPACE, runtimeOf } from '../fixtures/runtime.fixture.ts';
import { type RuntimeHarness, startRuntimeHarness } from '../fixtures/runtime-harness.fixture.ts';
import { type BootstrapperSettings, checkBootstrapper } from './bootstrapper.ts';
import {
  type ClusterTrustBundle,
  clusterTrustBundles,
  type Deployment,
  deployments,
  parseManifests,
} from './manifests.ts';

let h: RuntimeHarness<SimulatedGardener>;
afterEach(() => h?.stop());

const source = (name: string) => ({ namespace: NAMESPACE, name });
const target = (name: string) => ({ namespace: 'kyma-system', name });
const DEPLOYMENT = target('rt-bootstrapper-controller-manager');
const MANIFESTS = source('runtime-bootstrapper-manifests');
const CONFIG = source('rt-bootstrapper-config');
const PULL_SECRET = source('pull');
const settings: BootstrapperSettings = {
  manifests: MANIFESTS,
  deployment: DEPLOYMENT,
  config: { source: CONFIG, target: target('rt-bootstrapper-config') },
  pullSecret: undefined,
  trustBundle: undefined,
};
const pullSecret = { source: PULL_SECRET, target: target('registry-credentials') };
const trustBundle = { source: { name: 'kcp' }, target: { name: 'skr' } };

const serviceAccounts: ResourceType = {
  ...configMaps,
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
};
const clusterRoles: ResourceType = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  namespaced: false,
};

const deploymentOf = (version: string, image = 'bootstrapper:1') => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { ...DEPLOYMENT, labels: { 'app.kubernetes.io/version': version } },
  spec: { replicas: 1, template: { spec: { containers: [{ name: 'manager', image }] } } },
});
const manifestsOf = (version: string, image?: string): string =>
  [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: target('bootstrapper') },
    deploymentOf(version, image),
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'bootstrapper' } },
    { apiVersion: 'v1', kind: 'Secret', metadata: target('login'), stringData: { user: 'me' } },
  ]
    .map((object) => stringify(object))
    .join('---\n');

const configMap = ({ namespace, name }: { namespace: string; name: string }, data: Record<string, string>) =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name }, data }) satisfies ConfigMap;
const pull = (content: string, type = 'kubernetes.io/dockerconfigjson'): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { ...PULL_SECRET },
  type,
  data: { '.dockerconfigjson': Buffer.from(content).toString('base64') },
});
const bundle: ClusterTrustBundle = {
  apiVersion: 'certificates.k8s.io/v1beta1',
  kind: 'ClusterTrustBundle',
  metadata: { name: 'kcp' },
  spec: { trustBundle: 'certificate' },
};

async function started(more: Partial<BootstrapperSettings> = {}): Promise<void> {
  h = await startRuntimeHarness(startSimulatedGardener, {
    bootstrapper: { ...settings, ...more },
    isStopped: true,
  });
  h.client.seed(configMaps, configMap(MANIFESTS, { 'manifests.yaml': manifestsOf('v1') }));
  h.client.seed(configMaps, configMap(CONFIG, { mirror: 'registry.example.org' }));
  h.client.seed(secrets, pull('first'));
  h.client.seed(clusterTrustBundles, bundle);
  // The kinds that the cluster serves.
  for (const type of [serviceAccounts, clusterRoles, secrets]) h.runtime.peekAll(type);
  await h.restart();
}

const rollOut = async (status: Deployment['status'] = readyStatus()) => {
  await h.runtime.otherProgram().mergePatch(deployments, DEPLOYMENT, { status }, { subresource: 'status' });
};
const readyStatus = (): Deployment['status'] => ({
  observedGeneration: live()?.metadata.generation ?? 1,
  readyReplicas: 1,
  updatedReplicas: 1,
  conditions: [
    { type: 'Available', status: 'True' },
    { type: 'Progressing', status: 'True' },
  ],
});
const failedStatus = (): Deployment['status'] => ({
  observedGeneration: live()?.metadata.generation ?? 1,
  conditions: [
    { type: 'Available', status: 'False' },
    { type: 'Progressing', status: 'False' },
  ],
});
const live = () => h.runtime.peek(deployments, DEPLOYMENT);
const shown = () => h.shown('RuntimeBootstrapperReady');
const change = (type: ResourceType, { metadata: { namespace, name } }: KubeObject, patch: object) =>
  h.client.otherProgram().mergePatch(type, namespace === undefined ? { name } : { namespace, name }, patch);
const setManifests = (text: string) =>
  change(configMaps, configMap(MANIFESTS, {}), { data: { 'manifests.yaml': text } });
const applies = () => h.runtime.requests.filter(({ verb }) => verb === 'apply').length;
const image = () =>
  (live() as { spec: { template: { spec: { containers: { image: string }[] } } } } | undefined)?.spec.template
    .spec.containers[0]?.image;

async function settled(more: Partial<BootstrapperSettings> = {}): Promise<void> {
  await started(more);
  await h.create(runtimeOf());
  await h.wait();
  await rollOut();
  await h.wait(60_000);
  expect(shown()).toBe(
    'Ready True RuntimeBootstrapperConfigured Runtime bootstrapper installation completed',
  );
}

test('[N55] without the flag nothing of it is read or written', async () => {
  h = await startRuntimeHarness(startSimulatedGardener);
  await h.create(runtimeOf());
  await h.wait();
  expect(h.shown('Configured')).toMatch(/^Ready True /);
  expect(shown()).toBeUndefined();
  expect(h.runtime.requests.some(({ type }) => type.kind === 'Deployment')).toBe(false);
});

test('[N58] [N61] [N63] the bootstrapper is installed with its configuration, and the Runtime waits until it works', async () => {
  await started();
  await h.create(runtimeOf());
  await h.wait();
  expect(shown()).toBe(
    'Pending False RuntimeBootstrapperInstallationInProgress Runtime bootstrapper installation in progress',
  );
  expect(h.runtime.peek(configMaps, target('rt-bootstrapper-config'))?.data).toEqual({
    mirror: 'registry.example.org',
  });
  // Texts of a Secret in the manifests are its data: those that leave them go.
  expect(h.runtime.peekAll(secrets)).toMatchObject([{ metadata: target('login'), data: { user: 'bWU=' } }]);
  expect(h.runtime.peek(serviceAccounts, target('bootstrapper'))).toBeDefined();
  expect(h.runtime.peek(clusterRoles, { name: 'bootstrapper' })).toBeDefined();
  await h.wait(120_000);
  expect(h.shown('Configured')).toBeUndefined();
  await rollOut();
  await h.wait(60_000);
  expect(h.stored()?.status).toMatchObject({ state: 'Ready', provisioningCompleted: true });
  expect(
    h
      .stored()
      ?.status?.conditions?.map(({ type }) => type)
      .slice(2, 4),
  ).toEqual(['KymaSystemNSCreated', 'RuntimeBootstrapperReady']);
  expect(shown()).toBe(
    'Ready True RuntimeBootstrapperConfigured Runtime bootstrapper installation completed',
  );
  const before = h.runtime.requests.filter(({ verb }) => verb !== 'get' && verb !== 'list').length;
  await h.wait(3_700_000);
  expect(h.runtime.requests.filter(({ verb }) => verb !== 'get' && verb !== 'list').length).toBe(before);
});

test('[N62] [N63] copies follow their sources, and are written only when they differ', async () => {
  await settled({ pullSecret, trustBundle });
  expect(h.runtime.peek(secrets, target('registry-credentials'))).toMatchObject({
    type: 'kubernetes.io/dockerconfigjson',
    data: pull('first').data,
  });
  expect(h.runtime.peek(clusterTrustBundles, { name: 'skr' })?.spec).toEqual(bundle.spec);
  const [owner] = (h.runtime.peek(secrets, target('registry-credentials'))?.metadata.managedFields ??
    []) as readonly { readonly manager: string }[];
  expect(owner?.manager).toBe('kim-bootstrapper');
  const before = applies();
  await h.wait(3_700_000);
  expect(applies()).toBe(before);
  await change(secrets, pull(''), { data: pull('second').data });
  await change(clusterTrustBundles, bundle, { spec: { trustBundle: 'another' } });
  await change(configMaps, configMap(CONFIG, {}), { data: { mirror: null, other: 'x' } });
  await h.wait(60_000);
  expect(h.runtime.peek(secrets, target('registry-credentials'))?.data).toEqual(pull('second').data);
  expect(h.runtime.peek(clusterTrustBundles, { name: 'skr' })?.spec.trustBundle).toBe('another');
  expect(h.runtime.peek(configMaps, target('rt-bootstrapper-config'))?.data).toEqual({ other: 'x' });
  expect(applies()).toBe(before + 3);
});

test('[N62] a copy that the Kyma infrastructure manager has made is not written, and keys of others stay', async () => {
  await started();
  const made = configMap(target('rt-bootstrapper-config'), { mirror: 'registry.example.org' });
  await h.runtime.otherProgram().create(configMaps, made);
  await h.create(runtimeOf());
  await h.wait();
  expect(h.runtime.peek(configMaps, made.metadata)?.metadata.annotations).toBeUndefined();
  await h.runtime.otherProgram().mergePatch(configMaps, made.metadata, { data: { own: 'x' } });
  await rollOut();
  await h.wait(3_800_000);
  expect(h.runtime.peek(configMaps, made.metadata)?.data).toEqual({
    mirror: 'registry.example.org',
    own: 'x',
  });
  const before = applies();
  await h.wait(3_700_000);
  expect(applies()).toBe(before);
});

test('[N59] [N66] another version is applied to all clusters, and a Runtime that is Ready stays Ready', async () => {
  await settled();
  await setManifests(manifestsOf('v2', 'bootstrapper:2'));
  await h.wait(1000);
  expect(shown()).toBe(
    'Ready False RuntimeBootstrapperUpgradeInProgress Runtime bootstrapper upgrade in progress',
  );
  expect(image()).toBe('bootstrapper:2');
  await h.wait(30_000);
  // The old status says nothing about the new pods.
  expect(shown()).toMatch(/^Ready False RuntimeBootstrapperInstallationInProgress /);
  await rollOut();
  await h.wait(60_000);
  expect(shown()).toMatch(/^Ready True /);
});

test('manifests are read as kubectl reads them', () => {
  const text = stringify(deploymentOf('v1')).replace('replicas: 1', 'replicas: 1\n  mode: 0644\n  flag: on');
  expect(parseManifests(text, 'here', DEPLOYMENT).deployment).toMatchObject({
    spec: { replicas: 1, mode: 0o644, flag: true },
  });
});

test('[N59] an upgrade that is refused is shown with its cause and repeated', async () => {
  await settled();
  const end = h.runtime.onRequest(({ verb, type }) => {
    if (verb === 'apply' && type.kind === 'ClusterRole') throw apiError(403, 'Forbidden', 'not yours');
  });
  await setManifests(manifestsOf('v2', 'bootstrapper:2'));
  await h.wait(1000);
  expect(shown()).toMatch(
    /^Ready False RuntimeBootstrapperUpgradeFailed Runtime bootstrapper upgrade failed: .*not yours$/,
  );
  // The Deployment is applied last, so that the rest is not forgotten.
  expect(image()).toBe('bootstrapper:1');
  end();
  await h.wait(600_000);
  expect(image()).toBe('bootstrapper:2');
});

test('other content under the same version is applied to what this program has installed, and to nothing else', async () => {
  await settled();
  await setManifests(manifestsOf('v1', 'bootstrapper:1.1'));
  await h.wait(60_000);
  expect(image()).toBe('bootstrapper:1.1');
});

test('[N61] an installation of the Kyma infrastructure manager of the same version stays as it is', async () => {
  await started();
  await h.runtime.otherProgram().create(deployments, deploymentOf('v1', 'bootstrapper:old') as Deployment);
  await rollOut();
  await h.create(runtimeOf());
  await h.wait();
  expect(shown()).toMatch(/^Ready True RuntimeBootstrapperConfigured /);
  expect(image()).toBe('bootstrapper:old');
});

test('[N60] pods that do not become ready make a new Runtime Failed, until they do', async () => {
  await started();
  await h.create(runtimeOf());
  await h.wait();
  await rollOut(failedStatus());
  await h.wait(60_000);
  expect(shown()).toBe(
    'Failed False RuntimeBootstrapperInstallationFailed Runtime bootstrapper installation failed',
  );
  await rollOut();
  await h.wait(300_000);
  expect(shown()).toMatch(/^Ready True /);
});

test('manifests with a repair are applied to an installation that has failed', async () => {
  await started();
  await h.create(runtimeOf());
  await h.wait();
  await rollOut(failedStatus());
  await h.wait(60_000);
  await setManifests(manifestsOf('v2', 'bootstrapper:2'));
  await h.wait(300_000);
  expect(image()).toBe('bootstrapper:2');
});

test.each([
  [
    '[N56] the configuration cannot be copied',
    'apply',
    'ConfigMap',
    'RuntimeBootstrapperConfigurationFailed Failed to copy configuration to the runtime cluster',
  ],
  [
    '[N57] the Deployment cannot be read',
    'get',
    'Deployment',
    'RuntimeBootstrapperStatusUnknown Runtime bootstrapper status check failed',
  ],
  [
    '[N58] the manifests cannot be applied',
    'apply',
    'ServiceAccount',
    'RuntimeBootstrapperInstallationFailed Runtime bootstrapper installation failed',
  ],
])('%s: the Runtime is Pending with the cause, and goes on when it can', async (_, verb, kind, text) => {
  for (const status of [403, 503]) {
    await started();
    const tries: number[] = [];
    const end = h.runtime.onRequest((request) => {
      if (request.verb !== verb || request.type.kind !== kind) return;
      tries.push(h.clock.monotonic());
      throw apiError(status, 'Refused', 'why');
    });
    await h.create(runtimeOf());
    await h.wait();
    const line = shown() ?? '';
    expect(line.startsWith(`Pending False ${text}: `)).toBe(true);
    expect(line.endsWith('why')).toBe(true);
    // The Kyma infrastructure manager tries it again every 30 s; here the delay doubles, up to 5 min.
    await h.wait(600_000);
    const delays = tries.slice(1).map((at, index) => Math.round((at - (tries[index] ?? 0)) / 1000));
    expect(delays).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256]);
    // Nothing that comes after the step that failed was done.
    expect(live()).toBeUndefined();
    expect(h.shown('Configured')).toBeUndefined();
    if (verb === 'apply' && kind === 'ConfigMap')
      expect(h.runtime.requests.some(({ type }) => type.kind === 'Deployment')).toBe(false);
    if (verb === 'get') expect(h.runtime.peek(serviceAccounts, target('bootstrapper'))).toBeUndefined();
    expect(h.unexpectedStops).toBe(0);
    end();
    await h.wait(300_000);
    expect(shown()).toMatch(/^Pending False RuntimeBootstrapperInstallationInProgress /);
    expect(image()).toBe('bootstrapper:1');
    await h.stop();
  }
});

test.each([
  [
    '[N56] the source of the configuration',
    CONFIG,
    'RuntimeBootstrapperConfigurationFailed',
    'ConfigMap kcp-system/rt-bootstrapper-config of the runtime bootstrapper is missing',
  ],
  [
    '[N57] the ConfigMap with the manifests',
    MANIFESTS,
    'RuntimeBootstrapperStatusUnknown',
    'ConfigMap kcp-system/runtime-bootstrapper-manifests of the runtime bootstrapper is missing',
  ],
])(
  '%s is deleted and created again: the condition says so, then the Runtime goes on',
  async (_, key, reason, text) => {
    await started();
    const stored = h.client.peek(configMaps, key);
    await h.client.otherProgram().delete(configMaps, key);
    await h.create(runtimeOf());
    await h.wait();
    expect(shown()).toContain(`Pending False ${reason} `);
    expect(shown()).toContain(text);
    await h.client.otherProgram().create(configMaps, configMap(key, stored?.data ?? {}));
    await h.wait(1000);
    expect(shown()).toMatch(/^Pending False RuntimeBootstrapperInstallationInProgress /);
  },
);

test('an object that another Runtime has made is not changed', async () => {
  await started();
  const other = 'infrastructuremanager.kyma-project.io/runtime';
  const annotations = { [other]: 'kcp-system/other/uid kyma-system/another' };
  const object = {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { ...target('bootstrapper'), annotations },
  };
  await h.runtime.otherProgram().create(serviceAccounts, object);
  await h.create(runtimeOf());
  await h.wait();
  expect(shown()).toBe(
    'Pending False RuntimeBootstrapperInstallationFailed Runtime bootstrapper installation failed: ServiceAccount kyma-system/bootstrapper of the runtime is of others',
  );
  expect(h.runtime.peek(serviceAccounts, target('bootstrapper'))?.metadata.annotations).toEqual(annotations);
});

test('[N66] a changed source reaches a Runtime whose patches are suspended, and causes no write to its Shoot', async () => {
  await settled();
  await h.patch({
    metadata: { annotations: { 'operator.kyma-project.io/suspend-patch-reconciliation': 'true' } },
  });
  const generation = h.shoot()?.metadata.generation;
  await change(configMaps, configMap(CONFIG, {}), { data: { mirror: 'other' } });
  await h.wait(60_000);
  expect(h.runtime.peek(configMaps, target('rt-bootstrapper-config'))?.data).toEqual({ mirror: 'other' });
  expect(h.shoot()?.metadata.generation).toBe(generation);
});

test('nothing of the cluster is deleted before its Shoot', async () => {
  await settled();
  await h.delete();
  await h.wait(120_000);
  expect(h.stored()).toBeUndefined();
  expect(h.runtime.requests.some(({ verb }) => verb === 'delete')).toBe(false);
});

const incomplete: readonly [string, (client: ReturnType<typeof createMemoryClient>) => void, string][] = [
  ['the manifests are missing', () => undefined, `unable to find ConfigMap ${NAMESPACE}/${MANIFESTS.name}`],
  [
    'the manifests are no YAML',
    (client) => client.seed(configMaps, configMap(MANIFESTS, { 'manifests.yaml': 'a: b\n---\nb: c\na: [' })),
    'manifests.yaml, line 4: it is not valid YAML (BAD_INDENT)',
  ],
  [
    'the manifests have no Deployment',
    (client) => client.seed(configMaps, configMap(MANIFESTS, { 'manifests.yaml': 'a: b' })),
    'manifests.yaml has no Deployment kyma-system/rt-bootstrapper-controller-manager',
  ],
  [
    'an object has no name',
    (client) =>
      client.seed(configMaps, configMap(MANIFESTS, { 'manifests.yaml': 'apiVersion: v1\nkind: Pod\n' })),
    'manifests.yaml, line 1: the object has no apiVersion or no metadata.name',
  ],
];
test.each(incomplete)('[N64] the start is refused: %s', async (_, seed, message) => {
  const client = createMemoryClient({ clock: createFakeClock() });
  seed(client);
  await expect(checkBootstrapper(client, settings)).rejects.toThrow(message);
});

test('[N64] the start is refused without a source, and with a pull secret of another type', async () => {
  const client = createMemoryClient({ clock: createFakeClock() });
  const all = { ...settings, pullSecret, trustBundle };
  client.seed(configMaps, configMap(MANIFESTS, { 'manifests.yaml': manifestsOf('v1') }));
  const check = () => checkBootstrapper(client, all);
  await expect(check()).rejects.toThrow(`unable to find ConfigMap ${NAMESPACE}/rt-bootstrapper-config`);
  client.seed(configMaps, configMap(CONFIG, {}));
  await expect(check()).rejects.toThrow(`unable to find Secret ${NAMESPACE}/pull`);
  const opaque = client.seed(secrets, pull('x', 'Opaque'));
  await expect(check()).rejects.toThrow(
    'pull secret kcp-system/pull has invalid type, expected kubernetes.io/dockerconfigjson',
  );
  await client.delete(secrets, opaque.metadata);
  client.seed(secrets, pull('x'));
  await expect(check()).rejects.toThrow('unable to find ClusterTrustBundle kcp');
  client.seed(clusterTrustBundles, bundle);
  await check();
});
