/** Runtimes and GardenerClusters as users of the Go program have them, on a real API server. */
import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import {
  type Runtime,
  runtimes,
} from '../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import type { ControlPlaneAccess } from '../../../hack/control-planes/access/access.ts';
import type { ResourceType } from '../../../internal/framework/kube/object/resource-type.ts';
import { eventually } from '../../environment/eventually.ts';
import { infrastructureManagerCrds, installCrds } from '../../environment/install-crds.ts';
import { controlPlanes, uniqueName } from '../harness/control-planes/control-planes.ts';

/** A Runtime of each plan of the broker. */
const EXAMPLES = readdirSync(new URL('../../../examples/runtime/', import.meta.url)).filter((file) =>
  file.endsWith('.yaml'),
);

let management: ControlPlaneAccess;
let namespace: string;

beforeAll(async () => {
  ({ management } = await controlPlanes());
  namespace = uniqueName('kcp');
  await management.request('/api/v1/namespaces', { method: 'POST', body: { metadata: { name: namespace } } });
});

type Served = Pick<ResourceType, 'group' | 'version' | 'plural'>;

const path = ({ group, version, plural }: Served, name = '') =>
  `/apis/${group}/${version}/namespaces/${namespace}/${plural}${name === '' ? '' : `/${name}`}?fieldValidation=Strict`;

const create = (object: object, type: Served = runtimes) =>
  management.request(path(type), {
    method: 'POST',
    contentType: 'application/yaml',
    text: stringify(object),
  });

const worker = {
  name: 'cpu-worker-0',
  machine: { type: 'm6i.large', image: { name: 'gardenlinux', version: '1591.1.0' } },
  minimum: 1,
  maximum: 3,
  maxSurge: '25%',
  maxUnavailable: 0,
  volume: { type: 'gp2', size: '50Gi' },
  zones: ['eu-central-1a', 'eu-central-1b'],
  kubernetes: {
    kubelet: {
      systemReserved: { cpu: '100m', memory: 1073741824 },
      // Since Gardener 1.140.
      ...{ maxParallelImagePulls: 5, imageMinimumGCAge: '3m0s', imageMaximumGCAge: '168h0m0s' },
    },
  },
  controlPlane: {
    backup: { provider: 'aws', credentialsRef: { apiVersion: 'v1', kind: 'Secret', name: 'backup' } },
    exposure: { dns: {} },
  },
  providerConfig: { apiVersion: 'aws.provider.extensions.gardener.cloud/v1alpha1', any: { depth: true } },
  clusterAutoscaler: { scaleDownUtilizationThreshold: 0.5 },
};

type Spec = NonNullable<Runtime['spec']>;
type Shoot = Spec['shoot'];

const runtime = (name: string, change: (spec: Spec) => object = (spec) => spec) => ({
  apiVersion: runtimes.apiVersion,
  kind: runtimes.kind,
  metadata: { name },
  spec: change({
    shoot: {
      name: 'shoot-1',
      purpose: 'production',
      platformRegion: 'cf-eu10',
      region: 'eu-central-1',
      licenceType: 'PARTNER',
      enforceSeedLocation: true,
      secretBindingName: 'aws-binding',
      kubernetes: {
        version: '1.31.8',
        kubeAPIServer: {
          oidcConfig: { clientID: 'c', issuerURL: 'https://issuer.example.org', signingAlgs: ['RS256'] },
          additionalOidcConfig: [{ clientID: 'd', issuerURL: 'https://other.example.org', jwks: 'e30=' }],
        },
      },
      provider: {
        type: 'aws',
        workers: [worker],
        additionalWorkers: [{ ...worker, name: 'worker-1' }],
        infrastructureConfig: { kind: 'InfrastructureConfig', networks: { zones: [{ name: 'any' }] } },
        controlPlaneConfig: { kind: 'ControlPlaneConfig' },
      },
      networking: { type: 'calico', nodes: '10.250.0.0/16', pods: '10.96.0.0/13', services: '10.104.0.0/13' },
      controlPlane: { highAvailability: { failureTolerance: { type: 'zone' } } },
    },
    security: {
      administrators: ['admin@example.org'],
      networking: { filter: { egress: { enabled: true }, ingress: { enabled: false } } },
    },
    imageRegistryCache: [
      {
        name: 'one',
        namespace: 'default',
        uid: 'u',
        config: { upstream: 'docker.io', volume: { size: '20Gi' } },
      },
    ],
  }),
});

