/** The functions for encodings, checksums and JSON. */
import { createHash } from 'node:crypto';
import type { Budget } from '../budget.ts';
import { fromBytes, toBytes } from '../values/text.ts';
import { ANY, type Body, chargeText, counted, Failure, fixed, STRING } from './define.ts';
import { decodeJson, encodeJson, type JsonForm } from './json.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Base32 of RFC 4648, with padding. */
function encodeBase32(text: string, budget: Budget): string {
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
function decodeBase32(text: string, budget: Budget): string {
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

/** The longest result of these functions for a byte. */
const GROWTH = 2;

const ofText = (change: (text: string, budget: Budget) => string): Body =>
  fixed([STRING], ([text], { budget }) => {
    chargeText(budget, text.length * GROWTH);
    return change(text, budget);
  });

function decodeBase64(text: string): string {
  const encoded = text.replace(/[\r\n]/g, '');
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(encoded)) {
    throw new Failure('base64 decode error', '');
  }
  return fromBytes(Buffer.from(encoded, 'base64'));
}

function adler32(text: string, budget: Budget): string {
  let a = 1;
  let b = 0;
  for (const byte of counted(toBytes(text), budget)) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  return String(b * 65_536 + a);
}

const hash = (algorithm: 'sha1' | 'sha256'): Body =>
  ofText((text) => createHash(algorithm).update(toBytes(text)).digest('hex'));

const json = (form: JsonForm): Body => fixed([ANY], ([value], { budget }) => encodeJson(value, form, budget));

const fromJson = fixed([STRING], ([text], { budget }: { budget: Budget }) => decodeJson(text, budget));
const toJson = json({ escapesHtml: true });
const toPrettyJson = json({ escapesHtml: true, indentation: '  ' });
const toRawJson = json({ escapesHtml: false });

export const ENCODING = {
  adler32sum: ofText(adler32),
  b32dec: ofText(decodeBase32),
  b32enc: ofText(encodeBase32),
  b64dec: ofText(decodeBase64),
  b64enc: ofText((text) => toBytes(text).toString('base64')),
  fromJson,
  mustFromJson: fromJson,
  mustToJson: toJson,
  mustToPrettyJson: toPrettyJson,
  mustToRawJson: toRawJson,
  sha1sum: hash('sha1'),
  sha256sum: hash('sha256'),
  toJson,
  toPrettyJson,
  toRawJson,
} satisfies Record<string, Body>;
