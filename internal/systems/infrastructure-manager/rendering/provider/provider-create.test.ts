import { describe, expect, test } from '@jest/globals';
import type { Shoot, Worker } from '../../../../../apis/gardener/kinds.ts';
import {
  configurationOf,
  evictions,
  gdch,
  runtimeOf,
  tenant,
  worker,
} from '../fixtures/rendering.fixture.ts';
import { createShootRendering } from '../shoot-rendering.ts';
import { awsSubnets, azureSubnets } from './oracle.fixture.ts';

type Type = 'aws' | 'azure' | 'gcp' | 'openstack';

const NODES = '10.250.0.0/16';

function created(
  type: Type,
  workers: Worker[],
  additionalWorkers: Worker[] = [],
  enableIMDSv2 = false,
): Shoot {
  const rendering = createShootRendering(
    configurationOf({ provider: { aws: { enableIMDSv2 }, gdch, worker: evictions } }),
  );
  return rendering.create(runtimeOf({ provider: { type, workers, additionalWorkers } }), { audit: tenant });
}

const providerOf = ({ spec }: Shoot) => {
  if (spec === undefined) throw new Error('a Shoot without spec');
  return spec.provider;
};

const workerConfig = {
  apiVersion: 'aws.provider.extensions.gardener.cloud/v1alpha1',
  kind: 'WorkerConfig',
  instanceMetadataOptions: { httpTokens: 'required', httpPutResponseHopLimit: 2 },
};

const zoneNames = (count: number) => ['1', '2', '3'].slice(0, count);

describe.each([1, 2, 3])('%i zones', (count) => {
  const zones = zoneNames(count);
  const pool = worker({ zones });

  test('[I111] aws', () => {
    expect(providerOf(created('aws', [pool]))).toEqual({
      type: 'aws',
      infrastructureConfig: {
        apiVersion: 'aws.provider.extensions.gardener.cloud/v1alpha1',
        kind: 'InfrastructureConfig',
        networks: {
          vpc: { cidr: NODES },
          zones: awsSubnets(NODES, count).map((subnets, index) => ({ name: zones[index], ...subnets })),
        },
      },
      controlPlaneConfig: {
        apiVersion: 'aws.provider.extensions.gardener.cloud/v1alpha1',
        kind: 'ControlPlaneConfig',
      },
      workers: [pool],
      workersSettings: { sshAccess: { enabled: false } },
    });
  });

  test('[I112] [I131] azure', () => {
    expect(providerOf(created('azure', [pool]))).toMatchObject({
      type: 'azure',
      infrastructureConfig: {
        networks: { zones: azureSubnets(NODES, count).map((cidr, index) => ({ name: index + 1, cidr })) },
      },
      controlPlaneConfig: {
        apiVersion: 'azure.provider.extensions.gardener.cloud/v1alpha1',
        kind: 'ControlPlaneConfig',
      },
    });
  });

  test('[I112] [I131] gcp', () => {
    expect(providerOf(created('gcp', [pool]))).toEqual({
      type: 'gcp',
      infrastructureConfig: {
        apiVersion: 'gcp.provider.extensions.gardener.cloud/v1alpha1',
        kind: 'InfrastructureConfig',
        networks: { worker: NODES, workers: NODES },
      },
      controlPlaneConfig: {
        apiVersion: 'gcp.provider.extensions.gardener.cloud/v1alpha1',
        kind: 'ControlPlaneConfig',
        zone: '1',
      },
      workers: [pool],
      workersSettings: { sshAccess: { enabled: false } },
    });
  });

  test('[I112] [I131] openstack, with one pool and with two', () => {
    for (const further of [[], [worker({ name: 'two', zones: ['4'] })]]) {
      expect(providerOf(created('openstack', [pool], further))).toEqual({
        type: 'openstack',
        infrastructureConfig: {
          apiVersion: 'openstack.provider.extensions.gardener.cloud/v1alpha1',
          kind: 'InfrastructureConfig',
          floatingPoolName: 'FloatingIP-external-kyma-01',
          networks: { workers: NODES },
        },
        controlPlaneConfig: {
          apiVersion: 'openstack.provider.extensions.gardener.cloud/v1alpha1',
          kind: 'ControlPlaneConfig',
          loadBalancerProvider: 'f5',
        },
        workers: [pool, ...further],
        workersSettings: { sshAccess: { enabled: false } },
      });
    }
  });
});

