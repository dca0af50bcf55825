import { describe, expect, test } from '@jest/globals';
import type { Shoot, ShootSpec } from '../../../../apis/gardener/kinds.ts';
import { deepFreeze } from '../../../framework/base/json/json-value.ts';
import { configurationOf, requiredLabels, runtimeOf, tenant, worker } from './fixtures/rendering.fixture.ts';
import { createShootRendering } from './shoot-rendering.ts';

const rendering = createShootRendering(configurationOf());
const create = (changes: Parameters<typeof runtimeOf>[0] = {}, audit: typeof tenant | undefined = tenant) =>
  deepFreeze(rendering.create(runtimeOf(changes), { audit }));

const withSpec = (shoot: Shoot, change: (spec: ShootSpec) => ShootSpec): Shoot => {
  if (shoot.spec === undefined) throw new Error('a Shoot without spec');
  return deepFreeze({ ...shoot, spec: change(shoot.spec) });
};

const types = ({ spec }: Shoot) => spec?.extensions?.map(({ type }) => type);

describe('a new Shoot', () => {
  test('on AWS, as a whole', () => {
    expect(create()).toEqual({
      apiVersion: 'core.gardener.cloud/v1beta1',
      kind: 'Shoot',
      metadata: {
        namespace: 'garden-kyma',
        name: 'shoot',
        annotations: {
          'infrastructuremanager.kyma-project.io/runtime-id': 'runtime-1',
          'infrastructuremanager.kyma-project.io/runtime-generation': '3',
          'shoot.gardener.cloud/cleanup-extended-apis-finalize-grace-period-seconds': '120',
          'shoot.gardener.cloud/cleanup-kubernetes-resources-finalize-grace-period-seconds': '120',
          'shoot.gardener.cloud/cleanup-webhooks-finalize-grace-period-seconds': '60',
        },
        labels: { account: 'account-1', subaccount: 'subaccount-1' },
      },
      spec: {
        purpose: 'production',
        region: 'eu-central-1',
        secretBindingName: 'aws-binding',
        cloudProfile: { kind: 'CloudProfile', name: 'aws' },
        networking: {
          type: 'calico',
          nodes: '10.250.0.0/16',
          pods: '10.96.0.0/13',
          services: '10.104.0.0/13',
        },
        controlPlane: { highAvailability: { failureTolerance: { type: 'node' } } },
        dns: {
          domain: 'shoot.dev.example.org',
          providers: [
            {
              domains: { include: ['shoot.dev.example.org'] },
              primary: true,
              credentialsRef: { apiVersion: 'v1', kind: 'Secret', name: 'dns' },
              secretName: 'dns',
              type: 'aws-route53',
            },
          ],
        },
        kubernetes: {
          version: '1.31.8',
          kubeAPIServer: {
            serviceAccountConfig: { extendTokenExpiration: false, maxTokenExpiration: '720h0m0s' },
            structuredAuthentication: { configMapName: 'structured-auth-config-shoot' },
            auditConfig: { auditPolicy: { configMapRef: { name: 'audit-policy' } } },
          },
        },
        maintenance: {
          autoUpdate: { kubernetesVersion: true, machineImageVersion: false },
          timeWindow: { begin: '200000+0000', end: '230000+0000' },
        },
        resources: [
          {
            name: 'auditlog-credentials',
            resourceRef: { apiVersion: 'v1', kind: 'Secret', name: 'auditlog' },
          },
        ],
        extensions: [
          { type: 'shoot-networking-filter', disabled: true },
          {
            type: 'shoot-cert-service',
            providerConfig: {
              apiVersion: 'service.cert.extensions.gardener.cloud/v1alpha1',
              kind: 'CertConfig',
              shootIssuers: { enabled: true },
            },
          },
          {
            type: 'shoot-dns-service',
            providerConfig: {
              apiVersion: 'service.dns.extensions.gardener.cloud/v1alpha1',
              kind: 'DNSConfig',
              dnsProviderReplication: { enabled: true },
              providers: [
                {
                  credentials: 'shoot-dns-service-dns',
                  domains: { include: ['shoot.dev.example.org'] },
                  type: 'aws-route53',
                },
              ],
              syncProvidersFromShootSpecDNS: true,
            },
          },
          { type: 'shoot-oidc-service', disabled: false },
          {
            type: 'shoot-auditlog-service',
            providerConfig: {
              apiVersion: 'service.auditlog.extensions.gardener.cloud/v1alpha1',
              kind: 'AuditlogConfig',
              type: 'standard',
              tenantID: 'tenant-1',
              serviceURL: 'https://audit.example.org:8081',
              secretReferenceName: 'auditlog-credentials',
            },
          },
        ],
        provider: {
          type: 'aws',
          controlPlaneConfig: {
            apiVersion: 'aws.provider.extensions.gardener.cloud/v1alpha1',
            kind: 'ControlPlaneConfig',
          },
          infrastructureConfig: {
            apiVersion: 'aws.provider.extensions.gardener.cloud/v1alpha1',
            kind: 'InfrastructureConfig',
            networks: {
              vpc: { cidr: '10.250.0.0/16' },
              zones: [
                {
                  name: 'eu-central-1a',
                  workers: '10.250.0.0/19',
                  public: '10.250.32.0/20',
                  internal: '10.250.48.0/20',
                },
                {
                  name: 'eu-central-1b',
                  workers: '10.250.64.0/19',
                  public: '10.250.96.0/20',
                  internal: '10.250.112.0/20',
                },
                {
                  name: 'eu-central-1c',
                  workers: '10.250.128.0/19',
                  public: '10.250.160.0/20',
                  internal: '10.250.176.0/20',
                },
              ],
            },
          },
          workers: [worker()],
          workersSettings: { sshAccess: { enabled: false } },
        },
      },
    });
  });

  test('[I73] what the Runtime says is copied, and the versions that it names count', () => {
    const { spec } = create({ shoot: { kubernetes: { version: '1.28.15' } } });
    expect(spec?.extensions).toHaveLength(5);
    expect(spec?.kubernetes.version).toBe('1.28.15');
    expect(spec?.provider.workers?.[0]?.machine.image).toEqual({ name: 'gardenlinux', version: '1591.1.0' });
    expect(spec).toMatchObject({
      purpose: 'production',
      region: 'eu-central-1',
      secretBindingName: 'aws-binding',
      controlPlane: { highAvailability: { failureTolerance: { type: 'node' } } },
      networking: { nodes: '10.250.0.0/16', pods: '10.96.0.0/13', services: '10.104.0.0/13' },
    });
  });

  test('[I74] without a tenant there is nothing of audit logs', () => {
    const { spec } = deepFreeze(rendering.create(runtimeOf(), undefined));
    expect(spec?.extensions).toHaveLength(4);
    expect(spec?.resources).toBeUndefined();
    expect(spec?.kubernetes.kubeAPIServer).not.toHaveProperty('auditConfig');
  });

  test('[I75] versions that the Runtime does not name are those of the configuration', () => {
    const { spec } = create({
      shoot: { kubernetes: {} },
      provider: { workers: [worker({ machine: { type: 'm6i.large' } })] },
    });
    expect(spec?.kubernetes.version).toBe('1.29.14');
    expect(spec?.provider.workers?.[0]?.machine.image).toEqual({ name: 'gardenlinux', version: '1592.1.0' });
  });
});

