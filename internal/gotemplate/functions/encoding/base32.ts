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

/** Line breaks do not count. @throws Failure */
export function decodeBase32(text: string, budget: Budget): string {
  const encoded = text.replace(/[\r\n]/g, '');
  const last = /^(?:[A-Z2-7]{8})*(?:[A-Z2-7]{2}={6}|[A-Z2-7]{4}={4}|[A-Z2-7]{5}={3}|[A-Z2-7]{7}=)?$/;
  if (!last.test(encoded)) throw new Failure('base32 decode error', '');
  const bytes: number[] = [];
  let buffer = 0;
  let bits = 0;
  for (const char of counted(encoded, budget)) {
    const value = ALPHABET.indexOf(char);
    if (value < 0) break;
    buffer = (buffer << 5) | value;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push(buffer >> bits);
    buffer &= (1 << bits) - 1;
  }
  return fromBytes(Uint8Array.from(bytes));
}
