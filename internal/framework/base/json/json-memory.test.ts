import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterAll, expect, test } from '@jest/globals';
import { memoryOf } from './json-memory.ts';

const thread = new Worker(new URL('json-memory.fixture.ts', import.meta.url));
afterAll(() => thread.terminate());

const COUNT = 60_000;
const listOf = (item: (n: number) => string, count = COUNT): string =>
  `[${Array.from({ length: count }, (_, n) => item(n)).join()}]`;
const objectOf = (names: readonly string[], value = '1'): string =>
  `{${names.map((name) => `"${name}":${value}`).join()}}`;
const names = (count: number, name: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => name(n));

/** At most `times` the memory: so much less of a share is used. */
test.each<[what: string, text: string, times: number]>([
  ['empty objects', listOf(() => '{}'), 1.5],
  ['empty lists', listOf(() => '[]'), 2],
  ['lists of one', listOf(() => '[0.5]'), 2],
  ['numbers', listOf((n) => `${n + 0.5}`), 5],
  ['numbers beside a text', listOf((n) => (n === 0 ? '"a"' : '0.5')), 2],
  // V8 has one copy of a short text: these are of nothing else in the process.
  ['short texts', listOf((n) => `"~${n.toString(36)}~"`), 2],
  ['texts with two bytes for a character', listOf((n) => `"${n}${'a'.repeat(20)}€"`), 2],
  ['objects with the same name', listOf(() => '{"a":1}'), 3],
  ['objects with another name each', listOf((n) => objectOf([`${n}x`])), 2],
  ['objects with a number as name', listOf((n) => objectOf([`${9999 + (n % 7)}`])), 2],
  ['objects with five other names each', listOf((n) => objectOf(names(5, (k) => `k${n}${k}`)), COUNT / 5), 4],
  [
    'objects with 100 other names each',
    listOf((n) => objectOf(names(100, (k) => `k${n}${k}`)), COUNT / 50),
    3,
  ],
  ['one object with very many names', objectOf(names(COUNT, (n) => `k${n}`)), 4],
  ['one object with very many numbers as names', objectOf(names(COUNT, (n) => `${n * 997}`)), 5],
  ['objects in objects', listOf((n) => `{"a${n % 37}":{"b${n % 41}":{"c${n % 43}":1}}}`), 4],
  [
    'objects as of Kubernetes',
    listOf(
      (n) =>
        `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings-of-${n}","namespace":"kyma-system","labels":{"app":"a"}},"data":{"settings":"${'x'.repeat(300)}"}}`,
      COUNT / 20,
    ),
    3,
  ],
])('the memory of %s is not more than what is counted', async (_, text, times) => {
  thread.postMessage(text);
  const [bytes]: number[] = await once(thread, 'message');
  const counted = memoryOf(JSON.parse(text));
  // The heap has other values as well.
  expect(counted).toBeGreaterThan(0.95 * Number(bytes));
  expect(counted).toBeLessThan(times * Number(bytes));
});