describe('a Shoot that exists', () => {
  const zones = ['eu-central-1c', 'eu-central-1b', 'eu-central-1a'];
  const live = (version: string, image: string) =>
    withSpec(create(), (spec) => ({
      ...spec,
      kubernetes: { ...spec.kubernetes, version },
      provider: {
        ...spec.provider,
        workers: [
          worker({ zones, machine: { type: 'm6i.large', image: { name: 'gardenlinux', version: image } } }),
        ],
      },
    }));
  const runtime = () => runtimeOf({ shoot: { kubernetes: { version: '1.28.15' } } });

  test('[I76] keeps its newer versions and the order of its zones; its domain is not in the patch', () => {
    const { spec } = rendering.patch(runtime(), live('1.30.12', '1592.2.0'), { audit: tenant });
    expect(spec?.kubernetes.version).toBe('1.30.12');
    expect(spec?.provider.workers).toEqual([
      worker({
        zones,
        machine: { type: 'm6i.large', image: { name: 'gardenlinux', version: '1592.2.0' } },
      }),
    ]);
    expect(spec?.dns).toBeUndefined();
    expect(spec?.tolerations).toBeUndefined();
    expect(spec?.extensions).toHaveLength(5);
  });

  test('[I77] gets the newer versions of the Runtime', () => {
    const { spec } = rendering.patch(runtime(), live('1.27.1', '1591.0.0'), { audit: tenant });
    expect(spec?.kubernetes.version).toBe('1.28.15');
    expect(spec?.provider.workers?.[0]?.machine.image?.version).toBe('1591.1.0');
  });

  test('a patch of what was created has the same fields, apart from those that cannot change', () => {
    const created = create();
    const { dns: _, ...spec } = created.spec ?? { kubernetes: {} };
    const { serviceAccountConfig: __, ...kubeAPIServer } = spec.kubernetes.kubeAPIServer ?? {};
    const kubernetes = { ...spec.kubernetes, kubeAPIServer };
    expect(rendering.patch(runtimeOf(), created, { audit: tenant })).toEqual({
      ...created,
      spec: { ...spec, kubernetes },
    });
    expect(JSON.stringify(rendering.patch(runtimeOf(), created, { audit: tenant }).spec?.provider)).toBe(
      JSON.stringify(created.spec?.provider),
    );
  });

  test('gets the audit log with its credentials when its region has a tenant', () => {
    const before = deepFreeze(rendering.create(runtimeOf(), undefined));
    const { spec } = rendering.patch(runtimeOf(), before, { audit: tenant });
    expect(spec?.resources).toEqual(create().spec?.resources);
    expect(spec?.kubernetes.kubeAPIServer).toHaveProperty('auditConfig');
    expect(types({ ...before, ...(spec && { spec }) })).toContain('shoot-auditlog-service');
  });

  test('keeps references to Secrets of others, in their order', () => {
    const other = { name: 'other', resourceRef: { apiVersion: 'v1', kind: 'Secret', name: 'other' } };
    const before = withSpec(create(), (spec) => ({ ...spec, resources: [...(spec.resources ?? []), other] }));
    const moved = { ...tenant, secretName: 'new' };
    const references = (audit: typeof tenant | undefined) =>
      rendering
        .patch(runtimeOf(), before, { audit })
        .spec?.resources?.map(({ resourceRef }) => resourceRef.name);
    expect(references(moved)).toEqual(['new', 'other']);
    expect(references(undefined)).toEqual(['auditlog', 'other']);
  });
});

