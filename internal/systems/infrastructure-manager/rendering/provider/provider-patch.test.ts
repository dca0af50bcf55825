import { describe, expect, test } from '@jest/globals';
import type { Shoot, Worker } from '../../../../../apis/gardener/kinds.ts';
import { deepFreeze } from '../../../../framework/base/json/json-value.ts';
import { configurationOf, runtimeOf, worker } from '../fixtures/rendering.fixture.ts';
import { createShootRendering } from '../shoot-rendering.ts';

type Type = 'aws' | 'azure' | 'gcp' | 'openstack';

const rendering = createShootRendering(configurationOf());

type Provider = NonNullable<Shoot['spec']>['provider'];

const providerOf = ({ spec }: Shoot): Provider => {
  if (spec === undefined) throw new Error('a Shoot without spec');
  return spec.provider;
};

const runtimeWith = (type: Type, [main = worker(), ...additionalWorkers]: readonly Worker[]) =>
  runtimeOf({ provider: { type, workers: [main], additionalWorkers } });

/** The Shoot of a Runtime with these pools. */
const liveWith = (
  type: Type,
  pools: readonly Worker[],
  change: (provider: Provider) => Provider = (same) => same,
) => {
  const shoot = rendering.create(runtimeWith(type, pools));
  if (shoot.spec === undefined) throw new Error('a Shoot without spec');
  return deepFreeze({ ...shoot, spec: { ...shoot.spec, provider: change(shoot.spec.provider) } });
};

const patched = (type: Type, live: Shoot, pools: readonly Worker[]): Provider =>
  providerOf(rendering.patch(runtimeWith(type, pools), live, undefined));

const image = (name: string, version?: string): Worker['machine'] => ({
  type: 'm6i.large',
  image: { name, ...(version === undefined ? {} : { version }) },
});
const imagesOf = ({ workers = [] }: Provider) => workers.map(({ machine }) => machine.image);
const zonesOf = ({ workers = [] }: Provider) => workers.map(({ zones }) => zones);
const other = (zones: string[], more: Partial<Worker> = {}) => worker({ name: 'other', zones, ...more });

describe('[I115] the image of a pool', () => {
  test.each([
    ['is newer', image('gardenlinux', '1312.2.0'), image('gardenlinux', '1312.4.0'), '1312.4.0'],
    ['is older', image('gardenlinux', '1312.2.0'), image('gardenlinux', '1312.1.0'), '1312.2.0'],
    [
      'is older than that of the configuration',
      { type: 'm6i.large' },
      image('gardenlinux', '1312.1.0'),
      '1592.1.0',
    ],
    [
      'is newer than that of the configuration',
      image('gardenlinux'),
      image('gardenlinux', '1600.0.0'),
      '1600.0.0',
    ],
    ['has another name', image('gardenlinux', '1312.2.0'), image('ubuntu', '1312.4.0'), '1312.2.0'],
    [
      'has another name than that of the configuration',
      { type: 'm6i.large' },
      image('ubuntu', '9999.0.0'),
      '1592.1.0',
    ],
    ['has no name', image('gardenlinux', '1312.2.0'), image('', '1312.4.0'), '1312.2.0'],
    ['has an empty version', image('gardenlinux', '1312.2.0'), image('gardenlinux', ''), '1312.2.0'],
    ['has no version', image('gardenlinux', '1312.2.0'), image('gardenlinux'), '1312.2.0'],
  ])('of the Shoot %s', (_, wanted, live, version) => {
    const shoot = liveWith('aws', [worker()], (provider) => ({
      ...provider,
      workers: [worker({ machine: live })],
    }));
    const provider = patched('aws', shoot, [worker({ machine: wanted })]);
    expect(imagesOf(provider)).toEqual([{ name: 'gardenlinux', version }]);
  });

  test('[I120] is taken for each pool', () => {
    const pools = [
      worker({ machine: image('gardenlinux', '2.0.0') }),
      other(['a'], { machine: image('ubuntu', '1.0.0') }),
    ];
    const live = liveWith('gcp', pools);
    const provider = patched('gcp', live, [
      worker({ machine: { type: 'big', image: { name: 'gardenlinux', version: '1.0.0' } } }),
      other(['a'], { machine: image('ubuntu', '3.0.0') }),
    ]);
    expect(provider.workers?.map(({ machine }) => machine)).toEqual([
      { type: 'big', image: { name: 'gardenlinux', version: '2.0.0' } },
      image('ubuntu', '3.0.0'),
    ]);
  });
});

