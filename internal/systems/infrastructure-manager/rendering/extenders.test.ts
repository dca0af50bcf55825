import { describe, expect, test } from '@jest/globals';
import type { Shoot } from '../../../../apis/gardener/kinds.ts';
import { deepFreeze } from '../../../framework/base/json/json-value.ts';
import type { Configuration } from '../configuration/configuration.ts';
import {
  accessRestrictions,
  accountLabels,
  annotations,
  auditPolicy,
  authentication,
  cloudProfile,
  createKubernetesVersion,
  createResources,
  credentials,
  dns,
  exposureClass,
  featureGates,
  maintenance,
  networking,
  patchAuthentication,
  patchCloudProfile,
  patchCredentials,
  patchDns,
  patchKubernetesVersion,
  seedSelector,
  tokenExpiration,
  tolerations,
} from './extenders.ts';
import { configurationOf, type RuntimeChanges, runtimeOf, tenant } from './fixtures/rendering.fixture.ts';
import type { RenderingInput } from './model/extender.ts';

function inputOf(changes: RuntimeChanges = {}, more: Partial<RenderingInput> = {}): RenderingInput {
  const runtime = runtimeOf(changes);
  if (runtime.spec === undefined) throw new Error('a Runtime without spec');
  return {
    runtime,
    spec: runtime.spec,
    configuration: configurationOf(),
    audit: undefined,
    networkRestriction: true,
    clusterTrustBundles: false,
    accessControl: undefined,
    cacheSecrets: new Map(),
    keepsCaches: false,
    ...more,
  };
}

const shootOf = (spec: object): Shoot => deepFreeze({ spec }) as unknown as Shoot;

/** The configuration with other members of `kubernetes`. */
const withKubernetes = (more: Partial<Configuration['converter']['kubernetes']>): Configuration =>
  configurationOf({ kubernetes: { ...configurationOf().converter.kubernetes, ...more } });

const PREFIX = 'infrastructuremanager.kyma-project.io';
const gracePeriods = {
  'shoot.gardener.cloud/cleanup-extended-apis-finalize-grace-period-seconds': '120',
  'shoot.gardener.cloud/cleanup-kubernetes-resources-finalize-grace-period-seconds': '120',
  'shoot.gardener.cloud/cleanup-webhooks-finalize-grace-period-seconds': '60',
};

test.each([
  [100, undefined, { 'runtime-generation': '100' }],
  [0, 'TestDevelopmentAndDemo', { 'runtime-generation': '0', 'licence-type': 'TestDevelopmentAndDemo' }],
  [1, '', { 'runtime-generation': '1' }],
])('[I81] [N100] annotations of generation %s with licence %s', (generation, licenceType, expected) => {
  const shoot = licenceType === undefined ? {} : { licenceType };
  const all = { 'runtime-id': 'runtime-1', ...expected };
  expect(annotations(inputOf({ metadata: { generation }, shoot }))).toEqual({
    annotations: {
      ...Object.fromEntries(Object.entries(all).map(([key, value]) => [`${PREFIX}/${key}`, value])),
      ...gracePeriods,
    },
  });
});

test('[I82] labels have the accounts', () => {
  expect(accountLabels(inputOf())).toEqual({
    labels: { account: 'account-1', subaccount: 'subaccount-1' },
  });
});

test('[I83] seeds are selected by region, only if that is enforced', () => {
  expect(seedSelector(inputOf({ shoot: { enforceSeedLocation: true } }))).toEqual({
    spec: { seedSelector: { matchLabels: { 'seed.gardener.cloud/region': 'eu-central-1' } } },
  });
  expect(seedSelector(inputOf({ shoot: { enforceSeedLocation: false } }))).toEqual({});
  expect(seedSelector(inputOf())).toEqual({});
});

describe('authentication', () => {
  const configMapName = 'structured-auth-config-shoot';
  const named = { kubeAPIServer: { structuredAuthentication: { configMapName } } };
  const withServer = (kubeAPIServer: object) => shootOf({ kubernetes: { version: '1.31.8', kubeAPIServer } });

  test('[I85] [I84] by ConfigMap, its name is all', () => {
    const oidcConfig = { clientID: 'id', issuerURL: 'https://own.example.org' };
    expect(authentication(inputOf({ shoot: { kubernetes: { kubeAPIServer: { oidcConfig } } } }))).toEqual(
      named,
    );
  });

  test('a Shoot with fields gets a ConfigMap, one with the ConfigMap of its owner keeps that', () => {
    const live = withServer({ oidcConfig: { clientID: 'c' } });
    expect(patchAuthentication({ ...inputOf(), live })).toEqual(named);
    const theirs = withServer({ structuredAuthentication: { configMapName: 'theirs' } });
    expect(patchAuthentication({ ...inputOf(), live: theirs })).toEqual({
      kubeAPIServer: { structuredAuthentication: { configMapName: 'theirs' } },
    });
  });
});

