import type { Budget } from '../../limits/budget.ts';
import { byteLength, runes } from '../../values/text.ts';
import { counted, TextBuilder } from '../call/text-builder.ts';
import { characters } from './runes.ts';
import { fields } from './trim.ts';

/**
 * Breaks a text into lines by sprout's rules.
 *
 * @param width characters in a line, at least 1
 * @param breaksWords whether words that are longer are broken
 */
export function wrap(
  text: string,
  width: number,
  lineBreak: string,
  breaksWords: boolean,
  budget: Budget,
): string {
  const result = new TextBuilder(budget);
  let column = 0;
  for (const word of fields(text, budget)) {
    const length = countRunes(word, budget);
    if (column > 0 && column + 1 + length > width) {
      result.append(lineBreak);
      column = 0;
    }
    if (breaksWords && length > width) {
      column = appendBroken(result, word, column, width, lineBreak, budget);
      continue;
    }
    if (column > 0) {
      result.append(' ');
      column++;
    }
    result.append(word);
    column += length;
  }
  return result.toString();
}

/** Returns the column after the word. */
function appendBroken(
  result: TextBuilder,
  word: string,
  start: number,
  width: number,
  lineBreak: string,
  budget: Budget,
): number {
  let column = start;
  let byte = 0;
  const bytes = byteLength(word);
  for (const char of counted(word, budget)) {
    const [rune = ''] = characters(char);
    result.append(rune);
    column++;
    // sprout compares the position of the first byte: after a last character of several bytes there is a break too.
    if (byte < bytes - 1 && column === width) {
      result.append(lineBreak);
      column = 0;
    }
    byte += byteLength(char);
  }
  return column;
}

export function countRunes(text: string, budget: Budget): number {
  let count = 0;
  for (const _ of counted(runes(text), budget)) count++;
  return count;
}
