import { similar } from '../../../../framework/base/text/nearest.ts';
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
  const meant = similar(name, available);
  if (meant !== undefined) return `hint: did you mean ${visible(meant)}?`;
  // All functions would be a long list.
  if (available.length === 0 || available.length > MAX_NAMES) return undefined;
  return `hint: there are ${visible(available.join(', '))}`;
}