test.each([
  ['aws', 'aws', undefined],
  ['azure', 'az', undefined],
  ['gcp', 'gcp', undefined],
  ['openstack', 'converged-cloud-kyma', 'converged-cloud-internet'],
  ['alicloud', 'alicloud', undefined],
  ['gdch', 'cat', undefined],
] as const)('[I86] [I87] [N101] cloud profile and exposure class of %s', (type, profile, exposure) => {
  const input = inputOf({ provider: { type } });
  expect(cloudProfile(input).spec).toEqual({ cloudProfile: { kind: 'CloudProfile', name: profile } });
  expect(exposureClass(input).spec?.exposureClassName).toBe(exposure);
});

test('[N101] the configuration names the cloud profile of gdch', () => {
  const { provider } = configurationOf().converter;
  const configuration = configurationOf({
    provider: { ...provider, gdch: { ...provider.gdch, cloudProfileName: 'x' } },
  });
  const of = (type: 'aws' | 'gdch') => cloudProfile(inputOf({ provider: { type } }, { configuration }));
  expect(of('gdch').spec?.cloudProfile?.name).toBe('x');
  expect(of('aws').spec?.cloudProfile?.name).toBe('aws');
});

test.each([
  ['its older name', { cloudProfileName: 'aws' }, true],
  ['both names', { cloudProfileName: 'aws', cloudProfile: { kind: 'CloudProfile', name: 'aws' } }, true],
  ['none', {}, true],
  ['another one', { cloudProfile: { kind: 'CloudProfile', name: 'other' } }, false],
  ['another one by its older name', { cloudProfileName: 'other' }, undefined],
  ['one of its namespace', { cloudProfile: { kind: 'NamespacedCloudProfile', name: 'aws' } }, false],
])('a Shoot with a cloud profile, %s', (_, spec, isSet) => {
  const part = patchCloudProfile({ ...inputOf(), live: shootOf(spec) });
  const expected = isSet ? { cloudProfile: { kind: 'CloudProfile', name: 'aws' } } : spec;
  expect(part).toEqual(isSet === undefined ? {} : { spec: expected });
});

test.each([
  [false, { secretBindingName: 'aws-binding' }],
  [true, { credentialsBindingName: 'aws-binding' }],
])('[N118] CredentialsBindings are enabled: %s', (enableCredentialBinding, spec) => {
  const configuration = configurationOf({ gardener: { projectName: 'kyma', enableCredentialBinding } });
  const input = inputOf({}, { configuration });
  expect(credentials(input)).toEqual({ spec });
  expect(patchCredentials({ ...input, live: shootOf({ secretBindingName: 'b' }) })).toEqual({ spec });
  const moved = shootOf({ credentialsBindingName: 'aws-binding' });
  expect(patchCredentials({ ...input, live: moved })).toEqual({
    spec: { credentialsBindingName: 'aws-binding' },
  });
});

test.each(['aliyun', 'constructor', ''])('[N101] a provider %s is not supported', (type) => {
  expect(() => cloudProfile(inputOf({ provider: { type: type as 'aws' } }))).toThrow(
    'spec.shoot.provider.type: provider not supported',
  );
});

test('[I88] [N103] new Shoots tolerate the taints that the configuration has for their region', () => {
  const inRegion = (region: string, configuration = configurationOf()) =>
    tolerations(inputOf({ shoot: { region } }, { configuration })).spec?.tolerations;
  expect(inRegion('me-central2')).toEqual([{ key: 'ksa-assured-workload' }]);
  expect(inRegion('eu-de-1')).toBeUndefined();
  expect(inRegion('me-central2', configurationOf({ tolerations: new Map() }))).toBeUndefined();
});

