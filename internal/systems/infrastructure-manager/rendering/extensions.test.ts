import { describe, expect, test } from '@jest/globals';
import type { Shoot } from '../../../../apis/gardener/kinds.ts';
import type { RuntimeSpec } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { deepFreeze } from '../../../framework/base/json/json-value.ts';
import type { AuditTenant } from '../configuration/configuration.ts';
import { createExtensions, type Extension, patchExtensions } from './extensions.ts';
import { configurationOf, runtimeOf, tenant } from './fixtures/rendering.fixture.ts';
import type { AccessControl, CacheOfRuntime, RenderingInput } from './model/extender.ts';

type Filter = RuntimeSpec['security']['networking']['filter'];

type RuntimeShoot = RuntimeSpec['shoot'];

interface Choice {
  readonly audit?: AuditTenant;
  readonly filter?: Filter;
  readonly caches?: readonly CacheOfRuntime[];
  readonly cacheSecrets?: ReadonlyMap<string, string>;
  readonly isInternalDns?: boolean;
  readonly networkRestriction?: boolean;
  readonly accessControl?: AccessControl;
  readonly allowedCIDRs?: readonly string[];
  readonly shoot?: Partial<RuntimeShoot>;
  readonly provider?: RuntimeShoot['provider']['type'];
}

function inputOf(choice: Choice): RenderingInput {
  const { audit, filter = { egress: { enabled: false } }, caches: imageRegistryCache, allowedCIDRs } = choice;
  const runtime = runtimeOf({
    spec: {
      security: { administrators: [], networking: { filter } },
      ...(imageRegistryCache === undefined ? {} : { imageRegistryCache: [...imageRegistryCache] }),
    },
    shoot: {
      ...choice.shoot,
      ...(allowedCIDRs === undefined
        ? {}
        : { kubernetes: { kubeAPIServer: { acl: { allowedCIDRs: [...allowedCIDRs] } } } }),
    },
    provider: choice.provider === undefined ? {} : { type: choice.provider },
  });
  if (runtime.spec === undefined) throw new Error('a Runtime without spec');
  const dns = { secretName: '', domainPrefix: '', providerType: '' };
  return {
    runtime,
    spec: runtime.spec,
    configuration: configurationOf(choice.isInternalDns === true ? { dns } : {}),
    audit,
    networkRestriction: choice.networkRestriction ?? true,
    clusterTrustBundles: false,
    accessControl: choice.accessControl,
    cacheSecrets: choice.cacheSecrets ?? new Map(),
    keepsCaches: false,
  };
}

const created = (choice: Choice): Extension[] => createExtensions(inputOf(choice)).spec?.extensions ?? [];
const patched = (live: readonly Extension[], choice: Choice): Extension[] => {
  const shoot = deepFreeze({ spec: { extensions: [...live] } }) as unknown as Shoot;
  return patchExtensions({ ...inputOf(choice), live: shoot }).spec?.extensions ?? [];
};
const types = (list: readonly Extension[]) => list.map(({ type }) => type);
const find = (list: readonly Extension[], wanted: string) => list.find(({ type }) => type === wanted);

const [FILTER, CERT, DNS, OIDC, AUDIT, CACHE] = [
  'shoot-networking-filter',
  'shoot-cert-service',
  'shoot-dns-service',
  'shoot-oidc-service',
  'shoot-auditlog-service',
  'registry-cache',
] as const;

const cacheOf = (uid: string, config: CacheOfRuntime['config']): CacheOfRuntime => ({
  ...{ name: uid, namespace: 'default', uid },
  config,
});
const caches: readonly CacheOfRuntime[] = [
  cacheOf('one', {
    upstream: 'docker.io',
    volume: { size: '10Gi', storageClassName: 'fast' },
    garbageCollection: { ttl: '24h' },
    secretReferenceName: 'credentials',
  }),
  cacheOf('two', {
    upstream: 'quay.io',
    remoteURL: 'https://mirror.example.org',
    proxy: { httpProxy: 'http://proxy:3128', httpsProxy: 'http://proxy:3129' },
    // The extension does not know it.
    http: { tls: true },
  }),
];
const cacheSecrets = new Map([['one', 'reg-cache-1']]);

