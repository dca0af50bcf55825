import { isBreak } from './characters.ts';
import { isPrintable } from './scalar-style.ts';
import type { YamlWriter } from './yaml-writer.ts';

/** The width of lines. */
export const BEST_WIDTH = 80;

/** @param mayBreak false for keys */
export function writePlain(out: YamlWriter, text: string, mayBreak: boolean): void {
  out.separate();
  writeFolded(out, text, (at) => mayBreak && text[at + 1] !== ' ');
  out.endScalar();
}

export function writeSingleQuoted(out: YamlWriter, text: string, mayBreak: boolean): void {
  out.separate();
  out.put("'");
  writeFolded(
    out,
    text,
    (at) => mayBreak && at > 0 && at < text.length - 1 && text[at + 1] !== ' ',
    (char) => (char === "'" ? "''" : char),
  );
  out.put("'");
  out.endScalar();
}

/** @param breaksAt whether a line may be broken at the space with this index */
function writeFolded(
  out: YamlWriter,
  text: string,
  breaksAt: (at: number) => boolean,
  escapeText: (char: string) => string = (char) => char,
): void {
  let isAfterSpace = false;
  let isAfterBreak = false;
  let at = 0;
  for (const char of text) {
    if (char === ' ') {
      if (!isAfterSpace && out.column > out.width && breaksAt(at)) out.writeIndent();
      else out.put(char);
      isAfterSpace = true;
    } else if (isBreak(char.charCodeAt(0))) {
      if (!isAfterBreak && char === '\n') out.putBreak();
      out.putBreak(char);
      isAfterBreak = true;
    } else {
      if (isAfterBreak) out.writeIndent();
      out.put(escapeText(char));
      out.isIndented = false;
      isAfterSpace = false;
      isAfterBreak = false;
    }
    at += char.length;
  }
}

const ESCAPES: Readonly<Record<number, string>> = {
  0: '0',
  7: 'a',
  8: 'b',
  9: 't',
  10: 'n',
  11: 'v',
  12: 'f',
  13: 'r',
  27: 'e',
  34: '"',
  92: '\\',
  133: 'N',
  160: '_',
  8232: 'L',
  8233: 'P',
};

export function writeDoubleQuoted(out: YamlWriter, text: string, mayBreak: boolean): void {
  out.separate();
  out.put('"');
  // The library looks for a byte order mark at the start, at each character.
  const escapesAll = text.startsWith('\ufeff');
  let isAfterSpace = false;
  let at = 0;
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    if (escapesAll || !isPrintable(code) || isBreak(code) || char === '"' || char === '\\') {
      out.put(`\\${ESCAPES[code] ?? numericEscape(code)}`);
      isAfterSpace = false;
    } else if (char === ' ') {
      if (mayBreak && !isAfterSpace && out.column > out.width && at > 0 && at < text.length - 1) {
        out.writeIndent();
        if (text[at + 1] === ' ') out.put('\\');
      } else out.put(char);
      isAfterSpace = true;
    } else {
      out.put(char);
      isAfterSpace = false;
    }
    at += char.length;
  }
  out.put('"');
  out.endScalar();
}

function numericEscape(code: number): string {
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `u${hex.padStart(4, '0')}` : `U${hex.padStart(8, '0')}`;
}

export function writeLiteral(out: YamlWriter, text: string): void {
  out.separate();
  out.put('|');
  if (text.startsWith(' ') || isBreak(text.charCodeAt(0))) out.put('2');
  const endsInBreak = isBreak(text.charCodeAt(text.length - 1));
  if (!endsInBreak) out.put('-');
  else if (text.length === 1 || isBreak(text.charCodeAt(text.length - 2))) out.put('+');
  out.putBreak();
  out.startLine();
  let isAfterBreak = true;
  for (const char of text) {
    if (isBreak(char.charCodeAt(0))) {
      out.putBreak(char);
      out.isIndented = true;
      isAfterBreak = true;
    } else {
      if (isAfterBreak) out.writeIndent();
      out.put(char);
      out.isIndented = false;
      isAfterBreak = false;
    }
  }
}
