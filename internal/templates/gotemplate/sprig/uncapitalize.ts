import { mapCharacters, toLower } from '../functions/strings/runes.ts';
import type { Budget } from '../limits/budget.ts';

/** The first letter of each word in lower case. */
export function uncapitalize(text: string, budget: Budget): string {
  let isStart = true;
  return mapCharacters(
    text,
    (rune) => {
      const isSpace = /^\p{White_Space}$/u.test(rune);
      const changed = isStart && !isSpace ? toLower(rune) : rune;
      isStart = isSpace;
      return changed;
    },
    budget,
  );
}
