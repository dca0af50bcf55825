import { chargeText, TextBuilder } from '../functions/call/text-builder.ts';
import type { Budget } from '../limits/budget.ts';
import { fromBytes, toBytes } from '../values/text.ts';

/**
 * Breaks a text into lines of `width` bytes at spaces. Bytes count, and line breaks in the text do not end a line.
 *
 * @param lineBreak empty: `\n`
 * @param breaksWords whether words that are longer than a line are broken
 */
export function wrapBytes(
  text: string,
  width: bigint,
  lineBreak: string,
  breaksWords: boolean,
  budget: Budget,
): string {
  const bytes = toBytes(text).toString('latin1');
  const separator = toBytes(lineBreak === '' ? '\n' : lineBreak).toString('latin1');
  const size = Math.max(1, Math.min(Number(width), 2 ** 31));
  chargeText(budget, bytes.length);
  const out = new TextBuilder(budget);
  let at = 0;
  while (bytes.length - at > size) {
    budget.step();
    if (bytes[at] === ' ') {
      at++;
      continue;
    }
    const space = bytes.lastIndexOf(' ', at + size);
    const end = space >= at ? space : breaksWords ? at + size : bytes.indexOf(' ', at + size);
    if (end < 0) {
      out.append(bytes.slice(at));
      at = bytes.length;
    } else {
      out.append(bytes.slice(at, end));
      out.append(separator);
      at = end + (space < at && breaksWords ? 0 : 1);
    }
  }
  out.append(bytes.slice(at));
  return fromBytes(Buffer.from(out.toString(), 'latin1'));
}
