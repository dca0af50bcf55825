import { deflateSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { defaultSourceLimits } from '../model/limits.ts';
import { assertPackWithin } from './pack-limits.ts';

const BLOB = 3;
const OFS_DELTA = 6;
const REF_DELTA = 7;
const limits = { ...defaultSourceLimits, maxFiles: 2000, maxFileBytes: 10_000, maxUnpackedBytes: 50_000 };

/** One object of a pack: its header with the stated size, what comes before the data, and the data. */
function objectOf(
  type: number,
  data: Uint8Array,
  { size = data.length, before = Buffer.alloc(0) } = {},
): Buffer {
  const header = [(type << 4) | (size & 15)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    header[header.length - 1] = (header.at(-1) ?? 0) | 0x80;
    header.push(rest & 0x7f);
  }
  return Buffer.concat([Buffer.from(header), before, deflateSync(data)]);
}

function packOf(objects: readonly Buffer[], count = objects.length): Buffer {
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  head.writeUInt32BE(count, 8);
  return Buffer.concat([head, ...objects, Buffer.alloc(20)]);
}

/** A delta with the sizes of its base and result, and no instruction. */
const deltaOf = (base: number, target: number): Buffer => Buffer.concat([varint(base), varint(target)]);
function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; rest > 0 || bytes.length === 0; rest = Math.floor(rest / 128))
    bytes.push(rest & 0x7f);
  return Buffer.from(bytes.map((byte, index) => (index < bytes.length - 1 ? byte | 0x80 : byte)));
}

/** Objects, each a delta of the one before it. */
function chainOf(length: number): Buffer[] {
  const objects = [objectOf(BLOB, Buffer.from('a'))];
  for (let index = 0; index < length; index++) {
    const distance = objects.at(-1)?.length ?? 0;
    objects.push(objectOf(OFS_DELTA, deltaOf(1, 1), { before: Buffer.from([distance]) }));
  }
  return objects;
}

const refDelta = (): Buffer => objectOf(REF_DELTA, deltaOf(1, 1), { before: Buffer.alloc(20, 1) });
const check = (pack: Uint8Array) => assertPackWithin(pack, limits, AbortSignal.timeout(20_000));

test('a pack within the limits is accepted', async () => {
  await check(packOf([]));
  await check(packOf([objectOf(BLOB, Buffer.alloc(10_000)), refDelta(), ...chainOf(250)]));
});

test.each<readonly [string, () => Uint8Array, RegExp]>([
  [
    'a large object',
    () => packOf([objectOf(BLOB, Buffer.alloc(10_001))]),
    /object of the pack is larger than 10000/,
  ],
  [
    'a large object that states a small size',
    () => packOf([objectOf(BLOB, Buffer.alloc(9000), { size: 10 })]),
    /damaged/,
  ],
  [
    'a small object that states a large size',
    () => packOf([objectOf(BLOB, Buffer.alloc(9), { size: 100 })]),
    /damaged/,
  ],
  [
    'an object of 2^60 bytes',
    () => packOf([objectOf(BLOB, Buffer.alloc(9), { size: 2 ** 60 })]),
    /larger than 10000/,
  ],
  [
    'many bytes',
    () => packOf(Array.from({ length: 6 }, () => objectOf(BLOB, Buffer.alloc(9000)))),
    /50000 bytes, unpacked/,
  ],
  ['many objects', () => packOf([], 4001), /more than 4000 objects/],
  [
    'a delta with a large result',
    () => packOf([...chainOf(0), objectOf(REF_DELTA, deltaOf(1, 1e9), { before: Buffer.alloc(20) })]),
    /larger than 10000/,
  ],
  ['a long chain of deltas', () => packOf(chainOf(257)), /chains of deltas/],
  [
    'many deltas of objects by name',
    () => packOf(Array.from({ length: 2001 }, refDelta)),
    /chains of deltas/,
  ],
  ['fewer objects than it states', () => packOf([objectOf(BLOB, Buffer.alloc(9))], 3), /damaged/],
  ['no pack', () => Buffer.from('<html>'), /no pack/],
  ['nothing', () => Buffer.alloc(0), /no pack/],
  ['only the head', () => Buffer.from('PACK'), /damaged/],
  ['a header without an end', () => packOf([Buffer.alloc(50, 0xff)]), /damaged|larger/],
])('a pack with %s is refused', async (_what, pack, message) => {
  await expect(check(pack())).rejects.toThrow(message);
});

test('a check ends when it is aborted', async () => {
  await expect(
    assertPackWithin(packOf(chainOf(10)), limits, AbortSignal.abort(new Error('stopped'))),
  ).rejects.toThrow('stopped');
});