describe('of a new Shoot', () => {
  test('[I103] with audit logs, in their order', () => {
    expect(types(created({ audit: tenant }))).toEqual([FILTER, CERT, DNS, OIDC, AUDIT]);
  });
  test('[I104] [N115] without audit logs, and without caches of registries', () => {
    expect(types(created({ caches, cacheSecrets }))).toEqual([FILTER, CERT, DNS, OIDC]);
  });

  test('[I90] certificates', () => {
    expect(find(created({}), CERT)?.providerConfig).toEqual({
      apiVersion: 'service.cert.extensions.gardener.cloud/v1alpha1',
      kind: 'CertConfig',
      shootIssuers: { enabled: true },
    });
  });

  test('[I99] [N110] DNS by a provider', () => {
    expect(find(created({}), DNS)?.providerConfig).toEqual({
      apiVersion: 'service.dns.extensions.gardener.cloud/v1alpha1',
      kind: 'DNSConfig',
      syncProvidersFromShootSpecDNS: true,
      dnsProviderReplication: { enabled: true },
      providers: [
        {
          credentials: 'shoot-dns-service-dns',
          domains: { include: ['shoot.dev.example.org'] },
          type: 'aws-route53',
        },
      ],
    });
  });

  test('[I99] [N110] DNS by Gardener', () => {
    expect(find(created({ isInternalDns: true }), DNS)?.providerConfig).toEqual({
      apiVersion: 'service.dns.extensions.gardener.cloud/v1alpha1',
      kind: 'DNSConfig',
      syncProvidersFromShootSpecDNS: true,
      dnsProviderReplication: { enabled: true },
      providers: null,
    });
  });

  const blackholing = { egressFilter: { blackholingEnabled: true } };

  test.each<[Filter, Partial<Extension>]>([
    [{ egress: { enabled: false } }, { disabled: true }],
    [{ egress: { enabled: false }, ingress: { enabled: true } }, { disabled: true }],
    [{ egress: { enabled: true } }, { disabled: false }],
    [{ egress: { enabled: true }, ingress: { enabled: false } }, { disabled: false }],
    [
      { egress: { enabled: true }, ingress: { enabled: true } },
      { disabled: false, providerConfig: blackholing },
    ],
  ])('[I98] filter %j', (filter, expected) => {
    expect(find(created({ filter }), FILTER)).toEqual({ type: FILTER, ...expected });
  });
});

describe('of a Shoot that exists', () => {
  const other: Extension = { type: 'other', providerConfig: { z: 1, a: [] } };
  const live = [other, ...created({ audit: tenant }).toReversed()];

  test('[I105] a missing audit log is appended, others stay', () => {
    const before = created({});
    expect(patched(before, { audit: tenant })).toEqual(created({ audit: tenant }));
  });
  test('[I106] without a tenant none is added, and one that is there stays', () => {
    expect(patched(created({}), {})).toEqual(created({}));
    expect(patched(live, {})).toEqual(live);
  });
  test('[I107] a missing filter is appended', () => {
    const before = created({}).slice(1);
    expect(types(patched(before, {}))).toEqual([CERT, DNS, OIDC, FILTER]);
  });

  test('[I108] [I100] [N98] caches are appended, and only the fields that the extension knows', () => {
    const list = patched(live, { caches, cacheSecrets });
    expect(list.slice(0, -1)).toEqual(live);
    expect(list.at(-1)).toEqual({
      type: CACHE,
      disabled: false,
      providerConfig: {
        apiVersion: 'registry.extensions.gardener.cloud/v1alpha3',
        kind: 'RegistryConfig',
        caches: [
          {
            upstream: 'docker.io',
            volume: { size: '10Gi', storageClassName: 'fast' },
            garbageCollection: { ttl: '24h' },
            secretReferenceName: 'reg-cache-1',
          },
          {
            upstream: 'quay.io',
            remoteURL: 'https://mirror.example.org',
            proxy: { httpProxy: 'http://proxy:3128', httpsProxy: 'http://proxy:3129' },
          },
        ],
      },
    });
  });
  test.each<Choice>([{ caches: [] }, {}])('[I108] no cache is added for %j', (choice) => {
    expect(patched(live, choice)).toEqual(live);
  });
  test('a cache whose Secret is not there has no credentials', () => {
    const list = patched(live, { caches: caches.slice(0, 1) });
    expect(JSON.stringify(find(list, CACHE))).not.toContain('secretReferenceName');
  });

  const withCache = patched(live, { caches, cacheSecrets });

  test('[I109] nothing changes with the same data', () => {
    const same: Choice = { audit: tenant, caches, cacheSecrets };
    expect(JSON.stringify(patched(withCache, same))).toBe(JSON.stringify(withCache));
  });
  test('[I109] what changed is replaced in its place', () => {
    const list = patched(withCache, {
      audit: { ...tenant, tenantID: 'tenant-2' },
      filter: { egress: { enabled: true } },
      caches: caches.slice(1),
    });
    expect(types(list)).toEqual(types(withCache));
    expect(find(list, AUDIT)?.providerConfig).toMatchObject({ tenantID: 'tenant-2' });
    expect(find(list, FILTER)).toEqual({ type: FILTER, disabled: false });
    expect(find(list, CACHE)?.providerConfig).toMatchObject({ caches: [{ upstream: 'quay.io' }] });
  });
  test('an audit log that others disabled stays disabled while its data is the same', () => {
    const disabled = live.map((each) => (each.type === AUDIT ? { ...each, disabled: true } : each));
    expect(patched(disabled, { audit: tenant })).toEqual(disabled);
  });
  test.each<Choice>([{ caches: [] }, {}])(
    '[I110] [N115] caches are removed by %j, and others keep their order',
    (choice) => {
      const list = [...withCache, other].map((each, index) => ({ ...each, type: `${index}${each.type}` }));
      expect(patched([withCache.at(-1) ?? other, ...list], choice).slice(0, list.length)).toEqual(list);
      expect(patched(withCache, choice)).toEqual(live);
    },
  );

  test('[N111] a DNS provider is given its credentials by their newer name, and none is added', () => {
    const dns = find(live, DNS);
    const withProviders = (providers: unknown) =>
      live.map((each) =>
        each.type === DNS ? { ...each, providerConfig: { ...each.providerConfig, providers } } : each,
      );
    expect(patched(live, {})).toEqual(live);
    const older = withProviders([{ secretName: 'dns', type: 'aws-route53' }]);
    expect(find(patched(older, {}), DNS)).toEqual(dns);
    for (const without of [withProviders([]), withProviders(null)])
      expect(patched(without, {})).toEqual(without);
    expect(
      find(
        patched(
          live.filter(({ type }) => type !== DNS),
          {},
        ),
        DNS,
      ),
    ).toEqual(dns);
  });

  test('[N116] a Shoot without audit logs gets them', () => {
    expect(find(patched(created({}), { audit: tenant }), AUDIT)).toEqual(find(live, AUDIT));
  });
});

