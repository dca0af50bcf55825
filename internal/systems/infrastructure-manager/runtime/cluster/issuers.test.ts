import { afterEach, expect, test } from '@jest/globals';
import type { Shoot } from '../../../../../apis/gardener/kinds.ts';
import type { Runtime } from '../../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import {
  type SimulatedGardener,
  startSimulatedGardener,
} from '../../../../../test/simulators/gardener/simulated-gardener.ts';
import { configMaps } from '../../../../framework/kube/index.ts';
import { configurationOf } from '../../rendering/fixtures/rendering.fixture.ts';
import type { ShootRendering } from '../../rendering/shoot-rendering.ts';
import { renderingOf, runtimeOf } from '../fixtures/runtime.fixture.ts';
import { type RuntimeHarness, startRuntimeHarness } from '../fixtures/runtime-harness.fixture.ts';
import { clusterRoleBindings, openIdConnectType } from './access.ts';

let h: RuntimeHarness<SimulatedGardener>;
afterEach(async () => {
  await h.stop();
  expect(h.gardener.errors).toEqual([]);
});

type Issuers = NonNullable<
  NonNullable<
    NonNullable<NonNullable<Runtime['spec']>['shoot']['kubernetes']>['kubeAPIServer']
  >['additionalOidcConfig']
>;

const withIssuers = (additionalOidcConfig?: Issuers): Runtime =>
  runtimeOf({
    kubernetes: { kubeAPIServer: additionalOidcConfig === undefined ? {} : { additionalOidcConfig } },
  });

async function started(rendering: ShootRendering = renderingOf()): Promise<void> {
  h = await startRuntimeHarness(startSimulatedGardener, { rendering });
}

async function created(runtime: Runtime, rendering?: ShootRendering): Promise<void> {
  await started(rendering);
  await h.create(runtime);
  await h.wait();
}

const issuers = () =>
  h.runtime.peekAll(openIdConnectType).map(({ metadata, spec }) => [metadata.name, spec?.issuerURL]);
const admins = () =>
  h.runtime.peekAll(clusterRoleBindings).flatMap(({ subjects = [] }) => subjects.map(({ name }) => name));
const shared = configurationOf().cluster.defaultSharedIASTenant;

/** A rendering whose Shoots have the extension for issuers as given. */
const withExtension = (extension: object | undefined): ShootRendering => {
  const rendering = renderingOf();
  const changed = (shoot: Shoot): Shoot => {
    const others = shoot.spec?.extensions?.filter(({ type }) => type !== 'shoot-oidc-service') ?? [];
    const extensions =
      extension === undefined ? others : [...others, { type: 'shoot-oidc-service', ...extension }];
    return { ...shoot, spec: { ...shoot.spec, extensions } } as Shoot;
  };
  return { ...rendering, create: (...args) => changed(rendering.create(...args)) };
};

test('[I33] [N41] with the extension disabled no issuer is configured', async () => {
  await created(withIssuers(), withExtension({ disabled: true }));
  expect(h.shown('OidcAndConfigMapConfigured')).toBe(
    'Ready True OidcAndConfigMapsConfigured OIDC extension disabled',
  );
  expect(issuers()).toEqual([]);
  expect(h.runtime.peek(configMaps, INFO)?.data).toHaveProperty('details');
  expect(admins()).toEqual(['admin@example.org']);
});

const INFO = { namespace: 'kyma-system', name: 'kyma-provisioning-info' };

test('without the extension no issuer is configured', async () => {
  await created(withIssuers(), withExtension(undefined));
  expect(h.shown('OidcAndConfigMapConfigured')).toBe(
    'Ready True OidcAndConfigMapsConfigured OIDC extension disabled',
  );
});

test.each([
  ['[I34]', 'without a list', undefined],
  ['[I36]', 'with an empty issuer', [{}]],
] as const)('[N42] %s %s the issuer of the configuration is trusted', async (_, __, list) => {
  await created(withIssuers(list === undefined ? undefined : [...list]));
  expect(issuers()).toEqual([['kyma-oidc-0', shared.issuerURL]]);
});

