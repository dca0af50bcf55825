/** Characters as package unicode of Go classifies and maps them, one by one: never one character to several. */
import type { Budget } from '../../budget.ts';
import { runes } from '../../values/text.ts';
import { chargeText, counted } from '../define.ts';

export const isSpace = (rune: string): boolean => /^\p{White_Space}$/u.test(rune);
export const isUpper = (rune: string): boolean => /^\p{Lu}$/u.test(rune);
export const isLower = (rune: string): boolean => /^\p{Ll}$/u.test(rune);
export const isLetter = (rune: string): boolean => /^\p{L}$/u.test(rune);
export const isDigit = (rune: string): boolean => /^\p{Nd}$/u.test(rune);

/** Letters with an iota below: their capital letter is one character, but JavaScript maps them to two. */
const WITH_IOTA = /^[\u1f80-\u1f87\u1f90-\u1f97\u1fa0-\u1fa7\u1fb3\u1fc3\u1ff3]$/;

export function toUpper(rune: string): string {
  if (WITH_IOTA.test(rune)) {
    const code = rune.charCodeAt(0);
    return String.fromCharCode(code < 0x1fb0 ? code + 8 : code + 9);
  }
  return single(rune.toUpperCase(), rune);
}

export const toLower = (rune: string): string => (rune === '\u0130' ? 'i' : single(rune.toLowerCase(), rune));

const single = (mapped: string, rune: string): string =>
  mapped.length === 1 || String.fromCodePoint(mapped.codePointAt(0) ?? 0) === mapped ? mapped : rune;

/** The characters of a text; bytes that are not UTF-8 become U+FFFD. */
export function* characters(text: string): Generator<string> {
  for (const rune of runes(text)) yield String.fromCodePoint(rune);
}

/** Maps each character. */
export function mapCharacters(text: string, map: (rune: string) => string, budget: Budget): string {
  chargeText(budget, text.length * 2);
  let mapped = '';
  for (const rune of counted(characters(text), budget)) mapped += map(rune);
  return mapped;
}

export function upper(text: string, budget: Budget): string {
  return isAscii(text) ? charged(text, budget).toUpperCase() : mapCharacters(text, toUpper, budget);
}

export function lower(text: string, budget: Budget): string {
  return isAscii(text) ? charged(text, budget).toLowerCase() : mapCharacters(text, toLower, budget);
}

function charged(text: string, budget: Budget): string {
  chargeText(budget, text.length);
  return text;
}

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);
