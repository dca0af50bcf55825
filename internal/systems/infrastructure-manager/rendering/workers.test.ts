/** What a pool of a Runtime becomes in its Shoot. */
import { describe, expect, test } from '@jest/globals';
import type { Worker } from '../../../../apis/gardener/kinds.ts';
import { configurationOf, runtimeOf, worker } from './fixtures/rendering.fixture.ts';
import { createShootRendering } from './shoot-rendering.ts';
import { addressesOf, limitPods, limitSum, withNetRaw } from './workers.ts';

const pool = (maxPods: number | undefined, index = 0): Worker =>
  worker({
    name: `pool-${index}`,
    ...(maxPods === undefined ? {} : { kubernetes: { kubelet: { maxPods } } }),
  });
const pools = (limits: readonly (number | undefined)[]) => limits.map(pool);
const limitsOf = (workers: readonly Worker[]) =>
  workers.map(({ kubernetes }) => kubernetes?.kubelet?.maxPods);

describe('limits of pods', () => {
  test.each([
    [[2000], '100.64.0.0/22', [254]],
    [[100, 1000], '10.0.0.0/24', [100, 154]],
    [[500], '', [254]],
    [[undefined], 'nothing', [undefined]],
    [[undefined, 300], '10.0.0.0/8', [undefined, 254]],
  ])('[N119] %j of pools with the range %s', (limits, range, expected) => {
    expect(limitsOf(limitPods(pools(limits), range))).toEqual(expected);
  });

  test.each([
    [[100, 200], 256, [100, 156]],
    [[100, 50, 100], 200, [100, 50, 50]],
    [[100, 1], 50, [49, 1]],
    [[undefined, 256], 256, [undefined, 256]],
  ])('[N119] %j of pools that share %i addresses', (limits, total, expected) => {
    expect(limitsOf(limitSum(pools(limits), total))).toEqual(expected);
  });

  test('[N119] more pools than addresses', () => {
    expect(() => limitSum(pools([1, 1]), 1)).toThrow(
      'maxPods clamping: cannot satisfy maxPods constraint: 2 workers with maxPods set (minimum 1 each) exceed totalIPs 1',
    );
  });

  test.each([
    ['10.0.0.0/32', 1],
    ['10.0.0.0/31', 2],
    ['10.0.0.0/24', 254],
    ['0.0.0.0/2', 1_073_741_822],
  ])('[N119] usable addresses of %s', (range, count) => {
    expect(addressesOf(range)).toBe(count);
  });

  test.each(['invalid', 'fd00::/64', '0.0.0.0/0', '0.0.0.0/1'])('[N119] the range %s is refused', (range) => {
    expect(() => addressesOf(range)).toThrow('invalid pods CIDR for maxPods calculation');
  });
});

const rendered = (given: Partial<Worker>) => {
  const rendering = createShootRendering(configurationOf());
  const { machineControllerManager: _, ...plain } = worker();
  return rendering.create(runtimeOf({ provider: { workers: [{ ...plain, ...given }] } })).spec?.provider
    .workers?.[0];
};

test.each([
  [undefined, { maxEvictRetries: 2, machineDrainTimeout: '15m0s' }],
  [{ maxEvictRetries: 5 }, { maxEvictRetries: 5, machineDrainTimeout: '15m0s' }],
  [
    { machineDrainTimeout: '1m', machineHealthTimeout: '2m' },
    { maxEvictRetries: 2, machineDrainTimeout: '1m', machineHealthTimeout: '2m' },
  ],
  [
    { maxEvictRetries: 0, machineDrainTimeout: '0s' },
    { maxEvictRetries: 0, machineDrainTimeout: '0s' },
  ],
])('[N120] limits of evictions: %j', (machineControllerManager, expected) => {
  expect(
    rendered(machineControllerManager === undefined ? {} : { machineControllerManager })
      ?.machineControllerManager,
  ).toEqual(expected);
});

describe('sandboxes of gVisor', () => {
  const head = {
    apiVersion: 'gvisor.runtime.extensions.config.gardener.cloud/v1alpha1',
    kind: 'GVisorConfiguration',
  };
  const withRuntimes = (containerRuntimes: { type: string; providerConfig?: Record<string, unknown> }[]) =>
    withNetRaw(worker({ cri: { name: 'containerd', containerRuntimes } })).cri?.containerRuntimes;

  test.each([
    [undefined, { ...head, configFlags: { 'net-raw': 'true' } }],
    [{}, { ...head, configFlags: { 'net-raw': 'true' } }],
    [
      { kind: 'X', configFlags: null, other: 1 },
      { ...head, kind: 'X', other: 1, configFlags: { 'net-raw': 'true' } },
    ],
    [{ configFlags: { debug: 'true' } }, { configFlags: { debug: 'true', 'net-raw': 'true' } }],
    [{ configFlags: { 'net-raw': 'false' } }, { configFlags: { 'net-raw': 'false' } }],
  ])('[N121] %j', (providerConfig, expected) => {
    const gvisor = { type: 'gvisor', ...(providerConfig === undefined ? {} : { providerConfig }) };
    expect(withRuntimes([gvisor, { type: 'other' }])).toEqual([
      { type: 'gvisor', providerConfig: expected },
      { type: 'other' },
    ]);
  });

  test('[N121] a document that is none is refused', () => {
    expect(() => withRuntimes([{ type: 'gvisor', providerConfig: { configFlags: 'x' } }])).toThrow(
      'unmarshal gVisor providerConfig failed',
    );
    expect(withNetRaw(worker())).toEqual(worker());
  });
});