test('[I35] [N43] with an empty list no issuer is trusted, and those of before go', async () => {
  await created(withIssuers([]));
  expect(issuers()).toEqual([]);
  expect(h.shown('OidcAndConfigMapConfigured')).toMatch(/^Ready True OidcAndConfigMapsConfigured /);
  await h.patch({ spec: { shoot: { kubernetes: { kubeAPIServer: { additionalOidcConfig: two } } } } });
  await h.wait();
  expect(issuers()).toHaveLength(2);
  await h.patch({ spec: { shoot: { kubernetes: { kubeAPIServer: { additionalOidcConfig: [] } } } } });
  await h.wait();
  expect(issuers()).toEqual([]);
});

test('[I37] an extension that does not say so is enabled', async () => {
  await created(withIssuers(), withExtension({}));
  expect(issuers()).toEqual([['kyma-oidc-0', shared.issuerURL]]);
});

const two: Issuers = [
  { issuerURL: 'https://one.example.org', clientID: 'one' },
  { issuerURL: 'https://two.example.org', clientID: 'two' },
];

test('[I38] [N44] [N45] each issuer of the Runtime is trusted, and one that is incomplete is left out', async () => {
  await created(withIssuers([...two, { issuerURL: 'https://three.example.org' }]));
  expect(issuers()).toEqual([
    ['kyma-oidc-0', 'https://one.example.org'],
    ['kyma-oidc-1', 'https://two.example.org'],
  ]);
  expect(h.shown('OidcAndConfigMapConfigured')).toBe(
    'Ready True OidcAndConfigMapsConfigured OIDC and kyma-provisioning-info configuration completed',
  );
});

test('[I39] issuers of this program that are not wanted go, those of customers stay', async () => {
  await started();
  const seed = (name: string, labels: Record<string, string>) =>
    h.runtime.seed(openIdConnectType, {
      apiVersion: openIdConnectType.apiVersion,
      kind: openIdConnectType.kind,
      metadata: { name, labels },
      spec: { issuerURL: 'https://old.example.org', clientID: 'old' },
    });
  seed('kyma-oidc-7', { 'operator.kyma-project.io/managed-by': 'infrastructure-manager' });
  for (let n = 0; n < 500; n++) {
    seed(`customer-${n}`, { 'operator.kyma-project.io/managed-by': 'infrastructure-manager' });
  }
  seed('customer', { 'operator.kyma-project.io/managed-by': 'customer' });
  await h.create(withIssuers());
  await h.wait();
  expect(issuers()).toEqual([
    ['customer', 'https://old.example.org'],
    ['kyma-oidc-0', shared.issuerURL],
  ]);
});

test('[I40] an issuer has what the Runtime says, and nothing else', async () => {
  await created(
    withIssuers([
      {
        issuerURL: 'https://one.example.org',
        clientID: 'one',
        groupsClaim: 'groups',
        usernameClaim: 'sub',
        usernamePrefix: '-',
        signingAlgs: ['RS256'],
      },
    ]),
  );
  const [object] = h.runtime.peekAll(openIdConnectType);
  expect(object?.metadata.labels).toEqual({
    'operator.kyma-project.io/managed-by': 'infrastructure-manager',
  });
  expect(object?.spec).toEqual({
    issuerURL: 'https://one.example.org',
    clientID: 'one',
    groupsClaim: 'groups',
    usernameClaim: 'sub',
    usernamePrefix: '-',
    supportedSigningAlgs: ['RS256'],
  });
});

test('[I10.6] changed issuers change in place, so that no user is locked out meanwhile', async () => {
  await created(withIssuers(two));
  const uids = () => h.runtime.peekAll(openIdConnectType).map(({ metadata }) => metadata.uid);
  const before = uids();
  const changed = { issuerURL: 'https://one.example.org', clientID: 'other' };
  await h.patch({ spec: { shoot: { kubernetes: { kubeAPIServer: { additionalOidcConfig: [changed] } } } } });
  await h.wait();
  expect(uids()).toEqual(before.slice(0, 1));
  expect(h.runtime.peekAll(openIdConnectType)[0]?.spec).toEqual(changed);
});
