import { print } from '../format/print.ts';
import { isPrint } from '../format/quote.ts';
import { isEscapedByte, toBytes } from '../values/text.ts';
import { INTERFACE, type Value } from '../values/value.ts';
import type { Builtin } from './builtin.ts';

const HTML: Readonly<Record<string, string>> = {
  '\0': '\ufffd',
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
};

const escapeHtml = (text: string): string => text.replace(/[\0"'&<>]/g, (char) => HTML[char] ?? char);

const JS: Readonly<Record<string, string>> = { '\\': '\\\\', "'": "\\'", '"': '\\"' };

/** For a string literal of JavaScript. */
function escapeJs(text: string): string {
  const parts: string[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = isEscapedByte(text, at) ? 0xfffd : (text.codePointAt(at) ?? 0);
    const char = isEscapedByte(text, at) ? text.charAt(at) : String.fromCodePoint(code);
    if (code > 0xffff) at++;
    const known = JS[char];
    if (known) parts.push(known);
    else if (code >= 0x80 ? isPrint(code) : code >= 0x20 && !'<>&='.includes(char)) parts.push(char);
    else parts.push(`\\u${code.toString(16).toUpperCase().padStart(4, '0')}`);
  }
  return parts.join('');
}

/** For a value in the query of a URL. */
function escapeQuery(text: string): string {
  const parts: string[] = [];
  for (const byte of toBytes(text)) {
    const char = String.fromCharCode(byte);
    if (/[A-Za-z0-9_.~-]/.test(char)) parts.push(char);
    else parts.push(char === ' ' ? '+' : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`);
  }
  return parts.join('');
}

/** What one character may become: `\U0010FFFF`. */
const MAX_GROWTH = 10;

/** The arguments as text: one string as it is, others as `print` writes them, nil as `<no value>`. */
const escaper = (change: (text: string) => string): Builtin => ({
  parameters: [],
  variadic: INTERFACE,
  callRaw: (args, { budget }) => {
    const values = args.map((value): Value => value ?? '<no value>');
    const [only] = values;
    const text = values.length === 1 && typeof only === 'string' ? only : print(values, budget);
    budget.charge(text.length * MAX_GROWTH);
    budget.step(text.length / 16);
    return change(text);
  },
});

export const ESCAPERS = {
  html: escaper(escapeHtml),
  js: escaper(escapeJs),
  urlquery: escaper(escapeQuery),
} satisfies Record<string, Builtin>;
