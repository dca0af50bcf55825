import { expect, test } from '@jest/globals';
import { defaultSourceLimits } from '../chart-source.ts';
import { BLOB, OFS_DELTA, objectOf, offsetOf, oidOf, packOf, REF_DELTA, varint } from './pack.fixture.ts';
import { readPack } from './pack.ts';

const limits = { ...defaultSourceLimits, maxFiles: 2000, maxFileBytes: 10_000, maxUnpackedBytes: 50_000 };

/** A delta that copies the first byte of its base, with the sizes that it states. */
const deltaOf = (base: number, result: number): Buffer =>
  Buffer.concat([varint(base), varint(result), Buffer.from([0x90, 1])]);

/** Objects, each a delta of the one before it. */
function chainOf(length: number): Buffer[] {
  const objects = [objectOf(BLOB, Buffer.from('a'))];
  for (let index = 0; index < length; index++) {
    const distance = objects.at(-1)?.length ?? 0;
    objects.push(objectOf(OFS_DELTA, deltaOf(1, 1), { before: offsetOf(distance) }));
  }
  return objects;
}

const named = (type: string, data: Uint8Array) => Buffer.from(oidOf(type, data), 'hex');
const refDelta = (delta = deltaOf(1, 1), base = named('blob', Buffer.from('a'))): Buffer =>
  objectOf(REF_DELTA, delta, { before: base });
const check = (pack: Uint8Array) => readPack(pack, limits);

test('a pack within the limits is accepted', () => {
  check(packOf([]));
  check(packOf([objectOf(BLOB, Buffer.alloc(10_000)), refDelta(), ...chainOf(250)]));
});

test('objects are read by their names, whole and as deltas, also of one that comes later', () => {
  const base = Buffer.from('0123456789'.repeat(100));
  // A part from the middle, other bytes, and 0x10000 bytes would be a size of zero.
  const delta = Buffer.concat([
    varint(base.length),
    varint(13),
    Buffer.from([0x80 | 1 | 2 | 0x10, 0x2c, 0x01, 10, 3]),
    Buffer.from('new'),
  ]);
  const changed = Buffer.from('0123456789new');
  const again = Buffer.concat([varint(13), varint(3), Buffer.from([0x91, 10, 3])]);
  const pack = check(
    packOf([
      refDelta(again, named('blob', changed)),
      refDelta(delta, named('blob', base)),
      objectOf(BLOB, base),
    ]),
  );
  for (const content of [base, changed, Buffer.from('new')])
    expect(pack.read(oidOf('blob', content), 'blob')).toEqual(content);
  expect(() => pack.read(oidOf('blob', changed), 'tree')).toThrow('has no tree');
  expect(() => pack.read('0'.repeat(40), 'blob')).toThrow('has no blob');
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
    () => packOf(Array.from({ length: 2001 }, () => refDelta())),
    /chains of deltas/,
  ],
  ['a delta of one that is not there', () => packOf([refDelta()]), /damaged/],
  [
    'a delta of itself',
    () => packOf([objectOf(OFS_DELTA, deltaOf(1, 1), { before: offsetOf(0) })]),
    /damaged/,
  ],
  [
    'a delta of an object of another size',
    () => packOf([...chainOf(0), refDelta(deltaOf(2, 1))]),
    /damaged: a delta belongs to another/,
  ],
  ['a delta that is too short', () => packOf([...chainOf(0), refDelta(deltaOf(1, 9))]), /damaged/],
  [
    'a delta that reads behind its base',
    () => packOf([...chainOf(0), refDelta(Buffer.from([1, 9, 0x90, 9]))]),
    /damaged: a delta leaves/,
  ],
  [
    'a delta that makes more than it says',
    () => packOf([...chainOf(0), refDelta(Buffer.from([1, 1, 0x90, 1, 0x90, 1]))]),
    /damaged: a delta leaves/,
  ],
  ['an object of no type', () => packOf([objectOf(5, Buffer.from('a'))]), /damaged/],
  [
    'another checksum',
    () => Buffer.concat([packOf(chainOf(1)).subarray(0, -1), Buffer.from([0])]),
    /damaged: it has another checksum/,
  ],
  ['fewer objects than it states', () => packOf([objectOf(BLOB, Buffer.alloc(9))], 3), /damaged/],
  ['no pack', () => Buffer.from('<html>'), /no pack/],
  ['nothing', () => Buffer.alloc(0), /no pack/],
  ['only the head', () => Buffer.from('PACK'), /damaged/],
  ['a header without an end', () => packOf([Buffer.alloc(50, 0xff)]), /damaged|larger/],
])('a pack with %s is refused', (_what, pack, message) => {
  expect(() => check(pack())).toThrow(message);
});
