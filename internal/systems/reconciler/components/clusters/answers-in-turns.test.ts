import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createByteBudget } from '../../../../framework/base/index.ts';
import type { Transport } from '../../../../framework/kube/index.ts';
import { createAnswerTurns } from './answers-in-turns.ts';

const KIB = 1024;

function setUp({ maxBytes = 64 * KIB * KIB } = {}) {
  const inTurns = createAnswerTurns();
  const ends: string[] = [];
  const memory = createByteBudget(maxBytes);
  return {
    ends,
    /** An answer of some KiB, which has arrived. */
    arrive: (tenant: string, kib: number, signal = new AbortController().signal) => {
      const call = async () => ({ status: 200, header: () => undefined, body: 'x'.repeat(kib * KIB) });
      const direct = { host: 'api', call } as unknown as Transport;
      return inTurns(direct, { tenant, memory })
        .call({ method: 'GET', path: '/', headers: {}, signal }, KIB * KIB)
        .then(
          () => ends.push(tenant),
          (error: Error) => ends.push(`${tenant}: ${error.message}`),
        );
    },
  };
}

test('large answers are read one in each turn of the event loop, after those of tenants that read little', async () => {
  const { ends, arrive } = setUp();
  for (let n = 0; n < 5; n++) void arrive('hostile', 500);
  for (let n = 0; n < 5; n++) void arrive('shop', 1);
  for (let turn = 0; turn < 3; turn++) await setImmediate();
  expect(ends.slice(0, 6)).toEqual(['hostile', 'shop', 'shop', 'shop', 'shop', 'shop']);
  expect(ends.length).toBeLessThan(10);
  for (let turn = 0; turn < 10; turn++) await setImmediate();
  expect(ends).toHaveLength(10);
});

test('small answers do not wait for each other', async () => {
  const { ends, arrive } = setUp();
  for (let n = 0; n < 20; n++) void arrive('shop', 3);
  for (let n = 0; n < 10; n++) await Promise.resolve();
  expect(ends).toHaveLength(20);
});

test('one that waits takes memory, and none is left when its call has ended', async () => {
  const { ends, arrive } = setUp({ maxBytes: 1000 * KIB });
  const calling = new AbortController();
  const all = [arrive('hostile', 200), arrive('hostile', 200, calling.signal), arrive('hostile', 200)];
  calling.abort(new Error('it was cancelled'));
  await Promise.all(all);
  expect(ends.toSorted()).toEqual([
    'hostile',
    'hostile: it was cancelled',
    'hostile: there is no memory for an answer of api now',
  ]);
  await arrive('hostile', 500);
  expect(ends.at(-1)).toBe('hostile');
});
