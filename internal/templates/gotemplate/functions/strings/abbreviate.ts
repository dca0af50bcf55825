import type { Budget } from '../../limits/budget.ts';
import { byteLength, sliceBytes, toBytes } from '../../values/text.ts';
import { Panic } from '../call/failure.ts';
import { chargeText, counted } from '../call/text-builder.ts';
import { characters, isLetter } from './runes.ts';
import { countRunes } from './wrap.ts';

const ELLIPSIS = '...';

/** Slots that Go reserves for the characters of a short text; beyond the text they are NUL. */
const RESERVED_RUNES = 32;

/** `abbrev`, and with an offset `abbrevboth`: at most `width` characters, with an ellipsis for what is left out. */
export function abbreviate(text: string, offset: number, width: number, budget: Budget): string {
  if (width < 4 || (offset > 0 && width < 7)) return text;
  chargeText(budget, text.length);
  const count = countRunes(text, budget);
  if (count <= width || count <= offset) {
    const length = byteLength(text);
    if (offset < 0 || offset > length) {
      throw new Panic(`runtime error: slice bounds out of range [${offset}:${offset < 0 ? '' : length}]`);
    }
    return sliceBytes(text, offset);
  }
  const end = offset + width - (offset > 0 ? 2 : 1) * ELLIPSIS.length;
  const chars = [...counted(characters(text), budget)];
  while (chars.length < RESERVED_RUNES) chars.push('\0');
  if (offset < 0 || offset > end || end > chars.length) {
    throw new Panic(`runtime error: slice bounds out of range [${offset}:${end}]`);
  }
  return (offset > 0 ? ELLIPSIS : '') + chars.slice(offset, end).join('') + ELLIPSIS;
}

/** The first byte of each word between spaces, as a character; NUL for one that is no letter, except for the first. */
export function initials(text: string, budget: Budget): string {
  chargeText(budget, text.length);
  return text
    .split(' ')
    .filter((word) => word !== '')
    .map((word, i) => {
      const first = Buffer.from([firstByte(word)]).toString('latin1');
      return i === 0 || isLetter(first) ? first : '\0';
    })
    .join('');
}

const firstByte = (word: string): number => toBytes(word.slice(0, 2))[0] ?? 0;
