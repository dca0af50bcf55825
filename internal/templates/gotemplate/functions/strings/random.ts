/** The functions with random results. The source of random numbers is the caller's, and has to fit secrets. */
import type { Random } from '../../../../framework/base/random.ts';
import { int } from '../../values/value.ts';
import { type Body, chargeText, counted, fixed, INT, Panic, STRING } from '../define.ts';
import { characters } from './runes.ts';

/** Characters after which the budget is checked. */
const CHECKED_AT = 256;

const DIGITS = '0123456789';
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const PRINTABLE = String.fromCharCode(...Array.from({ length: 95 }, (_, i) => 32 + i));

const ofAlphabet = (alphabet: string): Body =>
  fixed([INT], ([size], { budget, random }) => {
    if (size <= 0n) return '';
    const length = Number(size);
    budget.charge(length);
    let text = '';
    for (let i = 0; i < length; i++) {
      if (i % CHECKED_AT === 0) budget.step(CHECKED_AT);
      text += alphabet[below(alphabet.length, random)] ?? '';
    }
    return text;
  });

const below = (bound: number, random: Random): number => Math.floor(random() * bound);

const randInt = fixed([INT, INT], ([min, max], { random }) => {
  const count = BigInt.asIntN(64, max - min);
  if (count <= 0n) throw new Panic('invalid argument to Intn');
  const bits = (BigInt(below(2 ** 32, random)) << 32n) | BigInt(below(2 ** 32, random));
  return int(min + (count <= 2n ** 32n ? BigInt(below(Number(count), random)) : bits % count));
});

const shuffle = fixed([STRING], ([text], { budget, random }) => {
  chargeText(budget, text.length);
  const chars = [...counted(characters(text), budget)];
  for (let i = chars.length - 1; i > 0; i--) {
    if (i % CHECKED_AT === 0) budget.step(CHECKED_AT);
    const j = below(i + 1, random);
    [chars[i], chars[j]] = [chars[j] ?? '', chars[i] ?? ''];
  }
  return chars.join('');
});

const uuidv4 = fixed([], (_, { random }) => {
  const bytes = Buffer.from(Array.from({ length: 16 }, () => below(256, random)));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
});

export const RANDOM = {
  randAlpha: ofAlphabet(LETTERS),
  randAlphaNum: ofAlphabet(LETTERS + DIGITS),
  randAscii: ofAlphabet(PRINTABLE),
  randInt,
  randNumeric: ofAlphabet(DIGITS),
  shuffle,
  uuidv4,
} satisfies Record<string, Body>;