describe.each(['aws', 'azure', 'gcp', 'openstack'] as const)('%s', (type) => {
  const zones = ['1', '2', '3'];
  const main = worker({ zones });
  const vendor = (provider: Provider): Provider => ({
    ...provider,
    infrastructureConfig: { ...provider.infrastructureConfig, vendor: { z: 1, a: 2 } },
    controlPlaneConfig: { ...provider.controlPlaneConfig, vendor: true },
  });
  const live = liveWith(type, [main], vendor);
  const text = (value: unknown) => JSON.stringify(value);

  test('[I116] a pool in zones of the Shoot changes no configuration', () => {
    const provider = patched(type, live, [main, other(['2'])]);
    expect(text(provider.infrastructureConfig)).toBe(text(live.spec.provider.infrastructureConfig));
    expect(text(provider.controlPlaneConfig)).toBe(text(live.spec.provider.controlPlaneConfig));
    expect(provider.workers).toEqual([main, other(['2'])]);
  });

  test('[I116] a pool in a new zone changes nothing else of the configuration', () => {
    const { infrastructureConfig, controlPlaneConfig } = patched(type, live, [main, other(['4'])]);
    expect(text(controlPlaneConfig)).toBe(text(live.spec.provider.controlPlaneConfig));
    const before = live.spec.provider.infrastructureConfig as { networks: { zones?: object[] } };
    const after = infrastructureConfig as typeof before;
    const firstThree = { ...after.networks, zones: after.networks.zones?.slice(0, 3) };
    expect(text({ ...after, networks: firstThree })).toBe(text(before));
    expect(after.networks.zones?.length).toBe(type === 'aws' || type === 'azure' ? 4 : undefined);
  });

  test('[I119] without a pool its zones stay in the configuration', () => {
    const before = liveWith(type, [worker({ zones: ['1'] }), other(['2', '3'])]);
    const provider = patched(type, before, [worker({ zones: ['1'] })]);
    expect(provider.workers).toEqual([worker({ zones: ['1'] })]);
    expect(provider.infrastructureConfig).toEqual(before.spec.provider.infrastructureConfig);
  });

  test('a zone that comes back after its pool was removed gets the subnets that it had', () => {
    const before = liveWith(type, [worker({ zones: ['1'] }), other(['2', '3'])]);
    const without = deepFreeze({
      ...before,
      spec: { ...before.spec, provider: patched(type, before, [worker({ zones: ['1'] })]) },
    });
    const again = patched(type, without, [worker({ zones: ['1'] }), other(['3'])]);
    expect(again.infrastructureConfig).toEqual(before.spec.provider.infrastructureConfig);
  });

  test('[I121] configuration in the Runtime is ignored', () => {
    const bogus = { networks: { zones: [{ name: 'bogus' }] } };
    const runtime = runtimeOf({
      provider: { type, workers: [main], infrastructureConfig: bogus, controlPlaneConfig: bogus },
    });
    expect(providerOf(rendering.create(runtime))).toEqual(providerOf(liveWith(type, [main])));
    expect(providerOf(rendering.patch(runtime, live, undefined)).infrastructureConfig).toEqual(
      live.spec.provider.infrastructureConfig,
    );
  });

  test.each<[what: string, live: string[], wanted: string[], joined: string[]]>([
    ['[I117] more zones', ['1'], ['1', '2', '3'], ['1', '2', '3']],
    ['[I117] more zones around one', ['2'], ['1', '2', '3'], ['2', '1', '3']],
    ['[I117] more zones in another order', ['2', '1'], ['1', '2', '4'], ['2', '1', '4']],
    ['[I117] other zones', ['3'], ['1', '2', '4'], ['3', '1', '2', '4']],
    ['[I118] fewer zones', ['1', '2', '3'], ['1'], ['1', '2', '3']],
    ['[I122] another zone', ['2'], ['1'], ['2', '1']],
  ])('%s', (_, before, wanted, joined) => {
    const shoot = liveWith(type, [main, other(before)]);
    const provider = patched(type, shoot, [main, other(wanted)]);
    expect(zonesOf(provider)).toEqual([zones, joined]);
  });
});

