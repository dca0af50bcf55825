import { mapCharacters, toUpper } from '../functions/strings/runes.ts';
import type { Budget } from '../limits/budget.ts';

/** The first letter of each word in upper case; what is no letter, digit or underscore separates words. */
export function titleWords(text: string, budget: Budget): string {
  let isAfterSeparator = true;
  return mapCharacters(
    text,
    (rune) => {
      const changed = isAfterSeparator ? toUpper(rune) : rune;
      isAfterSeparator = isSeparator(rune);
      return changed;
    },
    budget,
  );
}

function isSeparator(rune: string): boolean {
  if (/^[\0-\x7f]$/.test(rune)) return !/^\w$/.test(rune);
  return /^[^\p{L}\p{Nd}]$/u.test(rune) && /^\p{White_Space}$/u.test(rune);
}
