/** Functions that take each byte of a text for a character, as the library goutils of Go does. */
import { chargeText } from '../functions/call/text-builder.ts';
import type { Budget } from '../limits/budget.ts';
import { toBytes } from '../values/text.ts';

/** The bytes as characters of U+0000 to U+00FF. */
function byteCharacters(text: string, budget: Budget): string {
  chargeText(budget, text.length * 2);
  return toBytes(text).toString('latin1');
}

const SPACE = /[\t-\r \u0085\u00a0]/;

/** Without white space; a text that has none stays as it is. */
export function deleteSpace(text: string, budget: Budget): string {
  const characters = byteCharacters(text, budget);
  const kept = characters.replace(/[\t-\r \u0085\u00a0]/g, '');
  return kept.length === characters.length ? text : kept;
}

/** The first character of each word. */
export function firstCharacters(text: string, budget: Budget): string {
  let result = '';
  let isStart = true;
  for (const char of byteCharacters(text, budget)) {
    const isSpace = SPACE.test(char);
    if (!isSpace && isStart) result += char;
    isStart = isSpace;
  }
  return result;
}
