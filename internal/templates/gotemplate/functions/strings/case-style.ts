/** `camelcase`, `snakecase` and `kebabcase`, by the rules of sprout. */
import type { Budget } from '../../limits/budget.ts';
import { byteLength, toBytes } from '../../values/text.ts';
import { chargeText, counted, TextBuilder } from '../call/text-builder.ts';
import { characters, isDigit, isLetter, isLower, isUpper, toLower, toUpper } from './runes.ts';

/** Words with a capital letter each, without separator: `FooBar`. */
export function camelCase(text: string, budget: Budget): string {
  chargeText(budget, text.length);
  const result = new TextBuilder(budget);
  let isWordStart = true;
  let hadLetter = false;
  for (const rune of counted(characters(text), budget)) {
    if (isSeparator(rune)) {
      if (hadLetter) isWordStart = true;
      continue;
    }
    result.append(isWordStart ? toUpper(rune) : rune);
    isWordStart = false;
    hadLetter ||= isLetter(rune);
  }
  return result.toString();
}

/** Words in lower case with a separator between them: `foo_bar_2`. */
export function separatedCase(text: string, separator: '_' | '-', budget: Budget): string {
  chargeText(budget, text.length);
  const result = new TextBuilder(budget);
  const bytes = toBytes(text);
  let at = 0;
  let last = '';
  let next = '';
  for (const rune of counted(charactersWithWidth(text), budget)) {
    // sprout looks at the next byte, not at the next character; at the end it is still the one before.
    if (at + 1 < bytes.length) next = String.fromCharCode(bytes[at + 1] ?? 0);
    at += rune.width;
    if (isSeparator(rune.text)) {
      if (last !== separator) result.append(separator);
      last = separator;
      continue;
    }
    if (isUpper(rune.text) && result.length > 0 && last !== separator) {
      if ((isUpper(last) && isLower(next)) || isLower(last)) result.append(separator);
    }
    if (last !== separator && isDigit(rune.text) && !isDigit(last)) result.append(separator);
    result.append(toLower(rune.text));
    last = rune.text;
  }
  return result.toString();
}

const isSeparator = (rune: string): boolean => rune === ' ' || rune === '-' || rune === '_';

function* charactersWithWidth(text: string): Generator<{ text: string; width: number }> {
  for (const char of text) {
    const [rune = ''] = characters(char);
    yield { text: rune, width: byteLength(char) };
  }
}
