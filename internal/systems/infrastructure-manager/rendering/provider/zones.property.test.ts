/** The life of a network: zones are added, pools come and go. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Shoot, Worker } from '../../../../../apis/gardener/kinds.ts';
import { anyCharacter } from '../../../../../test/campaign/any-character.ts';
import { deepFreeze, isObject, valueAt } from '../../../../framework/base/json/json-value.ts';
import { configurationOf, runtimeOf, worker } from '../fixtures/rendering.fixture.ts';
import { RenderingError } from '../model/extender.ts';
import { createShootRendering } from '../shoot-rendering.ts';
import { bounds } from './oracle.fixture.ts';

const parameters = { seed: 20_241_124, numRuns: 300 };

const rendering = createShootRendering(configurationOf());

/** Zones of the main pool and of further ones, one list for each state that the Runtime is in. */
const zones = fc
  .subarray([...'12345678'], { minLength: 1 })
  .chain((list) => fc.shuffledSubarray(list, { minLength: 1 }));
const states = fc.array(fc.array(zones, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 6 });

/** Its address is the first of the range. */
const nodes = fc
  .record({ address: fc.nat(2 ** 32 - 1), prefix: fc.integer({ min: 16, max: 24 }) })
  .map(({ address, prefix }) => {
    const first = address - (address % 2 ** (32 - prefix));
    return `${[24, 16, 8, 0].map((shift) => Math.floor(first / 2 ** shift) % 256).join('.')}/${prefix}`;
  });

const poolsOf = (state: readonly string[][]): Worker[] =>
  state.map((zones, index) => worker({ name: `pool-${index}`, zones }));

function runtimeWith(type: 'aws' | 'azure', range: string, state: readonly string[][]) {
  const [main = worker(), ...additionalWorkers] = poolsOf(state);
  return runtimeOf({ networking: { nodes: range }, provider: { type, workers: [main], additionalWorkers } });
}

const entriesOf = ({ spec }: Shoot): readonly Record<string, unknown>[] => {
  const entries = valueAt(spec?.provider.infrastructureConfig, ['networks', 'zones']);
  return Array.isArray(entries) ? entries.filter(isObject) : [];
};

const SUBNETS = { aws: ['workers', 'public', 'internal'], azure: ['cidr'] } as const;

function assertNetwork(type: 'aws' | 'azure', range: string, shoot: Shoot): void {
  const entries = entriesOf(shoot);
  const subnets = entries.flatMap((entry) => SUBNETS[type].map((name) => bounds(String(entry[name]))));
  const [first, last] = bounds(range);
  const sorted = subnets.toSorted(([a], [b]) => a - b);
  const fits = ([start, end]: readonly [number, number], index: number) =>
    start > (sorted[index - 1]?.[1] ?? first - 1) && end <= last;
  expect(sorted.filter((subnet, index) => !fits(subnet, index))).toEqual([]);
  const names = new Set(entries.map(({ name }) => String(name)));
  expect(names.size).toBe(entries.length);
  const used = shoot.spec?.provider.workers?.flatMap(({ zones = [] }) => zones) ?? [];
  expect(used.filter((zone) => !names.has(zone))).toEqual([]);
}

describe.each(['aws', 'azure'] as const)('%s', (type) => {
  test('subnets are inside the range, never overlap, and stay as they are while zones are added', () => {
    fc.assert(
      fc.property(nodes, states, (range, [first = [['1']], ...others]) => {
        let shoot = deepFreeze(rendering.create(runtimeWith(type, range, first)));
        assertNetwork(type, range, shoot);
        for (const state of others) {
          const runtime = runtimeWith(type, range, state);
          const next = deepFreeze(rendering.patch(runtime, shoot, undefined));
          assertNetwork(type, range, next);
          expect(entriesOf(next).slice(0, entriesOf(shoot).length)).toEqual(entriesOf(shoot));
          expect(JSON.stringify(rendering.patch(runtime, next, undefined))).toBe(JSON.stringify(next));
          shoot = next;
        }
      }),
      parameters,
    );
  });
});

test('whatever a tenant writes into networks and zones is rendered or refused with the field', () => {
  const text = fc.oneof(fc.string({ unit: anyCharacter, maxLength: 40 }), nodes, fc.ipV4(), fc.ipV6());
  fc.assert(
    fc.property(
      fc.constantFrom('aws', 'azure', 'gcp', 'openstack'),
      text,
      fc.array(fc.array(text, { maxLength: 12 }), { minLength: 1, maxLength: 4 }),
      (type, range, state) => {
        try {
          rendering.create(runtimeWith(type as 'aws', range, state));
        } catch (error) {
          expect(error).toBeInstanceOf(RenderingError);
          expect((error as Error).message).toMatch(/^spec\.shoot\./);
        }
      },
    ),
    parameters,
  );
});