describe('required labels', () => {
  const keys = Object.keys(requiredLabels);
  const order = [0, 1, 2, 3, 4, 5, 6, 7].map((index) => keys[index] ?? '');

  test.each(order)('%s', (key) => {
    for (const value of [undefined, '']) {
      const runtime = runtimeOf({ metadata: { labels: { ...requiredLabels, [key]: value } as never } });
      const message = `missing required label ${key}`;
      expect(() => rendering.create(runtime, { audit: tenant })).toThrow(message);
      expect(() => rendering.patch(runtime, create(), { audit: tenant })).toThrow(message);
    }
  });

  test('all that are missing are reported at once', () => {
    const runtime = runtimeOf({ metadata: { labels: {} } });
    expect(() => rendering.create(runtime, { audit: tenant })).toThrow(
      `missing required labels ${order.join(', ')}`,
    );
  });
});

test('[N125] a rendered Shoot shares nothing with what it was rendered from, which stays as it is', () => {
  const shoot = rendering.patch(runtimeOf({ shoot: { platformRegion: 'cf-eu11' } }), create(), {
    audit: tenant,
  });
  const containers: object[] = [shoot];
  for (const container of containers) {
    expect(Object.isFrozen(container)).toBe(false);
    const parts: unknown[] = Object.values(container);
    containers.push(...parts.filter((part): part is object => typeof part === 'object' && part !== null));
  }
  expect(containers.length).toBeGreaterThan(50);
});

test('[N11] caches of the shape before 1.41 are none', () => {
  const cache = { name: 'c', namespace: 'default', uid: 'u', config: { upstream: 'docker.io' } };
  const typesWith = (imageRegistryCache: unknown) => {
    const spec = { imageRegistryCache: imageRegistryCache as [] };
    return types(rendering.patch(runtimeOf({ spec }), create(), { audit: tenant }));
  };
  expect(typesWith([cache])).toContain('registry-cache');
  expect(typesWith({ enabled: true })).not.toContain('registry-cache');
});

test('a Runtime without spec is refused', () => {
  const { spec: _, ...runtime } = runtimeOf();
  expect(() => rendering.create(runtime, { audit: tenant })).toThrow('spec: it is required');
});

test('[I97] what the configuration has for audit logs', () => {
  expect(rendering.auditData(runtimeOf())).toEqual({ data: tenant });
  expect(rendering.auditData(runtimeOf({ shoot: { region: 'mars' } }))).toEqual({
    missing: "audit logs configuration not found: missing region: 'mars' for providerType: 'aws'",
  });
  const region = `\u001b${'x'.repeat(1e6)}`;
  expect(JSON.stringify(rendering.auditData(runtimeOf({ shoot: { region } }))).length).toBeLessThan(200);
  expect(rendering.auditData(runtimeOf({ provider: { type: 'gcp' } }))).toEqual({
    missing: "audit logs configuration not found: missing providerType: 'gcp'",
  });
});
