/**
 * The last line of defence: texts of others (an API's error message, a parser's complaint) may quote credentials.
 * Code that handles credentials must not rely on it; whatever leaves the process goes through it all the same.
 */

/** Stands where a secret stood. */
export const mask = '[redacted]';

/** Values shorter than this are not looked for: they would blacken every text and protect nobody. */
export const shortestSecret = 4;

const secretNames = [
  'client[-_]?secret',
  'client[-_]?key([-_]?data)?',
  'client[-_]?assertion',
  'private[-_]?key',
  'api[-_]?key',
  '(access|refresh|id|bearer|auth)[-_]?token',
  'token',
  'password',
  'passwd',
  'passphrase',
].join('|');

/** In this order: what is recognised by its form first, then what only its name gives away. */
const patterns: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // A PEM block whose end was cut off is one as well.
  [/-----BEGIN [A-Z0-9 ]{1,64}-----[\s\S]*?(?:-----END [A-Z0-9 ]{1,64}-----|$)/g, mask],
  [/\beyJ[\w-]{6,}(?:\.[\w-]*)+/g, mask],
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#"'<>]{1,2000}@/gi, `$1${mask}@`],
  [/\b(authorization["']?\s{0,4}[:=]\s{0,4}["']?)(?:[a-z]+ +)?[^\s"',;]+/gi, `$1${mask}`],
  // Not the word "bearer" of a sentence.
  [/\b(bearer) +(?!(?:tokens?|realm|scheme|auth\w*|credentials?)\b)[\w.~+/=-]{6,}/gi, `$1 ${mask}`],
  [/\b([Bb]asic) +(?=\S*[0-9=+/]|\S+[A-Z])[\w+/=-]{8,}/g, `$1 ${mask}`],
  // JSON, also as a string within JSON, whose quotes are escaped; an end that was cut off is none.
  [
    new RegExp(`(["'](?:${secretNames})\\\\{1,8}["']\\s{0,4}:\\s{0,4}\\\\{1,8}["'])[^"'\\\\]*`, 'gi'),
    `$1${mask}`,
  ],
  [new RegExp(`(["'](?:${secretNames})["']\\s{0,4}:\\s{0,4}")(?:[^"\\\\]|\\\\.)*`, 'gis'), `$1${mask}`],
  [new RegExp(`(["'](?:${secretNames})["']\\s{0,4}:\\s{0,4}')[^']*`, 'gi'), `$1${mask}`],
  // Forms, queries and flags.
  [new RegExp(`\\b((?:${secretNames})=)[^\\s&"';,]+`, 'gi'), `$1${mask}`],
  // Kubeconfigs. The bare words only as a line of their own, since sentences have them too.
  [/((?:client-key-data|client-secret|clientsecret|client_secret) *: *["']?)[^\s"',}]+/gi, `$1${mask}`],
  [
    /^([ \t]*(?:- +)?(?:token|password|id-token|refresh-token) *: *["']?)[^\s"']+["']?[ \t]*$/gim,
    `$1${mask}`,
  ],
];

/** Masks what looks like a credential. Length and lines of the rest stay as they are; calling it twice changes nothing. */
export function redact(text: string): string {
  return patterns.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), text);
}

/**
 * A `redact` that also masks the given values: literally, in base64 (whatever stands before them), and escaped for
 * URLs or JSON. Of a value with several lines, each long line counts by itself.
 */
export function createScrubber(values: Iterable<string>): (text: string) => string {
  const needles = new Set<string>();
  for (const value of values) {
    for (const part of parts(value)) {
      for (const form of forms(part)) if (form.length >= shortestSecret) needles.add(form);
    }
  }
  const ordered = [...needles].sort((a, b) => b.length - a.length);
  return (text) => redact(maskNeedles(text, ordered));
}

function parts(value: string): string[] {
  const lines = value.split(/\r?\n/).filter((line) => line.length >= 16 && !line.startsWith('-----'));
  return lines.length > 1 || value.includes('\n') ? [value, value.trim(), ...lines] : [value];
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
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString('base64')
    .replace(/=+$/, '');
  const foreign = [0, 2, 3][offset] ?? 0;
  const whole = (offset + bytes.length) % 3 === 0;
  return encoded.slice(foreign, whole ? undefined : -1);
}

/** Occurrences that overlap are masked together, so that no rest of one stays behind. */
function maskNeedles(text: string, needles: readonly string[]): string {
  const spans: [start: number, end: number][] = [];
  for (const needle of needles) {
    for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1))
      spans.push([at, at + needle.length]);
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