describe('DNS', () => {
  const credentialsRef = { apiVersion: 'v1', kind: 'Secret', name: 'dns' };
  const provider = { domains: { include: ['shoot.dev.example.org'] }, primary: true, type: 'aws-route53' };
  const withVersion = (version: string) => inputOf({ shoot: { kubernetes: { version } } });

  test.each([
    // Gardener before 1.135 knows only the older name, and runs Kubernetes before 1.35; later ones set both up to then.
    ['1.31.8', { credentialsRef, secretName: 'dns' }],
    ['1.35.0', { credentialsRef }],
  ])(
    '[I89] [N108] the domain of a Shoot with Kubernetes %s, by a provider or by Gardener',
    (version, named) => {
      expect(dns(withVersion(version)).spec?.dns).toEqual({
        domain: 'shoot.dev.example.org',
        providers: [{ ...provider, ...named }],
      });
      const internal = configurationOf({ dns: { secretName: '', domainPrefix: '', providerType: '' } });
      expect(dns(inputOf({}, { configuration: internal }))).toEqual({});
    },
  );

  const patched = (version: string, live: object | undefined) =>
    patchDns({
      ...withVersion(version),
      live: shootOf({ kubernetes: { version }, ...(live === undefined ? {} : { dns: live }) }),
    });

  test.each([
    ['without DNS', '1.31.8', undefined, undefined],
    ['without providers', '1.31.8', { domain: 'old.example.org' }, undefined],
    [
      'with the Secret by its older name',
      '1.31.8',
      { providers: [{ ...provider, secretName: 'dns' }] },
      undefined,
    ],
    [
      'with the Secret by both names',
      '1.31.8',
      { providers: [{ ...provider, credentialsRef, secretName: 'dns' }] },
      undefined,
    ],
    [
      'with another Secret',
      '1.31.8',
      { providers: [{ ...provider, secretName: 'other' }] },
      { credentialsRef, secretName: 'dns' },
    ],
    [
      'that is upgraded to 1.35',
      '1.35.0',
      { providers: [{ ...provider, credentialsRef, secretName: 'dns' }] },
      { credentialsRef },
    ],
  ])(
    '[N109] a Shoot %s keeps its domain, and its provider unless its credentials are others',
    (_, version, live, named) => {
      const domain = 'shoot.old.example.org';
      const found = live === undefined ? undefined : { domain, ...live };
      expect(patched(version, found).spec?.dns).toEqual(
        named && {
          domain,
          providers: [{ ...provider, domains: { include: [domain] }, ...named }],
        },
      );
    },
  );
});

test.each([
  [undefined, undefined, '1.99'],
  ['1.88', undefined, '1.88'],
  ['1.88.0', '2.0.0', '2.0.0'],
  ['1.99', '1.77', '1.99'],
  [undefined, '1.77', '1.99'],
  ['1.31.8', 'no version', '1.31.8'],
  ['no version', '1.31.8', 'no version'],
  ['', '1.99.1', '1.99.1'],
])('[I91] the Runtime wants Kubernetes %s and the Shoot has %s', (wanted, live, expected) => {
  const { kubernetes } = configurationOf().converter;
  const configuration = configurationOf({ kubernetes: { ...kubernetes, defaultVersion: '1.99' } });
  const input = inputOf(
    { shoot: { kubernetes: wanted === undefined ? {} : { version: wanted } } },
    { configuration },
  );
  const shoot = deepFreeze({ spec: { kubernetes: { version: live } } }) as Shoot;
  const part =
    live === undefined ? createKubernetesVersion(input) : patchKubernetesVersion({ ...input, live: shoot });
  expect(part).toEqual({ kubernetesVersion: expected });
});

test.each([
  ['cf-eu11', true],
  ['cf-ch20', true],
  ['cf-eu01', true],
  ['cf-eu02', true],
  ['cf-eu31', true],
  ['cf-eu10', false],
  ['test-region', false],
  ['', false],
])('[I93] [N102] platform region %s', (platformRegion, isRestricted) => {
  const restriction = {
    name: 'eu-access-only',
    options: {
      'support.gardener.cloud/eu-access-for-cluster-addons': 'true',
      'support.gardener.cloud/eu-access-for-cluster-nodes': 'true',
    },
  };
  expect(accessRestrictions(inputOf({ shoot: { platformRegion } })).spec?.accessRestrictions).toEqual(
    isRestricted ? [restriction] : undefined,
  );
});

describe('maintenance', () => {
  const window = { begin: '200000+0000', end: '230000+0000' };

  test.each([
    [true, false],
    [false, true],
  ])('[I94] upgrades of Kubernetes %s, of images %s', (ofKubernetes, ofImages) => {
    const kubernetes: Configuration['converter']['kubernetes'] = {
      ...configurationOf().converter.kubernetes,
      enableKubernetesVersionAutoUpdate: ofKubernetes,
      enableMachineImageVersionAutoUpdate: ofImages,
    };
    const input = inputOf({}, { configuration: configurationOf({ kubernetes }) });
    expect(maintenance(input).spec?.maintenance).toEqual({
      autoUpdate: { kubernetesVersion: ofKubernetes, machineImageVersion: ofImages },
      timeWindow: window,
    });
  });

  const windowOf = (shoot: RuntimeChanges['shoot'] = {}) =>
    maintenance(inputOf({ shoot })).spec?.maintenance?.timeWindow;

  test('[I78] a productive Shoot has the window of its region', () => {
    expect(windowOf()).toEqual(window);
  });
  test('[I79] others have none', () => {
    expect(windowOf({ purpose: 'development' })).toBeUndefined();
  });
  test('[I80] a region may have none', () => {
    expect(windowOf({ region: 'eu-west-2' })).toBeUndefined();
  });
});