describe('a Runtime', () => {
  test('[N10] of a provider that is not supported is refused', async () => {
    const change = (spec: Spec) => withProvider({ type: 'ali' as never })(spec);
    expect((await create(runtime(uniqueName('runtime'), change))).status).toBe(422);
  });

  const withCaches = (imageRegistryCache: unknown) => (spec: Spec) => ({ ...spec, imageRegistryCache });
  const cache = { name: 'one', namespace: 'default', uid: 'u', config: { upstream: 'docker.io' } };

  test('[N8] has caches of image registries as a list, with defaults of its own', async () => {
    const caches = [
      { ...cache, config: { ...cache.config, volume: {}, garbageCollection: {} } },
      { ...cache, name: 'two', config: { upstream: 'quay.io', volume: { size: 5 }, http: { tls: true } } },
    ];
    expect(await create(runtime(uniqueName('runtime'), withCaches(caches)))).toMatchObject({
      status: 201,
      body: {
        spec: {
          imageRegistryCache: [
            { config: { volume: { size: '10Gi' }, garbageCollection: { ttl: '168h' } } },
            { config: { upstream: 'quay.io', volume: { size: 5 } } },
          ],
        },
      },
    });
  });

  test.each([
    ['without a uid', { ...cache, uid: undefined }],
    ['without an upstream', { ...cache, config: {} }],
  ])('[N9] with a cache %s is refused', async (_, wrong) => {
    const { status } = await create(runtime(uniqueName('runtime'), withCaches([wrong])));
    expect([400, 422]).toContain(status);
  });

  test.each(['alicloud', 'gdch'] as const)('[N10] of the provider %s is accepted', async (type) => {
    const change = (spec: Spec) => withProvider({ type })(spec);
    expect(await create(runtime(uniqueName('runtime'), change))).toMatchObject({ status: 201 });
  });

  test.each(EXAMPLES)('of the example %s is accepted strictly', async (file) => {
    const text = readFileSync(new URL(`../../../examples/runtime/${file}`, import.meta.url), 'utf8');
    const { metadata, ...rest } = parse(text);
    const written = { ...rest, metadata: { ...metadata, namespace, name: uniqueName('runtime') } };
    expect(await create(written)).toMatchObject({ status: 201, body: { spec: rest.spec } });
  });

  const withShoot = (change: Partial<Shoot>) => (spec: Spec) => ({
    ...spec,
    shoot: { ...spec.shoot, ...change },
  });
  const withProvider = (change: Partial<Shoot['provider']>) => (spec: Spec) =>
    withShoot({ provider: { ...spec.shoot.provider, ...change } })(spec);
  const withNetworking = (change: Partial<Shoot['networking']>) => (spec: Spec) =>
    withShoot({ networking: { ...spec.shoot.networking, ...change } })(spec);
  const { zones: _, ...anywhere } = worker;
  const nineZones = { ...worker, zones: Array.from({ length: 9 }, (_, index) => `zone-${index}`) };

  test.each<[string, (spec: Spec) => object, string]>([
    ['no main worker pool', withProvider({ workers: [] }), 'exactly one main worker pool'],
    ['two main worker pools', withProvider({ workers: [worker, worker] }), 'exactly one main worker pool'],
    ['no zone on aws', withProvider({ workers: [anywhere], additionalWorkers: [] }), 'must have a zone'],
    [
      'no zone on gcp',
      withProvider({ type: 'gcp', workers: [anywhere], additionalWorkers: [anywhere] }),
      'must have a zone',
    ],
    ['nine zones on aws', withProvider({ workers: [nineZones] }), 'at most 8 zones'],
    ['nine zones in a further pool', withProvider({ additionalWorkers: [nineZones] }), 'at most 8 zones'],
    ['named zones on azure', withProvider({ type: 'azure' }), 'numbers between 1 and 8'],
    ['nodes that are no range', withNetworking({ nodes: '10.250.0.0' }), 'must be an IPv4 range'],
    ['pods of IPv6', withNetworking({ pods: 'fd00::/48' }), 'must be an IPv4 range'],
    ['services beyond IPv4', withNetworking({ services: '10.104.0.0/33' }), 'must be an IPv4 range'],
    ['too many nodes', withNetworking({ nodes: '10.240.0.0/15' }), 'between 16 and 24'],
    ['too few nodes', withNetworking({ nodes: '10.250.0.0/25' }), 'between 16 and 24'],
    ['nodes among the pods', withNetworking({ nodes: '10.97.0.0/16' }), 'must not overlap'],
    ['services around the nodes', withNetworking({ services: '10.250.0.0/15' }), 'must not overlap'],
  ])('[I10.9] with %s is refused with a reason', async (_, change, reason) => {
    const { status, body } = await create(runtime(uniqueName('runtime'), change));
    expect({ status, body }).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining(reason) },
    });
  });

  test.each<[string, (spec: Spec) => object]>([
    ['zones in a further pool only', withProvider({ workers: [anywhere], additionalWorkers: [worker] })],
    ['no zones on azure', withProvider({ type: 'azure', workers: [anywhere], additionalWorkers: [] })],
    [
      'zones of azure',
      withProvider({ type: 'azure', workers: [{ ...worker, zones: ['8', '1'] }], additionalWorkers: [] }),
    ],
    [
      'few nodes on openstack',
      (spec) => withNetworking({ nodes: '10.250.0.0/26' })(withProvider({ type: 'openstack' })(spec) as Spec),
    ],
    [
      'as many worker pools as a Shoot may have',
      withProvider({
        additionalWorkers: Array.from({ length: 256 }, (_, index) => ({ ...worker, name: `w${index}` })),
      }),
    ],
    [
      'a pool that has all annotations that a node may have',
      withProvider({
        workers: [
          {
            ...worker,
            annotations: {
              'example.org/one': 'a'.repeat(200_000),
              ...Object.fromEntries(
                Array.from({ length: 200 }, (_, i) => [`example.org/${i}`, 'b'.repeat(290)]),
              ),
            },
          },
        ],
      }),
    ],
    ['a mebibyte of authorities', withProvider({ workers: [{ ...worker, caBundle: 'c'.repeat(2 ** 20) }] })],
    [
      'a mebibyte of keys of an issuer',
      withShoot({
        kubernetes: {
          kubeAPIServer: {
            additionalOidcConfig: [
              { clientID: 'd', issuerURL: 'https://other.example.org', jwks: 'a'.repeat(2 ** 20) },
            ],
          },
        },
      }),
    ],
    ['a network that begins elsewhere', withNetworking({ nodes: '10.250.3.7/16' })],
  ])('with %s is accepted', async (_, change) => {
    expect(await create(runtime(uniqueName('runtime'), change))).toMatchObject({ status: 201 });
  });

  const change = (name: string, shoot: object, type: Served = runtimes) =>
    management.request(path(type, name), {
      method: 'PATCH',
      contentType: 'application/merge-patch+json',
      body: { spec: { shoot } },
    });

  test('keeps the name of the Shoot, region, type of the provider and networks', async () => {
    const name = uniqueName('runtime');
    await create(runtime(name));
    const fixed = {
      name: { name: 'shoot-2' },
      region: { region: 'eu-west-1' },
      provider: { provider: { type: 'gcp' } },
      plugin: { networking: { type: 'cilium' } },
      'no plugin': { networking: { type: null } },
      nodes: { networking: { nodes: '10.251.0.0/16' } },
      pods: { networking: { pods: '10.64.0.0/13' } },
      services: { networking: { services: '10.112.0.0/13' } },
    };
    for (const [field, shoot] of Object.entries(fixed)) {
      const { status, body } = await change(name, shoot);
      expect([field, status, body]).toMatchObject([
        field,
        422,
        { message: expect.stringContaining('cannot be changed') },
      ]);
    }
    const free = {
      ...{ secretBindingName: 'other', purpose: 'evaluation', platformRegion: 'cf-us10', licenceType: null },
      provider: { workers: [{ ...worker, maximum: 5, zones: ['eu-central-1c'] }], additionalWorkers: null },
    };
    expect(await change(name, free)).toMatchObject({ status: 200, body: { metadata: { generation: 2 } } });
  });

  test('that an older CRD accepted is changed and deleted as before, where it is not made worse', async () => {
    const crd = (await infrastructureManagerCrds()).find(({ spec }) => spec.names.kind === runtimes.kind);
    if (crd === undefined) throw new Error('there is no CRD of Runtime');
    const group = `${uniqueName('older')}.example.org`;
    const copy = {
      ...crd,
      metadata: { name: `${runtimes.plural}.${group}` },
      spec: { ...crd.spec, group },
    };
    const type: Served = { ...runtimes, group };
    await installCrds(management, [withoutRules(copy) as typeof copy]);
    const name = uniqueName('runtime');
    const old = {
      ...runtime(name, (spec) =>
        withNetworking({ nodes: '10.96.0.0/26' })(withProvider({ workers: [worker, worker] })(spec) as Spec),
      ),
      apiVersion: `${group}/${type.version}`,
    };
    old.metadata = { ...old.metadata, finalizers: ['example.org/test'] } as typeof old.metadata;
    expect(await create(old, type)).toMatchObject({ status: 201 });
    await installCrds(management, [copy]);

    await eventually(async () =>
      expect(await change(name, { region: 'eu-west-1' }, type)).toMatchObject({ status: 422 }),
    );
    expect(await change(name, { purpose: 'testing' }, type)).toMatchObject({ status: 200 });
    const finalizers = await management.request(path(type, name), {
      ...{ method: 'PATCH', contentType: 'application/merge-patch+json' },
      body: { metadata: { finalizers: null } },
    });
    expect(finalizers.status).toBe(200);
  });

  test('[N11] of the shape before 1.41 is changed as long as its caches are not, and gets a list', async () => {
    const crd = (await infrastructureManagerCrds()).find(({ spec }) => spec.names.kind === runtimes.kind);
    if (crd === undefined) throw new Error('there is no CRD of Runtime');
    const group = `${uniqueName('former')}.example.org`;
    const today = {
      ...crd,
      metadata: { name: `${runtimes.plural}.${group}` },
      spec: { ...crd.spec, group },
    };
    const before: typeof today = JSON.parse(JSON.stringify(today), (key, value) =>
      key === 'imageRegistryCache'
        ? { type: 'object', required: ['enabled'], properties: { enabled: { type: 'boolean' } } }
        : value,
    );
    const type: Served = { ...runtimes, group };
    await installCrds(management, [before]);
    const name = uniqueName('runtime');
    const old = { ...runtime(name, withCaches({ enabled: true })), apiVersion: `${group}/${type.version}` };
    expect(await create(old, type)).toMatchObject({ status: 201 });
    await installCrds(management, [today]);
    const patch = (imageRegistryCache: unknown) =>
      management.request(path(type, name), {
        ...{ method: 'PATCH', contentType: 'application/merge-patch+json' },
        body: { spec: { imageRegistryCache } },
      });
    await eventually(async () => expect(await patch({ enabled: false })).toMatchObject({ status: 422 }));
    expect(await change(name, { purpose: 'testing' }, type)).toMatchObject({ status: 200 });
    expect(await patch([cache])).toMatchObject({ status: 200 });
  });
});

/** A copy of a document without the rules of its schemas. */
function withoutRules(document: unknown): unknown {
  return JSON.parse(
    JSON.stringify(document, (key, value: unknown) =>
      key === 'x-kubernetes-validations' ? undefined : value,
    ),
  );
}
