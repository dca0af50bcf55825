export interface TomlString {
  readonly value: string;
  /** Behind the closing quotes. */
  readonly end: number;
  readonly problem?: string;
}

const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
  e: '\x1b',
  '"': '"',
  '\\': '\\',
};

/** The string that starts at a quote: of one line or of several, with escapes in double quotes. */
export function readTomlString(text: string, start: number): TomlString {
  const quote = text.charAt(start);
  const isMultiline = text.startsWith(quote.repeat(3), start);
  const fence = isMultiline ? quote.repeat(3) : quote;
  let at = start + fence.length;
  if (isMultiline && text[at] === '\n') at++;
  let value = '';
  for (;;) {
    const char = text[at];
    if (char === undefined)
      return {
        value,
        end: at,
        problem: `unexpected EOF; expected ${fence.startsWith("'") ? `"${fence}"` : `'${fence}'`}`,
      };
    if (text.startsWith(fence, at)) {
      // Up to two quotes may stand before the closing ones.
      while (isMultiline && text.startsWith(quote, at + fence.length) && !value.endsWith(quote.repeat(2))) {
        value += quote;
        at++;
      }
      return { value, end: at + fence.length };
    }
    if (char === '\n' && !isMultiline) return { value, end: at, problem: 'strings cannot contain newlines' };
    if (char !== '\\' || quote === "'") {
      value += char;
      at++;
      continue;
    }
    const escaped = readEscape(text, at + 1, isMultiline);
    if (escaped.problem !== undefined) return escaped;
    value += escaped.value;
    at = escaped.end;
  }
}

function readEscape(text: string, at: number, isMultiline: boolean): TomlString {
  const letter = text.charAt(at);
  const plain = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
  if (plain !== undefined) return { value: plain, end: at + 1 };
  const [blank] = /^[ \t]*\n\s*/.exec(text.slice(at)) ?? [];
  if (isMultiline && blank !== undefined) return { value: '', end: at + blank.length };
  const digits = { x: 2, u: 4, U: 8 }[letter] ?? 0;
  const hex = text.slice(at + 1, at + 1 + digits);
  const code = Number.parseInt(hex, 16);
  const isValid = digits > 0 && hex.length === digits && /^[0-9a-fA-F]+$/.test(hex);
  if (!isValid || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
    return { value: '', end: at, problem: `invalid escape character '${letter}'` };
  }
  return { value: String.fromCodePoint(code), end: at + 1 + digits };
}
