/** Runtimes and GardenerClusters as users of the Go program have them, on a real API server. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import {
  type GardenerCluster,
  gardenerClusters,
} from '../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import {
  type Runtime,
  runtimes,
} from '../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import type { ControlPlaneAccess } from '../../../hack/control-planes/access/access.ts';
import { infrastructureManagerCrds, installCrds } from '../../environment/install-crds.ts';
import { controlPlanes, uniqueName } from '../harness/control-planes/control-planes.ts';

let management: ControlPlaneAccess;
let namespace: string;

beforeAll(async () => {
  ({ management } = await controlPlanes());
  namespace = uniqueName('kcp');
  await management.request('/api/v1/namespaces', { method: 'POST', body: { metadata: { name: namespace } } });
});

const path = ({ group, version, plural }: typeof runtimes | typeof gardenerClusters, name = '') =>
  `/apis/${group}/${version}/namespaces/${namespace}/${plural}${name === '' ? '' : `/${name}`}?fieldValidation=Strict`;

const create = (object: object, type: Parameters<typeof path>[0] = runtimes) =>
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
  kubernetes: { kubelet: { systemReserved: { cpu: '100m', memory: 1073741824 } } },
  providerConfig: { apiVersion: 'aws.provider.extensions.gardener.cloud/v1alpha1', any: { depth: true } },
  clusterAutoscaler: { scaleDownUtilizationThreshold: 0.5 },
};

const runtime = (name: string, change: (spec: NonNullable<Runtime['spec']>) => object = (spec) => spec) => ({
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
    imageRegistryCache: { enabled: true },
  }),
});

describe('a Runtime', () => {
  test('is stored as it was written, with documents of providers and quantities', async () => {
    const name = uniqueName('runtime');
    const written = runtime(name);
    expect(await create(written)).toMatchObject({ status: 201, body: { spec: written.spec } });
  });

  test('has a status of its own, which needs a state', async () => {
    const name = uniqueName('runtime');
    await create(runtime(name));
    const patch = (status: object) =>
      management.request(path(runtimes, `${name}/status`), {
        method: 'PATCH',
        contentType: 'application/merge-patch+json',
        body: { status },
      });
    expect((await patch({ provisioningCompleted: true })).status).toBe(422);
    expect((await patch({ state: 'Unknown' })).status).toBe(422);
    const condition = {
      ...{ type: 'Provisioned', status: 'Unknown', reason: 'Initialised', message: 'Runtime initialized' },
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    // A plain list: one type may be there twice.
    const conditions = [condition, condition];
    expect(await patch({ state: 'Pending', conditions })).toMatchObject({
      status: 200,
      body: { metadata: { generation: 1 }, status: { state: 'Pending', conditions } },
    });
  });

  test.each<[string, (spec: NonNullable<Runtime['spec']>) => object]>([
    [
      'a provider that is not supported',
      (spec) => ({
        ...spec,
        shoot: { ...spec.shoot, provider: { ...spec.shoot.provider, type: 'alicloud' } },
      }),
    ],
    ['no workers', (spec) => ({ ...spec, shoot: { ...spec.shoot, provider: { type: 'aws' } } })],
    ['no administrators', (spec) => ({ ...spec, security: { networking: spec.security.networking } })],
    ['no security', ({ shoot }) => ({ shoot })],
    ['a field that does not exist', (spec) => ({ ...spec, shoot: { ...spec.shoot, hibernation: {} } })],
    [
      'a worker without a maximum',
      (spec) => ({
        ...spec,
        shoot: { ...spec.shoot, provider: { type: 'aws', workers: [{ ...worker, maximum: undefined }] } },
      }),
    ],
    [
      'more worker pools than a list may have',
      (spec) => ({
        ...spec,
        shoot: {
          ...spec.shoot,
          provider: { type: 'aws', workers: Array.from({ length: 65 }, () => worker) },
        },
      }),
    ],
    [
      'a name of half a megabyte',
      (spec) => ({ ...spec, shoot: { ...spec.shoot, name: 'a'.repeat(500_000) } }),
    ],
  ])('with %s is refused', async (_, change) => {
    const { status } = await create(runtime(uniqueName('runtime'), change));
    expect([400, 422]).toContain(status);
  });

  type Shoot = NonNullable<Runtime['spec']>['shoot'];
  const withShoot = (name: string, change: (shoot: Shoot) => object) =>
    runtime(name, (spec) => ({ ...spec, shoot: { ...spec.shoot, ...change(spec.shoot) } }));
  const networks = {
    type: 'calico',
    nodes: '10.250.0.0/16',
    pods: '10.96.0.0/13',
    services: '10.104.0.0/13',
  };

  test.each<[string, (shoot: Shoot) => object, RegExp]>([
    [
      'no main pool',
      ({ provider }) => ({ provider: { ...provider, workers: [] } }),
      /exactly one main worker pool is required/,
    ],
    [
      'two main pools',
      ({ provider }) => ({ provider: { ...provider, workers: [worker, { ...worker, name: 'b' }] } }),
      /exactly one main worker pool is required/,
    ],
    [
      'a pool named as the main one',
      ({ provider }) => ({ provider: { ...provider, additionalWorkers: [worker] } }),
      /no pool may have the name of the main one/,
    ],
    [
      'a main pool without zones',
      ({ provider }) => ({ provider: { ...provider, workers: [{ ...worker, zones: [] }] } }),
      /must have a zone/,
    ],
    [
      'nine zones',
      ({ provider }) => ({ provider: { ...provider, workers: [{ ...worker, zones: [...'abcdefghi'] }] } }),
      /eight zones at most/,
    ],
    ['a range that is none', () => ({ networking: { ...networks, pods: 'x' } }), /must be ranges/],
    ['a small range', () => ({ networking: { ...networks, nodes: '10.250.0.0/25' } }), /16 to 24 bits/],
    [
      'overlapping ranges',
      () => ({ networking: { ...networks, pods: '10.250.0.0/20' } }),
      /must not overlap/,
    ],
  ])('with %s is refused, with the reason', async (_, change, text) => {
    const { status, body } = await create(withShoot(uniqueName('runtime'), change));
    expect({ status, text: JSON.stringify(body) }).toEqual({
      status: 422,
      text: expect.stringMatching(text),
    });
  });

  test.each<[string, object, number]>([
    ['the name of the Shoot', { name: 'other' }, 422],
    ['the region', { region: 'eu-west-2' }, 422],
    ['the provider', { provider: { type: 'gcp' } }, 422],
    ['the nodes', { networking: { nodes: '10.251.0.0/16' } }, 422],
    ['the network plugin', { networking: { type: 'cilium' } }, 422],
    ['the binding', { secretBindingName: 'other' }, 200],
    ['the purpose', { purpose: 'evaluation' }, 200],
    ['the main pool', { provider: { workers: [{ ...worker, maximum: 9 }] } }, 200],
  ])('%s: a change is refused or accepted as Gardener does it', async (_, shoot, status) => {
    const name = uniqueName('runtime');
    expect((await create(runtime(name))).status).toBe(201);
    const patch = { method: 'PATCH', contentType: 'application/merge-patch+json', body: { spec: { shoot } } };
    expect((await management.request(path(runtimes, name), patch)).status).toBe(status);
  });

  test('without a spec is accepted, as the Go program’s CRD accepts it', async () => {
    const { spec: _, ...object } = runtime(uniqueName('runtime'));
    expect((await create(object)).status).toBe(201);
  });

  test('is shown with provider, region, state and age', async () => {
    const name = uniqueName('runtime');
    await create(runtime(name));
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const { body } = await management.request(path(runtimes, name), { accept });
    const { columnDefinitions, rows } = body as {
      columnDefinitions: { name: string }[];
      rows: { cells: unknown[] }[];
    };
    expect(columnDefinitions.map((column) => column.name)).toEqual([
      'Name',
      'Provider',
      'Region',
      'STATE',
      'Age',
    ]);
    expect(rows[0]?.cells.slice(0, 3)).toEqual([name, 'aws', 'eu-central-1']);
  });
});

test('a GardenerCluster keeps one condition of a type, and is shown with the ID of its runtime', async () => {
  const name = uniqueName('cluster');
  const labels = { 'kyma-project.io/runtime-id': 'id-1', 'kyma-project.io/shoot-name': 'shoot-1' };
  const cluster: GardenerCluster = {
    ...{ apiVersion: gardenerClusters.apiVersion, kind: gardenerClusters.kind },
    metadata: { name, namespace, labels },
    spec: {
      shoot: { name: 'shoot-1' },
      kubeconfig: { secret: { name: 'kubeconfig-1', namespace, key: 'config' } },
    },
  };
  expect((await create(cluster, gardenerClusters)).status).toBe(201);
  const { spec: _, ...empty } = cluster;
  expect((await create({ ...empty, metadata: { name: `${name}-2` } }, gardenerClusters)).status).toBe(422);
  const condition = {
    ...{
      type: 'KubeconfigManagement',
      status: 'True',
      reason: 'KubeconfigSecretCreated',
      message: 'Secret created successfully.',
    },
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  const put = (conditions: object[]) =>
    management.request(path(gardenerClusters, `${name}/status`), {
      ...{ method: 'PATCH', contentType: 'application/merge-patch+json' },
      body: { status: { state: 'Ready', conditions } },
    });
  expect((await put([condition, condition])).status).toBe(422);
  expect((await put([condition])).status).toBe(200);
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  const { body } = await management.request(path(gardenerClusters, name), { accept });
  expect((body as { rows: { cells: unknown[] }[] }).rows[0]?.cells.slice(0, 4)).toEqual([
    name,
    'Ready',
    'id-1',
    'shoot-1',
  ]);
});

test('the CRDs of the infrastructure manager are established', async () => {
  const installed = (await installCrds(management, await infrastructureManagerCrds())) as {
    metadata: { name: string };
    status: { conditions: { type: string; status: string }[] };
  }[];
  const problems = installed.flatMap(({ metadata, status }) =>
    status.conditions
      .filter(({ type, status }) => (type === 'NonStructuralSchema') === (status === 'True'))
      .map(({ type }) => `${metadata.name} ${type}`),
  );
  expect(problems).toEqual([]);
});
