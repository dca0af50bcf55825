import type { Budget } from '../../limits/budget.ts';
import { fromBytes, toBytes } from '../../values/text.ts';
import { Failure } from '../call/failure.ts';
import { counted } from '../call/text-builder.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Base32 of RFC 4648, with padding. */
export function encodeBase32(text: string, budget: Budget): string {
  let encoded = '';
  let buffer = 0;
  let bits = 0;
  for (const byte of counted(toBytes(text), budget)) {
    buffer = (buffer << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) encoded += ALPHABET[(buffer >> (bits - 5)) & 31];
    buffer &= (1 << bits) - 1;
  }
  if (bits > 0) encoded += ALPHABET[(buffer << (5 - bits)) & 31];
  return encoded.padEnd(Math.ceil(encoded.length / 8) * 8, '=');
}

/** Line breaks do not count, and nothing does after padding. @throws Failure with the byte that is wrong, as Go counts it */
export function decodeBase32(text: string, budget: Budget): string {
  const encoded = toBytes(text.replace(/[\r\n]/g, '')).toString('latin1');
  const bytes: number[] = [];
  for (let at = 0; at < encoded.length; at += GROUP) {
    budget.step();
    const { digits, isLast } = digitsOf(encoded, at);
    let buffer = 0;
    let bits = 0;
    for (const digit of digits) {
      buffer = (buffer << 5) | digit;
      bits += 5;
      if (bits < 8) continue;
      bits -= 8;
      bytes.push(buffer >> bits);
      buffer &= (1 << bits) - 1;
    }
    if (isLast) break;
  }
  return fromBytes(Uint8Array.from(bytes));
}

/** Digits that make five bytes. */
const GROUP = 8;
/** Digits before padding that make no whole byte (RFC 4648, 6). */
const BROKEN: readonly number[] = [3, 6];

function digitsOf(encoded: string, from: number): { digits: readonly number[]; isLast: boolean } {
  const digits: number[] = [];
  while (digits.length < GROUP) {
    const at = from + digits.length;
    const char = encoded[at];
    if (char === undefined) throw wrong(from);
    if (char === '=' && digits.length >= 2 && encoded.length - at <= GROUP) {
      checkPadding(encoded, at, digits.length);
      return { digits, isLast: true };
    }
    const digit = ALPHABET.indexOf(char);
    if (digit < 0) throw wrong(at);
    digits.push(digit);
  }
  return { digits, isLast: false };
}

/** @param at of the first `=` @param count of the digits before it */
function checkPadding(encoded: string, at: number, count: number): void {
  const rest = encoded.length - at - 1;
  if (rest + count < GROUP - 1) throw wrong(encoded.length);
  for (let next = 0; next < GROUP - 1 - count && next < rest; next++) {
    if (encoded[at + 1 + next] !== '=') throw wrong(at + next);
  }
  if (BROKEN.includes(count)) throw wrong(at);
}

const wrong = (at: number): Failure => new Failure(`illegal base32 data at input byte ${at}`, '');
