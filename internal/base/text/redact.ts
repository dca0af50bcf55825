/**
 * The last line of defence: texts of others (an API's error message, a parser's complaint) may quote credentials.
 * Code that handles credentials must not rely on it; whatever leaves the process goes through it all the same.
 */

import { cutText, maxTextLength } from './text.ts';

/** Stands where a secret stood. */
export const mask = '[redacted]';

/** Values shorter than this are not looked for: they would blacken every text and protect nobody. */
export const shortestSecret = 4;

/** Characters of a value that are looked for: those of a private key, with room to spare. */
const maxSecretLength = 8192;

/** Lines of a value that are looked for by themselves. */
const maxLines = 128;

/** A text with more occurrences of secrets is masked whole. */
const maxOccurrences = 1000;

/** In this order: what is recognised by its form first, then what only its name gives away. Each takes linear time. */
const patterns: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // A PEM block whose end was cut off is one as well.
  [/-----BEGIN [A-Z0-9 ]{1,64}-----[\s\S]*?(?:-----END [A-Z0-9 ]{1,64}-----|$)/g, mask],
  // Also a token's first part alone: a pattern that insists on a dot takes quadratic time.
  [/\beyJ[\w-]{6,}(?:\.[\w-]*)*/g, mask],
  [/:\/\/[^\s/?#"'<>]+@/g, `://${mask}@`],
  [/\b(authorization["']?\s{0,4}[:=]\s{0,4}["']?)(?:[a-z]+ +)?[^\s"',;]+/gi, `$1${mask}`],
  // Not the word "bearer" of a sentence.
  [/\b(bearer) +(?!(?:tokens?|realm|scheme|auth\w*|credentials?)\b)[\w.~+/=-]{6,}/gi, `$1 ${mask}`],
  [/\b([Bb]asic) +(?=\S*[0-9=+/]|\S+[A-Z])[\w+/=-]{8,}/g, `$1 ${mask}`],
  // Forms, queries and flags; JSON, also as a string within JSON, whose quotes are escaped. A missing end is no end.
  [
    /\b(client[-_]?(?:secret|key(?:[-_]?data)?|assertion)|(?:private|api)[-_]?key|(?:(?:access|refresh|id|bearer|auth)[-_]?)?token|password|passwd|passphrase)(?:(=)[^\s&"';,]+|(["']\s{0,4}:\s{0,4}")(?:[^"\\]|\\[\s\S])*|(["']\s{0,4}:\s{0,4}')[^']*|(\\{1,8}["']\s{0,4}:\s{0,4}\\{1,8}["'])[^"'\\]*)/gi,
    `$1$2$3$4$5${mask}`,
  ],
  // Kubeconfigs. The bare words only as a line of their own, since sentences have them too.
  [/((?:client-key-data|client-secret|clientsecret|client_secret) *: *["']?)[^\s"',}]+/gi, `$1${mask}`],
  [
    /^([ \t]*(?:- +)?(?:token|password|id-token|refresh-token) *: *["']?)[^\s"']+["']?[ \t]*$/gim,
    `$1${mask}`,
  ],
];

/**
 * Masks what looks like a credential, in the first `maxTextLength` characters; the rest is cut off. Length and lines of
 * what remains stay as they are; calling it twice changes nothing.
 */
export function redact(text: string): string {
  return patterns.reduce(
    (result, [pattern, replacement]) => result.replace(pattern, replacement),
    cutText(text),
  );
}

/**
 * A `redact` that also masks the given values: literally, in base64 (whatever stands before them), and escaped for
 * URLs or JSON. Of a value with several lines, each long line counts by itself, up to 128 of them. A value of more than
 * 8,192 characters is found by its beginning, and all that follows is masked with it.
 */
export function createScrubber(values: Iterable<string>): (text: string) => string {
  const needles = new Map<string, Needle>();
  for (const value of values) {
    for (const part of parts(value.slice(0, maxSecretLength))) {
      for (const form of forms(part)) {
        const text = form.slice(0, maxSecretLength);
        const whole = text.length === form.length && value.length <= maxSecretLength;
        if (text.length >= shortestSecret) needles.set(text, { text, whole });
      }
    }
  }
  const ordered = [...needles.values()].sort((a, b) => b.text.length - a.text.length);
  // Cut only afterwards to what redact reads: of a secret across that border, no beginning may stay behind.
  return (text) => redact(maskNeedles(text.slice(0, 2 * maxTextLength), ordered));
}

interface Needle {
  readonly text: string;
  /** False: only the beginning of what is to be masked. */
  readonly whole: boolean;
}

function parts(value: string): string[] {
  const lines = value.split(/\r?\n/).filter((line) => line.length >= 16 && !line.startsWith('-----'));
  const counted = [...new Set(lines)].slice(0, maxLines);
  return lines.length > 1 || value.includes('\n') ? [value, value.trim(), ...counted] : [value];
}

function forms(value: string): string[] {
  if (value.length < shortestSecret) return [];
  const bytes = Buffer.from(value, 'utf8');
  const encoded = [0, 1, 2].map((offset) => base64At(bytes, offset));
  const percent = encodeURIComponent(value.toWellFormed());
  const strict = percent.replace(/[!'()*~]/g, hex);
  const form = new URLSearchParams([['', value]]).toString().slice(1);
  const json = JSON.stringify(value).slice(1, -1);
  const urls = [percent, strict, form].flatMap((text) => [text, text.replace(/%[0-9A-F]{2}/g, lower)]);
  return [
    value,
    json,
    ...urls,
    ...encoded,
    ...encoded.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

const hex = (char: string) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
const lower = (text: string) => text.toLowerCase();

/** The characters of base64 that depend on these bytes alone when `offset` bytes of a group stand before them. */
function base64At(bytes: Buffer, offset: number): string {
  const [encoded = ''] = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString('base64')
    .split('=', 1);
  const foreign = [0, 2, 3][offset] ?? 0;
  const whole = (offset + bytes.length) % 3 === 0;
  return encoded.slice(foreign, whole ? undefined : -1);
}

/** Occurrences that overlap are masked together, so that no rest of one stays behind. */
function maskNeedles(text: string, needles: readonly Needle[]): string {
  const spans: [start: number, end: number][] = [];
  for (const { text: needle, whole } of needles) {
    for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) {
      spans.push([at, whole ? at + needle.length : text.length]);
      if (spans.length > maxOccurrences) return mask;
    }
  }
  if (spans.length === 0) return text;
  spans.sort((a, b) => a[0] - b[0]);
  let result = '';
  let done = 0;
  for (const [start, end] of spans) {
    if (start >= done) result += text.slice(done, start) + mask;
    done = Math.max(done, end);
  }
  return result + text.slice(done);
}
