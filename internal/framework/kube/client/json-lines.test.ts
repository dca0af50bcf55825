import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createByteBudget } from '../../base/collections/byte-budget.ts';
import { ResponseTooLargeError } from '../errors/errors.ts';
import { readLines } from './json-lines.ts';

const LIMIT = 1_000_000;

async function collect(chunks: readonly Uint8Array[], maxBytes = LIMIT): Promise<string[]> {
  const lines: string[] = [];
  async function* stream() {
    yield* chunks;
  }
  for await (const line of readLines(stream(), maxBytes)) lines.push(line);
  return lines;
}

function cut(bytes: Uint8Array, at: readonly number[]): Uint8Array[] {
  const points = [0, ...at.map((point) => point % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return points.slice(1).map((end, i) => bytes.subarray(points[i] ?? 0, end));
}

test('however a stream is cut into chunks, its lines are the same, characters of several bytes included', async () => {
  const line = fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify({ text }));
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.array(fc.nat()), async (lines, at) => {
      const bytes = Buffer.from(lines.map((each) => `${each}\n`).join(''));
      expect(await collect(cut(bytes, at))).toEqual(lines);
    }),
  );
});

test('blank lines and carriage returns carry nothing', async () => {
  expect(await collect([Buffer.from('\n{"a":1}\r\n\n')])).toEqual(['{"a":1}']);
});

test('a line of many chunks arrives whole', async () => {
  const part = 'x'.repeat(1000);
  const chunks = Array.from({ length: 900 }, () => Buffer.from(part));
  expect(await collect([...chunks, Buffer.from('\n')])).toEqual([part.repeat(900)]);
});

test('a line that does not end is given up at the limit instead of filling the memory', async () => {
  const endless = Array.from({ length: 3000 }, () => Buffer.from('x'.repeat(1000)));
  await expect(collect(endless)).rejects.toThrow('longer than 1000000 bytes');
});

test('a stream that ends within a line is an error: half an object must not pass for one', async () => {
  await expect(collect([Buffer.from('{"a":1}\n{"b"')])).rejects.toThrow('ended within a line');
});

test('lines that do not end use memory that streams share, and give it back', async () => {
  const memory = createByteBudget(1000);
  const stalled = Promise.withResolvers<void>();
  const read = async (first: string, wait: Promise<void>) => {
    async function* stream() {
      yield Buffer.from(first);
      await wait;
      yield Buffer.from('\n');
    }
    const lines: string[] = [];
    for await (const line of readLines(stream(), LIMIT, memory)) lines.push(line);
    return lines;
  };
  const slow = read('x'.repeat(900), stalled.promise);
  await setImmediate();
  const refusal = await read('y'.repeat(200), Promise.resolve()).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ kind: 'transient', message: expect.stringContaining('no memory now') });
  // Which would mean that the server will send as much again.
  expect(refusal).not.toBeInstanceOf(ResponseTooLargeError);
  expect(await read('z'.repeat(50), Promise.resolve())).toEqual(['z'.repeat(50)]);
  stalled.resolve();
  expect(await slow).toEqual(['x'.repeat(900)]);
  expect(memory.take(1000)).toBe(true);
});

test('blank lines, of which a server may send megabytes, are not collected', async () => {
  let taken = 0;
  const memory = { take: () => ++taken > 0, give: () => undefined };
  async function* stream() {
    yield Buffer.from(`${'\n'.repeat(100_000)}{"a":1}\n\n\n`);
  }
  const lines: string[] = [];
  for await (const line of readLines(stream(), LIMIT, memory)) lines.push(line);
  expect([lines, taken]).toEqual([['{"a":1}'], 1]);
});
