import { expect, test } from '@jest/globals';
import type { Shoot, Worker } from '../../../../apis/gardener/kinds.ts';
import { worker } from '../runtime/fixtures/runtime.fixture.ts';
import { covers } from './covers.ts';
import { workersDiffer } from './workers-differ.ts';

const shoot = (...workers: Worker[]) =>
  ({ spec: { provider: { type: 'aws', workers } } }) as unknown as Shoot;
const cri = (type: string): Partial<Worker> => ({
  cri: { name: 'containerd', containerRuntimes: [{ type }] },
});

test.each<{ same: string; live: Worker[]; wanted: Worker[] }>([
  { same: 'minimum and maximum', live: [worker()], wanted: [worker()] },
  { same: 'zones', live: [worker({ zones: ['a', 'b'] })], wanted: [worker({ zones: ['a', 'b'] })] },
  { same: 'container runtimes', live: [worker(cri('gvisor'))], wanted: [worker(cri('gvisor'))] },
  { same: 'no pools', live: [], wanted: [] },
  {
    same: 'what the Runtime says, with defaults of Gardener',
    live: [worker({ systemComponents: { allow: true }, updateStrategy: 'AutoRollingUpdate' })],
    wanted: [worker()],
  },
])('[I25] worker pools do not differ: $same', ({ live, wanted }) => {
  expect(workersDiffer(shoot(...live), shoot(...wanted))).toBe(false);
});

test.each<{ by: string; live: Worker[]; wanted: Worker[] }>([
  { by: 'name', live: [worker()], wanted: [worker({ name: 'other' })] },
  { by: 'maximum', live: [worker()], wanted: [worker({ maximum: 9 })] },
  { by: 'zone', live: [worker({ zones: ['a', 'b'] })], wanted: [worker({ zones: ['a', 'c'] })] },
  { by: 'container runtime', live: [worker(cri('gvisor'))], wanted: [worker(cri('kata'))] },
  { by: 'number', live: [worker(), worker({ name: 'b' })], wanted: [worker()] },
  { by: 'one side that is empty', live: [], wanted: [worker()] },
  { by: 'order', live: [worker(), worker({ name: 'b' })], wanted: [worker({ name: 'b' }), worker()] },
])('[I26] worker pools differ by $by', ({ live, wanted }) => {
  expect(workersDiffer(shoot(...live), shoot(...wanted))).toBe(true);
});

test('a value is covered whatever else there is, but not if it is missing or another one', () => {
  const live = { a: { b: 1, c: 2 }, list: [{ name: 'x', more: 1 }, { name: 'y' }], plain: [1, 2] };
  expect(covers(live, { a: { b: 1 }, list: [{ name: 'y' }, { name: 'x' }], plain: [1, 2] })).toBe(true);
  expect(covers(live, { none: undefined, empty: null })).toBe(true);
  for (const wanted of [
    { a: { b: 2 } },
    { d: 1 },
    { d: { e: 1 } },
    { list: [{ name: 'x' }] },
    { plain: [2, 1] },
  ])
    expect(covers(live, wanted)).toBe(false);
});
