/** Search, replacement and splitting by bytes, as package strings does it. */

import { occurrences } from '../../../../framework/base/text/search.ts';
import { type Budget, ELEMENT_BYTES } from '../../budget.ts';
import { fromBytes, normalize, toBytes } from '../../values/text.ts';
import { chargeText, counted } from '../define.ts';

/**
 * Calls `operation` with texts in which each character is matched as a whole. Between valid UTF-8 that is the same as by
 * bytes; with other bytes, each byte becomes a character.
 */
export function bytewise<T>(
  texts: readonly string[],
  operation: (texts: readonly string[], back: (text: string) => string) => T,
): T {
  if (texts.every((text) => text.isWellFormed())) return operation(texts, (text) => text);
  return operation(
    texts.map((text) => toBytes(text).toString('latin1')),
    (text) => fromBytes(Buffer.from(text, 'latin1')),
  );
}

/** Parts between separators, `limit` at most; the last one is the rest. @param limit negative: no limit */
export function split(text: string, separator: string, limit: number, budget: Budget): string[] {
  if (limit === 0) return [];
  chargeText(budget, text.length);
  if (separator === '') return explode(text, limit, budget);
  return bytewise([text, separator], ([whole = '', by = ''], back) => {
    const parts: string[] = [];
    let start = 0;
    for (const at of occurrences(whole, by)) {
      if (limit >= 0 && parts.length >= limit - 1) break;
      chargeElement(budget);
      parts.push(back(whole.slice(start, at)));
      start = at + by.length;
    }
    chargeElement(budget);
    return [...parts, back(whole.slice(start))];
  });
}

/** The characters; the last part has the rest. */
function explode(text: string, limit: number, budget: Budget): string[] {
  const parts: string[] = [];
  let start = 0;
  for (const char of counted(text, budget)) {
    chargeElement(budget);
    if (limit > 0 && parts.length === limit - 1) return [...parts, text.slice(start)];
    parts.push(char);
    start += char.length;
  }
  return parts;
}

function chargeElement(budget: Budget): void {
  budget.step();
  budget.charge(ELEMENT_BYTES);
}

export function replaceAll(text: string, old: string, replacement: string, budget: Budget): string {
  if (old === '') {
    const chars = split(text, '', -1, budget);
    chargeText(budget, replacement.length * (chars.length + 1));
    return normalize(['', ...chars, ''].join(replacement));
  }
  return bytewise([text, old, replacement], ([whole = '', search = '', by = ''], back) => {
    const parts: string[] = [];
    let start = 0;
    for (const at of occurrences(whole, search)) {
      chargeElement(budget);
      parts.push(whole.slice(start, at));
      start = at + search.length;
    }
    chargeText(budget, whole.length + parts.length * by.length);
    return back([...parts, whole.slice(start)].join(by));
  });
}
