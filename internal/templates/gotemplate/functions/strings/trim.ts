import type { Budget } from '../../limits/budget.ts';
import { chargeText, counted } from '../call/text-builder.ts';
import { characters, isSpace } from './runes.ts';
import { bytewise } from './split.ts';

/** Characters at the end after which the budget is checked. */
const CHECKED_AT = 256;

/** Removes the characters at both ends for which `isCut` holds. */
function trimCharacters(text: string, isCut: (rune: string) => boolean, budget: Budget): string {
  chargeText(budget, text.length);
  let start = 0;
  for (const char of counted(text, budget)) {
    const [rune = ''] = characters(char);
    if (!isCut(rune)) break;
    start += char.length;
  }
  let end = text.length;
  while (end > start) {
    if (end % CHECKED_AT === 0) budget.step(CHECKED_AT);
    const char = String.fromCodePoint(text.codePointAt(end - 2) ?? 0);
    const last = end - 2 >= start && char.length === 2 ? char : (text[end - 1] ?? '');
    const [rune = ''] = characters(last);
    if (!isCut(rune)) break;
    end -= last.length;
  }
  return text.slice(start, end);
}

export const trimSpace = (text: string, budget: Budget): string => trimCharacters(text, isSpace, budget);

/** @param cutset characters to remove, in any order */
export function trimAll(text: string, cutset: string, budget: Budget): string {
  const cut = new Set(characters(cutset));
  return trimCharacters(text, (rune) => cut.has(rune), budget);
}

export const trimPrefix = (text: string, prefix: string): string =>
  bytewise([text, prefix], ([whole = '', start = ''], back) =>
    whole.startsWith(start) ? back(whole.slice(start.length)) : text,
  );

export const trimSuffix = (text: string, suffix: string): string =>
  bytewise([text, suffix], ([whole = '', end = ''], back) =>
    whole.endsWith(end) ? back(whole.slice(0, whole.length - end.length)) : text,
  );

/** The words of a text, without the white space between them. */
export function fields(text: string, budget: Budget): string[] {
  chargeText(budget, text.length);
  const words: string[] = [];
  let word = '';
  for (const char of counted(text, budget)) {
    if (!isSpace(char)) word += char;
    else if (word !== '') {
      budget.step();
      words.push(word);
      word = '';
    }
  }
  return word === '' ? words : [...words, word];
}