describe('of a Runtime with an access control list', () => {
  const accessControl = { operators: ['2.2.2.2/29'], controlPlane: '1.1.1.1/32' };
  const allowedCIDRs = ['9.9.9.9/32'];
  const acl = {
    type: 'acl',
    disabled: false,
    providerConfig: {
      rule: { action: 'ALLOW', cidrs: ['9.9.9.9/32', '2.2.2.2/29', '1.1.1.1/32'], type: 'remote_ip' },
    },
  };

  test.each(['aws', 'azure'] as const)(
    '[N112] its ranges on %s, then those of operators and of the control plane',
    (provider) => {
      const choice = { accessControl, allowedCIDRs, provider };
      expect(created(choice).at(-1)).toEqual(acl);
      expect(patched(created({ provider }), choice).at(-1)).toEqual(acl);
    },
  );

  test.each<Choice>([{ accessControl }, {}])('more ranges than fit into a list are refused', (choice) => {
    const many = Array.from({ length: 5001 }, (_, n) => `10.0.${n >> 8}.${n & 255}/32`);
    expect(() => createExtensions(inputOf({ ...choice, allowedCIDRs: many, provider: 'aws' }))).toThrow(
      'spec.shoot.kubernetes.kubeAPIServer.acl.allowedCIDRs: there may be at most 5000 ranges',
    );
  });

  test.each<[string, Choice]>([
    ['if lists are not enabled', { allowedCIDRs }],
    ['on gcp', { accessControl, allowedCIDRs, provider: 'gcp' }],
    ['without ranges', { accessControl, allowedCIDRs: [] }],
    ['without a list', { accessControl }],
  ])('[N112] none %s; one that is there is disabled', (_, choice) => {
    expect(find(created(choice), 'acl')).toBeUndefined();
    expect(find(patched(created(choice), choice), 'acl')).toBeUndefined();
    expect(patched([acl, ...created(choice)], choice)[0]).toEqual({ type: 'acl', disabled: true });
  });
});

test.each([
  [
    true,
    { type: 'shoot-nvidia-openshell', disabled: false },
    { type: 'shoot-nvidia-openshell', disabled: false },
  ],
  [false, undefined, { type: 'shoot-nvidia-openshell', disabled: true }],
  [undefined, undefined, { type: 'shoot-nvidia-openshell', disabled: true }],
])('[N113] sandboxes on GPUs: %s', (enableNvidiaOpenshell, expected, before) => {
  const choice: Choice = {
    shoot: enableNvidiaOpenshell === undefined ? {} : { enableNvidiaOpenshell },
  };
  const type = 'shoot-nvidia-openshell';
  expect(find(created(choice), type)).toEqual(expected);
  expect(find(patched(created({}), choice), type)).toEqual(expected);
  expect(patched([{ type, disabled: false }], choice)[0]).toEqual(before);
});

test('[N114] without the restriction of networks there is no filter, and that of a Shoot stays', () => {
  const choice: Choice = { networkRestriction: false, filter: { egress: { enabled: true } } };
  expect(types(created(choice))).toEqual([CERT, DNS, OIDC]);
  const live: Extension = { type: FILTER, disabled: true };
  expect(patched([live], choice)[0]).toEqual(live);
  expect(types(patched(created(choice), choice))).not.toContain(FILTER);
});
