import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type Shoot, shoots } from '../../../../apis/gardener/kinds.ts';
import { createFakeClock, type FakeClock } from '../../../../internal/framework/base/time/fake-clock.ts';
import { apiError } from '../../../../internal/framework/kube/fakes/memory-client.ts';
import { shootOf } from '../../../contract/gardener/contract-case.ts';
import { type SimulatedGardener, startSimulatedGardener } from '../simulated-gardener.ts';
import { outcomes } from './stages.ts';

const STAGE_MS = 1000;

let clock: FakeClock;
let gardener: SimulatedGardener;
beforeEach(async () => {
  clock = createFakeClock();
  gardener = await startSimulatedGardener({ clock, stageMs: STAGE_MS });
});
afterEach(() => gardener.stop());

const create = (name = 'one') => gardener.client.create(shoots, shootOf(gardener, name));
const read = (name = 'one'): Shoot | undefined =>
  gardener.client.peek(shoots, { namespace: gardener.namespace, name });
const state = (name?: string) => {
  const { type, state } = read(name)?.status?.lastOperation ?? {};
  return type && `${type} ${state}`;
};
const patch = (body: object) =>
  gardener.client.mergePatch(shoots, { namespace: gardener.namespace, name: 'one' }, body);

test('a Shoot goes on by itself, a stage at a time', async () => {
  await create();
  const seen: unknown[] = [];
  for (let stage = 0; stage < 5; stage++) {
    seen.push(state());
    await clock.advance(STAGE_MS);
  }
  expect(seen).toEqual([
    undefined,
    'Create Pending',
    'Create Processing',
    'Create Succeeded',
    'Create Succeeded',
  ]);
  expect(gardener.errors).toEqual([]);
});

test('a change during an operation begins a new one', async () => {
  await create();
  await clock.advance(2 * STAGE_MS);
  expect(state()).toBe('Create Processing');
  await patch({ spec: { purpose: 'production' } });
  await clock.advance(5 * STAGE_MS);
  expect(state()).toBe('Create Succeeded');
  expect(read()?.status?.observedGeneration).toBe(read()?.metadata.generation);
});

test('an upgrade by others is reconciled as any change', async () => {
  await create();
  await clock.advance(5 * STAGE_MS);
  await patch({ spec: { kubernetes: { version: '1.32.4' } } });
  await clock.advance(5 * STAGE_MS);
  expect(state()).toBe('Reconcile Succeeded');
});

test.each([
  ['failed', outcomes.failed('ERR_INFRA_UNAUTHORIZED'), 'Create Failed'],
  ['error', outcomes.error(), 'Create Error'],
  ['stuck', outcomes.stuck(), 'Create Processing'],
  ['aborted', outcomes.aborted(), 'Create Aborted'],
  ['without a seed', outcomes.noSeed('aws'), 'Create Pending'],
])('an operation that is %s stays there', async (_, stages, expected) => {
  gardener.gardenlet.rules.add({ on: { shoot: 'one', operation: 'Create' }, stages });
  await create();
  await create('two');
  await clock.advance(20 * STAGE_MS);
  expect([state(), state('two')]).toEqual([expected, 'Create Succeeded']);
});

test('a rule holds for so many operations, and later rules come first', async () => {
  const { rules } = gardener.gardenlet;
  rules.add({ on: {}, stages: outcomes.stuck() });
  rules.add({ on: { first: 1 }, stages: outcomes.aborted() });
  await create();
  await clock.advance(5 * STAGE_MS);
  await create('two');
  await clock.advance(5 * STAGE_MS);
  expect([state(), state('two')]).toEqual(['Create Aborted', 'Create Processing']);
});

test('a deletion takes the Shoot and what belongs to it away', async () => {
  await create();
  await clock.advance(5 * STAGE_MS);
  await patch({ metadata: { annotations: { 'confirmation.gardener.cloud/deletion': 'true' } } });
  await gardener.client.delete(shoots, { namespace: gardener.namespace, name: 'one' });
  await clock.advance(5 * STAGE_MS);
  expect(read()).toBeUndefined();
  expect(gardener.errors).toEqual([]);
});

test('its requests are none of the program’s', async () => {
  const remove = gardener.client.onRequest(() => {
    throw apiError(503, 'ServiceUnavailable');
  });
  await expect(create()).rejects.toThrow('ServiceUnavailable');
  remove();
  await create();
  const { length } = gardener.client.requests;
  await clock.advance(5 * STAGE_MS);
  expect(state()).toBe('Create Succeeded');
  expect(gardener.client.requests).toHaveLength(length);
});