test('[I95] [I96] audit policy and credentials, only with a tenant', () => {
  const input = inputOf({}, { audit: tenant });
  expect(auditPolicy(input)).toEqual({
    kubeAPIServer: { auditConfig: { auditPolicy: { configMapRef: { name: 'audit-policy' } } } },
  });
  expect(createResources(input).spec?.resources).toEqual([
    { name: 'auditlog-credentials', resourceRef: { apiVersion: 'v1', kind: 'Secret', name: 'auditlog' } },
  ]);
  expect(auditPolicy(inputOf())).toEqual({});
  expect(createResources(inputOf())).toEqual({});
});

test.each([
  [undefined, 'audit-policy'],
  ['TRUE', 'experimental-audit-policy'],
  ['true', 'experimental-audit-policy'],
  ['false', 'audit-policy'],
  ['xxx', 'audit-policy'],
])('[N117] the audit policy of a Runtime whose annotation is %s', (value, name) => {
  const annotations =
    value === undefined ? {} : { 'operator.kyma-project.io/experimental-audit-policy': value };
  const part = auditPolicy(inputOf({ metadata: { annotations } }, { audit: tenant }));
  expect(part.kubeAPIServer?.auditConfig?.auditPolicy?.configMapRef?.name).toBe(name);
});

const HOUR = 3_600_000;

test.each([
  [undefined, '720h0m0s'],
  [24, '720h0m0s'],
  [1200, '1200h0m0s'],
  [2400, '2160h0m0s'],
])('[N104] tokens of service accounts that shall live for %s hours', (hours, maxTokenExpiration) => {
  const { kubeApiServer } = configurationOf().converter.kubernetes;
  const configuration = withKubernetes({
    kubeApiServer: {
      ...kubeApiServer,
      maxTokenExpiration: hours === undefined ? undefined : hours * HOUR,
    },
  });
  expect(tokenExpiration(inputOf({}, { configuration })).kubeAPIServer?.serviceAccountConfig).toEqual({
    extendTokenExpiration: false,
    maxTokenExpiration,
  });
});

test('[N105] what the configuration switches on and off is copied', () => {
  const { kubeApiServer } = configurationOf().converter.kubernetes;
  const configuration = withKubernetes({
    kubeApiServer: {
      ...kubeApiServer,
      featureGates: new Map([['A', true]]),
      runtimeConfig: new Map([['api/all', false]]),
    },
    kubelet: { featureGates: new Map([['B', false]]) },
  });
  expect(featureGates(inputOf({}, { configuration }))).toEqual({
    kubeAPIServer: { featureGates: { A: true }, runtimeConfig: { 'api/all': false } },
    kubelet: { featureGates: { B: false } },
  });
  expect(featureGates(inputOf())).toEqual({ kubeAPIServer: {} });
});

test('pods can mount ClusterTrustBundles if there is one, beside what the configuration says', () => {
  const kubelet = { featureGates: new Map([['B', false]]) };
  const input = inputOf({}, { configuration: withKubernetes({ kubelet }), clusterTrustBundles: true });
  expect(featureGates(input)).toEqual({
    kubeAPIServer: {
      featureGates: { ClusterTrustBundle: true, ClusterTrustBundleProjection: true },
      runtimeConfig: { 'certificates.k8s.io/v1beta1/clustertrustbundles': true },
    },
    kubelet: { featureGates: { B: false, ClusterTrustBundleProjection: true } },
  });
});

const BOTH = ['IPv4', 'IPv6'];

test.each([
  ['aws', true, true, BOTH],
  ['gcp', true, true, BOTH],
  ['azure', true, true, undefined],
  ['aws', false, true, undefined],
  ['aws', true, false, undefined],
  ['aws', true, undefined, undefined],
] as const)(
  '[N106] families of addresses on %s, configuration %s, Runtime %s',
  (type, enableDualStackIP, dualStack, families) => {
    const configuration = configurationOf({ networking: { enableDualStackIP } });
    const changes = { provider: { type }, networking: dualStack === undefined ? {} : { dualStack } };
    expect(networking(inputOf(changes, { configuration })).networking?.ipFamilies).toEqual(families);
  },
);

test('[N107] tunnels between nodes on gdch only', () => {
  expect(networking(inputOf({ provider: { type: 'gdch' } })).networking?.providerConfig).toEqual({
    apiVersion: 'calico.networking.extensions.gardener.cloud/v1alpha1',
    kind: 'NetworkConfig',
    overlay: { enabled: true },
    vxlan: { enabled: true },
  });
  expect(networking(inputOf())).toEqual({ networking: {} });
});