test('[I123] on Azure without zones in the network, pools get zones and the network gets none', () => {
  const { zones: _, ...pool } = worker();
  const live = liveWith('azure', [pool]);
  const provider = patched('azure', live, [worker({ zones: ['1', '2'] }), other(['4'])]);
  expect(zonesOf(provider)).toEqual([['1', '2'], ['4']]);
  expect(provider.infrastructureConfig).toEqual(live.spec.provider.infrastructureConfig);
});

describe('order and defaults of pools', () => {
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => worker({ name })) as [
    Worker,
    Worker,
    Worker,
    Worker,
  ];
  const names = ({ workers = [] }: Provider) => workers.map(({ name }) => name);

  test('is that of the Shoot, with new pools last in the order of the Runtime', () => {
    const live = liveWith('aws', [c, a]);
    expect(names(patched('aws', live, [d, a, b, c]))).toEqual(['c', 'a', 'd', 'b']);
    expect(names(patched('aws', live, [a, c]))).toEqual(['c', 'a']);
  });

  test('the update strategy stays unless the Runtime has one', () => {
    const updateStrategy = 'AutoInPlaceUpdate';
    const live = liveWith('aws', [worker({ updateStrategy }), other(['eu-central-1a'], { updateStrategy })]);
    const { workers } = patched('aws', live, [
      worker(),
      other(['eu-central-1a'], { updateStrategy: 'AutoRollingUpdate' }),
    ]);
    expect(workers?.map((each) => each.updateStrategy)).toEqual([updateStrategy, 'AutoRollingUpdate']);
  });
});

test('[N124] a zone that is added to a Shoot with both families of addresses changes nothing else', () => {
  const configuration = configurationOf({ networking: { enableDualStackIP: true } });
  const dual = createShootRendering(configuration);
  const runtime = (zones: string[]) =>
    runtimeOf({ networking: { dualStack: true }, provider: { workers: [worker({ zones })] } });
  const live = deepFreeze(dual.create(runtime(['a', 'b', 'c'])));
  expect(providerOf(live)).toMatchObject({
    infrastructureConfig: { dualStack: { enabled: true } },
    controlPlaneConfig: { loadBalancerController: { enabled: true } },
  });
  const { infrastructureConfig, controlPlaneConfig } = providerOf(
    dual.patch(runtime(['a', 'b', 'c', 'z']), live),
  );
  expect(controlPlaneConfig).toEqual(providerOf(live).controlPlaneConfig);
  expect(infrastructureConfig).toMatchObject({ dualStack: { enabled: true } });
});

describe('refused', () => {
  const live = liveWith('aws', [worker()]);
  const without = (...fields: (keyof Provider)[]) =>
    deepFreeze({
      ...live,
      spec: {
        ...live.spec,
        provider: Object.fromEntries(
          Object.entries(live.spec.provider).filter(([key]) => !fields.includes(key as keyof Provider)),
        ) as Provider,
      },
    });

  test('[I124] a Shoot without infrastructureConfig', () => {
    expect(() => patched('aws', without('infrastructureConfig'), [worker()])).toThrow(
      'existing infrastructure config is required',
    );
  });
  test('a Shoot without workers', () => {
    expect(() => patched('aws', without('workers'), [worker()])).toThrow('shoot workers are required');
  });
  test('[I124] a Runtime without main pool', () => {
    const runtime = runtimeOf({ provider: { workers: [] } });
    expect(() => rendering.patch(runtime, live, undefined)).toThrow('single main worker is required');
  });
  test('another provider than before', () => {
    expect(() => patched('gcp', live, [worker()])).toThrow(
      'spec.shoot.provider.type: it cannot change from "aws" to "gcp"',
    );
  });
  test('a Shoot without controlPlaneConfig gets one', () => {
    expect(patched('aws', without('controlPlaneConfig'), [worker()])).toEqual(live.spec.provider);
    const ofGcp = liveWith('gcp', [worker({ zones: ['b'] })], ({ controlPlaneConfig: _, ...rest }) => rest);
    expect(patched('gcp', ofGcp, [worker({ zones: ['a'] })]).controlPlaneConfig).toHaveProperty('zone', 'b');
  });
});
