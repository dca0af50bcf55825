import { describe, expect, test } from '@jest/globals';
import type { Shoot } from '../../../../../apis/gardener/kinds.ts';
import { deepFreeze } from '../../../../base/json/deep-freeze.ts';
import type { Configuration } from '../../configuration/configuration.ts';
import { configurationOf, type RuntimeChanges, runtimeOf, tenant } from '../fixtures/rendering.fixture.ts';
import type { RenderingInput } from '../model/extender.ts';
import { accessRestrictions } from './access-restrictions.ts';
import { accountLabels } from './account-labels.ts';
import { annotations } from './annotations.ts';
import { auditPolicy } from './audit-policy.ts';
import { authentication } from './authentication.ts';
import { cloudProfile } from './cloud-profile.ts';
import { dns } from './dns.ts';
import { exposureClass } from './exposure-class.ts';
import { createKubernetesVersion, patchKubernetesVersion } from './kubernetes-version.ts';
import { maintenance } from './maintenance.ts';
import { createResources } from './resources.ts';
import { seedSelector } from './seed-selector.ts';
import { tolerations } from './tolerations.ts';

function inputOf(changes: RuntimeChanges = {}, more: Partial<RenderingInput> = {}): RenderingInput {
  const runtime = runtimeOf(changes);
  if (runtime.spec === undefined) throw new Error('a Runtime without spec');
  return {
    runtime,
    spec: runtime.spec,
    configuration: configurationOf(),
    structuredAuth: false,
    audit: undefined,
    registryCaches: undefined,
    ...more,
  };
}

const PREFIX = 'infrastructuremanager.kyma-project.io';

test.each([
  [100, undefined, { 'runtime-generation': '100' }],
  [0, 'TestDevelopmentAndDemo', { 'runtime-generation': '0', 'licence-type': 'TestDevelopmentAndDemo' }],
  [1, '', { 'runtime-generation': '1' }],
])('[I81] annotations of generation %s with licence %s', (generation, licenceType, expected) => {
  const shoot = licenceType === undefined ? {} : { licenceType };
  const all = { 'runtime-id': 'runtime-1', ...expected };
  expect(annotations(inputOf({ metadata: { generation }, shoot }))).toEqual({
    annotations: Object.fromEntries(Object.entries(all).map(([key, value]) => [`${PREFIX}/${key}`, value])),
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
  const own = {
    caBundle: 'ca',
    clientID: 'id',
    groupsClaim: 'g',
    groupsPrefix: 'gp',
    issuerURL: 'https://own.example.org',
    requiredClaims: { a: 'b' },
    signingAlgs: ['ES256'],
    usernameClaim: 'u',
    usernamePrefix: 'up',
  };
  const renderedWith = (oidcConfig: object, structuredAuth = false) =>
    authentication(inputOf({ shoot: { kubernetes: { kubeAPIServer: { oidcConfig } } } }, { structuredAuth }));

  test('[I84] the issuer of the Runtime is copied, without the configuration of clients', () => {
    const clientAuthentication = { secret: 's' };
    expect(renderedWith({ ...own, clientAuthentication })).toEqual({ kubeAPIServer: { oidcConfig: own } });
  });

  test('[I85] by ConfigMap, its name is all', () => {
    expect(renderedWith(own, true)).toEqual({
      kubeAPIServer: { structuredAuthentication: { configMapName: 'structured-auth-config-shoot' } },
    });
  });

  test.each([
    ['a client and an issuer', {}, 'operator-client'],
    ['a client and an issuer, with another field', { groupsClaim: 'g' }, 'operator-client'],
    ['an issuer', { clientID: 'id' }, 'id'],
    ['a client', { issuerURL: 'https://own.example.org' }, undefined],
  ])('without %s', (_, oidcConfig, clientID) => {
    expect(renderedWith(oidcConfig).kubeAPIServer?.oidcConfig?.clientID).toBe(clientID);
  });
});

test.each([
  ['aws', 'aws', undefined],
  ['azure', 'az', undefined],
  ['gcp', 'gcp', undefined],
  ['openstack', 'converged-cloud-kyma', 'converged-cloud-internet'],
] as const)('[I86] [I87] cloud profile and exposure class of %s', (type, profile, exposure) => {
  const input = inputOf({ provider: { type } });
  expect(cloudProfile(input).spec).toEqual({ cloudProfileName: profile });
  expect(exposureClass(input).spec?.exposureClassName).toBe(exposure);
});

test.each(['alicloud', 'constructor', ''])('a provider %s is not supported', (type) => {
  expect(() => cloudProfile(inputOf({ provider: { type: type as 'aws' } }))).toThrow(
    'spec.shoot.provider.type: provider not supported',
  );
});

test('[I88] only Shoots in me-central2 tolerate the taint of its seeds', () => {
  const inRegion = (region: string) => tolerations(inputOf({ shoot: { region } })).spec?.tolerations;
  expect(inRegion('me-central2')).toEqual([{ key: 'ksa-assured-workload' }]);
  expect(inRegion('eu-de-1')).toBeUndefined();
});

test('[I89] the domain of a Shoot, by a provider or by Gardener', () => {
  expect(dns(inputOf()).spec?.dns).toEqual({
    domain: 'shoot.dev.example.org',
    providers: [
      {
        domains: { include: ['shoot.dev.example.org'] },
        primary: true,
        secretName: 'dns',
        type: 'aws-route53',
      },
    ],
  });
  const internal = configurationOf({ dns: { secretName: '', domainPrefix: '', providerType: '' } });
  expect(dns(inputOf({}, { configuration: internal }))).toEqual({});
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
  ['cf-eu10', false],
  ['', false],
])('[I93] platform region %s', (platformRegion, isRestricted) => {
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
      enableMachineImageVersionVersionAutoUpdate: ofImages,
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
