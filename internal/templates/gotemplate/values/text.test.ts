import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter } from '../../../../test/campaign/any-character.ts';
import {
  byteLength,
  compareText,
  concat,
  fromBytes,
  fromOutside,
  isEscapedByte,
  runes,
  sliceBytes,
  sortTexts,
  toBytes,
} from './text.ts';

const bytes = fc.uint8Array({ maxLength: 40 });
/** Bytes of which many are nearly UTF-8. */
const nearlyText = fc
  .tuple(fc.string({ unit: anyCharacter, maxLength: 10 }), fc.nat(20), fc.nat(20))
  .map(([text, from, to]) => Buffer.from(text).subarray(from, from + to));

describe('strings of bytes', () => {
  test('all bytes survive', () => {
    fc.assert(
      fc.property(fc.oneof(bytes, nearlyText), (input) => {
        const text = fromBytes(input);
        expect(toBytes(text)).toEqual(Buffer.from(input));
        expect(byteLength(text)).toBe(input.length);
      }),
    );
  });

  test('parts that are joined equal the text of the joined bytes', () => {
    fc.assert(
      fc.property(nearlyText, fc.nat(40), (input, at) => {
        expect(concat(fromBytes(input.subarray(0, at)), fromBytes(input.subarray(at)))).toBe(
          fromBytes(input),
        );
      }),
    );
  });

  test('a slice has the bytes of its range', () => {
    fc.assert(
      fc.property(fc.oneof(bytes, nearlyText), fc.nat(40), fc.nat(40), (input, from, to) => {
        expect(sliceBytes(fromBytes(input), from, to)).toBe(fromBytes(input.subarray(from, to)));
      }),
    );
  });

  test('the order is the order of bytes', () => {
    const text = fc.oneof(bytes, nearlyText).map(fromBytes);
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(Math.sign(compareText(one, other))).toBe(Buffer.compare(toBytes(one), toBytes(other)));
        expect(sortTexts([other, one])).toEqual([other, one].sort(compareText));
      }),
    );
    expect(compareText('\u{10000}', '\uffff')).toBeGreaterThan(0);
  });

  test.each([
    { reason: 'overlong', input: [0xc0, 0x80], length: 2 },
    { reason: 'surrogate', input: [0xed, 0xa0, 0x80], length: 3 },
    { reason: 'beyond U+10FFFF', input: [0xf4, 0x90, 0x80, 0x80], length: 4 },
    { reason: 'cut off', input: [0xe2, 0x82], length: 2 },
  ])('each byte of an invalid sequence ($reason) is escaped alone', ({ input, length }) => {
    const text = fromBytes(Uint8Array.from(input));
    expect(text).toHaveLength(length);
    expect([...runes(text)]).toEqual(Array(length).fill(0xfffd));
  });

  test('an escaped byte is no half of a pair', () => {
    expect(isEscapedByte('\u{1f480}', 1)).toBe(false);
    expect(isEscapedByte('a\udc80', 1)).toBe(true);
  });

  test('a byte order mark is kept', () => {
    expect(fromBytes(Uint8Array.from([0xef, 0xbb, 0xbf, 0x61]))).toBe('\ufeffa');
  });

  test('lone surrogates from outside do not become bytes', () => {
    expect(fromOutside('a\udcffb')).toBe('a\ufffdb');
  });
});
