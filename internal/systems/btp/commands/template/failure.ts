import { visible } from '../../../../framework/base/text/visible.ts';
import {
  byteLength,
  type MissingName,
  TemplateExecError,
  TemplateLimitError,
  TemplateParseError,
} from '../../../../templates/gotemplate/index.ts';

/** Characters of a line that are shown around the place of an error. */
const MAX_BEFORE = 60;
const MAX_AFTER = 40;
const MAX_NAMES = 20;

/**
 * The text about an error of a template: message, source line with a caret, and a hint. Undefined for other errors.
 *
 * @param showsValues whether the message may quote data
 */
export function failureText(error: unknown, source: string, showsValues: boolean): string | undefined {
  if (error instanceof TemplateParseError) {
    return lines(error.message, sourceLine(source, error.line), hint(error.missing));
  }
  if (error instanceof TemplateExecError) {
    const { line, column } = error.location;
    const message = showsValues ? error.message : error.safeMessage;
    const withheld = !showsValues && error.quotesData && 'hint: --show-values shows the rest of the message';
    return lines(message, sourceLine(source, line, column), withheld || hint(error.missing));
  }
  if (error instanceof TemplateLimitError) {
    const { location } = error;
    return lines(error.message, location && sourceLine(source, location.line, location.column));
  }
  return undefined;
}

const lines = (message: string, ...others: readonly (string | undefined)[]): string =>
  [visible(message), ...others].filter((line) => line !== undefined).join('\n');

/** @param column in bytes; undefined: no caret */
function sourceLine(source: string, line: number, column?: number): string {
  const text = source.split('\n')[line - 1] ?? '';
  const at = column === undefined ? 0 : offsetOf(text, column);
  const start = Math.max(0, at - MAX_BEFORE);
  const before = `${start > 0 ? '…' : ''}${visible(text.slice(start, at))}`;
  const end = at + MAX_BEFORE + MAX_AFTER;
  const after = `${visible(text.slice(at, end))}${end < text.length ? '…' : ''}`;
  const margin = `${line} | `;
  const shown = `${margin}${before}${after}`;
  return column === undefined ? shown : `${shown}\n${' '.repeat(margin.length + before.length)}^`;
}

/** The index of the character that begins at a byte. */
function offsetOf(text: string, column: number): number {
  let bytes = 0;
  let at = 0;
  for (const char of text) {
    if (bytes >= column) break;
    bytes += byteLength(char);
    at += char.length;
  }
  return at;
}

function hint(missing: MissingName | undefined): string | undefined {
  if (!missing) return undefined;
  const { name, available } = missing;
  const nearest = available
    .map((candidate) => ({ candidate, distance: editDistance(name, candidate) }))
    .sort((one, other) => one.distance - other.distance)[0];
  if (nearest && nearest.distance <= Math.max(2, Math.floor(name.length / 3))) {
    return `hint: did you mean ${visible(nearest.candidate)}?`;
  }
  // All functions would be a long list.
  if (available.length === 0 || available.length > MAX_NAMES) return undefined;
  return `hint: there are ${visible(available.join(', '))}`;
}

/** Longer names are no typing errors of each other. */
const MAX_COMPARED = 64;

/** Insertions, deletions and changes of characters; without regard of case. */
function editDistance(one: string, other: string): number {
  if (one.length > MAX_COMPARED || other.length > MAX_COMPARED) return MAX_COMPARED;
  const a = one.toLowerCase();
  const b = other.toLowerCase();
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