test('[I111] nodes on AWS with IMDSv2, and the image of the configuration', () => {
  const image = { name: 'gardenlinux', version: '' };
  const pool = worker({ machine: { type: 'm6i.large', image }, providerConfig: { kind: 'Other' } });
  expect(providerOf(created('aws', [pool], [], true)).workers).toEqual([
    {
      ...pool,
      machine: { type: 'm6i.large', image: { name: 'gardenlinux', version: '1592.1.0' } },
      providerConfig: workerConfig,
    },
  ]);
});

test.each([true, false])(
  '[I113] [I114] a main pool and two others, whose zones are each taken once, IMDSv2 %s',
  (enableIMDSv2) => {
    const pools = [
      worker({ zones: ['a', 'b'] }),
      worker({ name: 'one', zones: ['b'] }),
      worker({ name: 'two', zones: ['c', 'a'] }),
    ];
    const { workers, infrastructureConfig } = providerOf(
      created('aws', pools.slice(0, 1), pools.slice(1), enableIMDSv2),
    );
    expect(workers).toEqual(
      pools.map((pool) => ({ ...pool, ...(enableIMDSv2 ? { providerConfig: workerConfig } : {}) })),
    );
    expect(infrastructureConfig).toMatchObject({
      networks: { zones: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] },
    });
  },
);

test('IMDSv2 is of AWS only', () => {
  const pool = worker({ zones: ['1'] });
  expect(providerOf(created('gcp', [pool], [], true)).workers).toEqual([pool]);
});

describe('refused', () => {
  test('[I114] a provider that is not known', () => {
    expect(() => created('aliyun' as Type, [worker()])).toThrow('provider not supported');
  });
  test.each([[[]], [[worker(), worker({ name: 'two' })]]])('no main pool, or two', (workers) => {
    expect(() => created('aws', workers)).toThrow(
      'spec.shoot.provider.workers: single main worker is required',
    );
  });
  test.each([undefined, []])('[I131] gcp without zones', (zones) => {
    const { zones: _, ...pool } = worker();
    expect(() => created('gcp', [zones === undefined ? pool : { ...pool, zones }])).toThrow(
      'zones list is empty',
    );
  });
  test('a repeated name', () => {
    expect(() => created('aws', [worker()], [worker({ name: 'x' }), worker()])).toThrow(
      'spec.shoot.provider.additionalWorkers[1].name: worker pool "cpu-worker-0" is duplicated',
    );
  });
  test('too many pools', () => {
    const pools = Array.from({ length: 100_000 }, (_, index) => worker({ name: `w${index}` }));
    expect(() => created('aws', [worker()], pools)).toThrow(
      'spec.shoot.provider.additionalWorkers: there may be at most 256 worker pools',
    );
  });
  test('too many zones', () => {
    const zones = Array.from({ length: 100_000 }, (_, index) => `z${index}`);
    expect(() => created('gcp', [worker({ zones })])).toThrow(
      'spec.shoot.provider.workers[0].zones: there may be at most 64 zones',
    );
  });
  test('more than Gardener stores', () => {
    const pools = Array.from({ length: 200 }, (_, index) =>
      worker({ name: `w${index}`, caBundle: 'x'.repeat(10_000) }),
    );
    expect(() => created('aws', [worker()], pools)).toThrow(
      'spec.shoot: the Shoot would have more than 1310720 bytes',
    );
  });
  test('documents that are nested too deeply', () => {
    let providerConfig: Record<string, unknown> = {};
    for (let level = 0; level < 10_000; level++) providerConfig = { level: providerConfig };
    expect(() => created('aws', [worker({ providerConfig })])).toThrow('nested deeper than 500 levels');
  });
  test('control characters in a message are escaped, and long values cut', () => {
    const name = `\u001b[31m${'x'.repeat(1e6)}`;
    const message = (() => {
      try {
        created('aws', [worker({ name })], [worker({ name })]);
        return '';
      } catch (error) {
        return (error as Error).message;
      }
    })();
    expect(message).toContain('"\\e[31mxxx');
    expect(message.length).toBeLessThan(200);
  });
});
