import { describe, expect, test } from '@jest/globals';
import type { Shoot } from '../../../../../apis/gardener/kinds.ts';
import type { RuntimeSpec } from '../../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { deepFreeze } from '../../../../base/json/deep-freeze.ts';
import type { AuditTenant } from '../../configuration/configuration.ts';
import type { RegistryCache } from '../../runtime/rendering.ts';
import { configurationOf, runtimeOf, tenant } from '../fixtures/rendering.fixture.ts';
import type { RenderingInput } from '../model/extender.ts';
import type { Extension } from './extension.ts';
import { createExtensions, patchExtensions } from './extensions.ts';

type Filter = RuntimeSpec['security']['networking']['filter'];

interface Choice {
  readonly audit?: AuditTenant;
  readonly filter?: Filter;
  readonly cacheEnabled?: boolean;
  readonly registryCaches?: readonly RegistryCache[];
  readonly isInternalDns?: boolean;
}

function inputOf(choice: Choice): RenderingInput {
  const { audit, filter = { egress: { enabled: false } }, cacheEnabled, registryCaches } = choice;
  const runtime = runtimeOf({
    spec: {
      security: { administrators: [], networking: { filter } },
      ...(cacheEnabled === undefined ? {} : { imageRegistryCache: { enabled: cacheEnabled } }),
    },
  });
  if (runtime.spec === undefined) throw new Error('a Runtime without spec');
  const dns = { secretName: '', domainPrefix: '', providerType: '' };
  return {
    runtime,
    spec: runtime.spec,
    configuration: configurationOf(choice.isInternalDns === true ? { dns } : {}),
    structuredAuth: false,
    audit,
    registryCaches,
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

const caches: readonly RegistryCache[] = [
  {
    upstream: 'docker.io',
    volume: { size: '10Gi', storageClassName: 'fast' },
    garbageCollection: { ttl: '24h' },
    secretReferenceName: 'credentials',
  },
  {
    upstream: 'quay.io',
    remoteURL: 'https://mirror.example.org',
    proxy: { httpProxy: 'http://proxy:3128', httpsProxy: 'http://proxy:3129' },
    // Fields of a CustomConfig that the extension does not know.
    ...{ http: { tls: true } },
  },
];

describe('of a new Shoot', () => {
  test('[I103] with audit logs, in their order', () => {
    expect(types(created({ audit: tenant }))).toEqual([FILTER, CERT, DNS, OIDC, AUDIT]);
  });
  test('[I104] without audit logs', () => {
    expect(types(created({ registryCaches: caches, cacheEnabled: true }))).toEqual([FILTER, CERT, DNS, OIDC]);
  });

  test('[I90] certificates', () => {
    expect(find(created({}), CERT)?.providerConfig).toEqual({
      apiVersion: 'service.cert.extensions.gardener.cloud/v1alpha1',
      kind: 'CertConfig',
      shootIssuers: { enabled: true },
    });
  });

  test('[I99] DNS by a provider', () => {
    expect(find(created({}), DNS)?.providerConfig).toEqual({
      apiVersion: 'service.dns.extensions.gardener.cloud/v1alpha1',
      kind: 'DNSConfig',
      syncProvidersFromShootSpecDNS: true,
      dnsProviderReplication: { enabled: true },
      providers: [
        { domains: { include: ['shoot.dev.example.org'] }, secretName: 'dns', type: 'aws-route53' },
      ],
    });
  });

  test('[I99] DNS by Gardener', () => {
    expect(find(created({ isInternalDns: true }), DNS)?.providerConfig).toEqual({
      apiVersion: 'service.dns.extensions.gardener.cloud/v1alpha1',
      kind: 'DNSConfig',
      syncProvidersFromShootSpecDNS: true,
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

  test('[I108] [I100] caches are appended, and only the fields that the extension knows', () => {
    const list = patched(live, { cacheEnabled: true, registryCaches: caches });
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
            secretReferenceName: 'credentials',
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
  test.each<Choice>([
    { cacheEnabled: true, registryCaches: [] },
    { cacheEnabled: true },
    { cacheEnabled: false, registryCaches: caches },
    { registryCaches: caches },
  ])('[I108] no cache is added for %j', (choice) => {
    expect(patched(live, choice)).toEqual(live);
  });

  const withCache = patched(live, { cacheEnabled: true, registryCaches: caches });

  test('[I109] nothing changes with the same data', () => {
    const same: Choice = { audit: tenant, cacheEnabled: true, registryCaches: caches };
    expect(JSON.stringify(patched(withCache, same))).toBe(JSON.stringify(withCache));
  });
  test('[I109] what changed is replaced in its place', () => {
    const list = patched(withCache, {
      audit: { ...tenant, tenantID: 'tenant-2' },
      filter: { egress: { enabled: true } },
      cacheEnabled: true,
      registryCaches: caches.slice(1),
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
  test.each<Choice>([
    { cacheEnabled: false, registryCaches: caches },
    { registryCaches: caches },
    { cacheEnabled: true, registryCaches: [] },
  ])('[I110] a cache is disabled in its place by %j', (choice) => {
    const disabled = withCache.map((each) => (each.type === CACHE ? { ...each, disabled: true } : each));
    expect(patched(withCache, choice)).toEqual(disabled);
  });
  test('a cache stays while it is not known what the runtime asks for', () => {
    expect(patched(withCache, { cacheEnabled: true })).toEqual(withCache);
  });
});
