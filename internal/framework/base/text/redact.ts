/**
 * Untrusted texts as people may read them: without credentials, which error messages of APIs or parsers may quote, and without marks that
 * hide or reorder characters. Everything that leaves the process is redacted. Code that handles credentials must not rely on it.
 */
import { type Fingerprints, fingerprintsOf, occurrencesOf } from './fingerprints.ts';
import { isOrdinaryWord, type NamedValue, occurrencesAsValue } from './ordinary-words.ts';
import { occurrences } from './search.ts';
import { cutMiddle, cutText, maxTextLength } from './text.ts';

/** Replaces a secret. */
export const mask = '[redacted]';

/** Shorter values are not masked: they would match in most texts. */
export const shortestSecret = 4;

/** A shorter value is masked only as it is: in another case it may be a part of words. */
const shortestInAnyCase = 8;

/** Characters of a value that are searched for: enough for a private key. */
const maxSecretLength = 8192;

/** Lines of a value that are searched for separately. */
const maxLines = 128;

/** With more values, or more characters of values, a text is masked completely: a tenant must not choose the work for each text. */
const maxValues = 2000;
const maxValueLength = 256 * 1024;

/** Characters of a text in which values are searched for; `redact` cuts it afterwards. */
const maxScanned = 2 * maxTextLength;

/** A text with more occurrences of secrets is masked completely. */
const maxOccurrences = 1000;

/** V8's search of a longer value may take the product of its length and that of the text. */
const longValue = 250;

/** Characters that are compared when long values are searched whose beginning is in the text; a text that needs more is masked completely. */
const maxCompared = 4_000_000;

/**
 * Characters in which values are searched, for each of their forms, in all notations of a text: half a second. A text that needs more
 * is masked completely.
 */
const maxSearched = 1_000_000_000;

/** First secrets that are recognised by their form, then those by their name. Each pattern takes linear time. */
const patterns: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // A PEM block, also without its end.
  [/-----BEGIN [A-Z0-9 ]{1,64}-----[\s\S]*?(?:-----END [A-Z0-9 ]{1,64}-----|$)/g, mask],
  // A JWT, or its first part alone: a pattern that requires a dot takes quadratic time.
  [/\beyJ[\w-]{6,}(?:\.[\w-]*)*/g, mask],
  [/:\/\/[^\s/?#"'<>]+@/g, `://${mask}@`],
  [/\b(authorization["']?\s{0,4}[:=]\s{0,4}["']?)(?:[a-z]+ +)?[^\s"',;]+/gi, `$1${mask}`],
  // Not the word "bearer" in a sentence.
  [/\b(bearer) +(?!(?:tokens?|realm|scheme|auth\w*|credentials?)\b)[\w.~+/=-]{6,}/gi, `$1 ${mask}`],
  [/\b([Bb]asic) +(?=\S*[0-9=+/]|\S+[A-Z])[\w+/=-]{8,}/g, `$1 ${mask}`],
  // Forms, queries and flags; JSON, also with escaped quotes as a string within JSON. Without a final quote, up to the end.
  [
    /\b((?:[a-z0-9]{1,32}[-_.]){0,4}(?:client[-_]?(?:secret|key(?:[-_]?data)?|assertion)|(?:private|api)[-_]?key|(?:(?:access|refresh|id|bearer|auth)[-_]?)?token|password|passwd|passphrase))(?:(=)[^\s&"';,]+|(["']\s{0,4}:\s{0,4}")(?:[^"\\]|\\[\s\S])*|(["']\s{0,4}:\s{0,4}')[^']*|(\\{1,8}["']\s{0,4}:\s{0,4}\\{1,8}["'])[^"'\\]*)/gi,
    `$1$2$3$4$5${mask}`,
  ],
  // URLs that are signed: Amazon, Google, Azure.
  [
    /((?:[?&;]|\\u0026)(?:x-(?:amz|goog)-(?:signature|security-token)|sig(?:nature)?)=)[^\s&"'#<>]+/gi,
    `$1${mask}`,
  ],
  [/\b((?:set-)?cookie["']?\s{0,4}:\s{0,4}["']?)[^\r\n"']+/gi, `$1${mask}`],
  // Kubeconfigs. Plain words only on a separate line, since sentences contain them too.
  [/((?:client-key-data|client-secret|clientsecret|client_secret) *: *["']?)[^\s"',}]+/gi, `$1${mask}`],
  [
    /^([ \t]*(?:- +)?(?:token|password|id-token|refresh-token) *: *["']?)[^\s"']+["']?[ \t]*$/gim,
    `$1${mask}`,
  ],
];

/**
 * Masks credentials that are recognised by form or name. The text is cut at `maxTextLength`; the rest of it does not
 * change. Idempotent.
 */
export function redact(text: string): string {
  return patterns.reduce(
    (result, [pattern, replacement]) => result.replace(pattern, replacement),
    cutText(text),
  );
}

/**
 * A `redact` that also masks the given values: literally, in base64 (at any offset) or hex, escaped for URLs, JSON or HTML, broken over
 * lines, and in up to three of these at once; those of 8 characters or more in upper and lower case. Long lines of a value are also masked separately, up to 128 of them. A value of more than 8,192 characters is found by its
 * beginning, and the rest of the text is masked. With more than 2,000 values, or 256 Ki characters of them, nothing but
 * the mask is left of a text. What is searched for is computed when the first text is masked.
 *
 * @param values one with a name, which is an ordinary word, is masked only where it stands as a value
 * @param kept of values that are not known any more
 * @param maxLength of what is returned of a longer text, in characters: a server that sends long texts chooses the work. Default: 32,768
 *   are searched
 */
export function createScrubber(
  values: Iterable<string | NamedValue>,
  kept: readonly KeptMask[] = [],
  maxLength?: number,
): (text: string) => string {
  const known = withinLimits(values);
  const prints = kept.filter((each) => each !== 'too many');
  if (known === undefined || prints.length < kept.length) return () => mask;
  let scrub: ((text: string) => string) | undefined;
  return (text) => {
    scrub ??= scrubberOf(known, prints, maxLength);
    return scrub(text);
  };
}

/** What masks values as `createScrubber` does, and has none of them. */
export type KeptMask =
  | {
      readonly exact: Fingerprints;
      /** Of texts in lower case. */
      readonly anyCase: Fingerprints;
    }
  | 'too many';

type KeptNeedles = Exclude<KeptMask, 'too many'>;

/** For values that must be masked for longer than they may be kept. */
export function keptMaskOf(values: Iterable<string>): KeptMask {
  const known = withinLimits(values);
  if (known === undefined) return 'too many';
  const needles = needlesOf(known.values);
  return {
    exact: fingerprintsOf(needles.filter(({ anyCase }) => !anyCase)),
    anyCase: fingerprintsOf(needles.filter(({ anyCase }) => anyCase)),
  };
}

/** The different values; undefined: too many. */
function withinLimits(values: Iterable<string | NamedValue>): KnownValues | undefined {
  const known = new Set<string>();
  const words = new Map<string, NamedValue>();
  let length = 0;
  for (const given of values) {
    const named = typeof given === 'string' ? undefined : given;
    const value = named === undefined ? given : named.value;
    if (typeof value !== 'string' || value.length < shortestSecret || known.has(value)) continue;
    if (named !== undefined && isOrdinaryWord(named)) words.set(`${value} ${named.name}`, named);
    else known.add(value);
    length += Math.min(value.length, maxSecretLength);
    if (known.size + words.size > maxValues || length > maxValueLength) return undefined;
  }
  return { values: known, words: [...words.values()].filter(({ value }) => !known.has(value)) };
}

interface KnownValues {
  /** Masked everywhere. */
  readonly values: ReadonlySet<string>;
  /** Masked where they stand as values. */
  readonly words: readonly NamedValue[];
}

/** In all forms, the longest first. */
function needlesOf(values: ReadonlySet<string>): Needle[] {
  const needles = new Map<string, Needle>();
  for (const value of values) {
    for (const part of parts(value.slice(0, maxSecretLength))) {
      for (const { text: form, anyCase } of forms(part)) {
        const text = (anyCase ? lowerCase(form) : form).slice(0, maxSecretLength);
        const whole = text.length === form.length && value.length <= maxSecretLength;
        if (text.length >= shortestSecret) needles.set(`${anyCase} ${text}`, { text, whole, anyCase });
      }
    }
  }
  return [...needles.values()].sort((a, b) => b.text.length - a.text.length);
}

function scrubberOf(
  { values, words }: KnownValues,
  kept: readonly KeptNeedles[],
  maxLength: number | undefined,
): (text: string) => string {
  const needles = needlesOf(values);
  const longest = Math.max(
    needles[0]?.text.length ?? 0,
    ...words.map(({ value }) => value.length),
    ...kept.flatMap(({ exact, anyCase }) => [...exact.byLength.keys(), ...anyCase.byLength.keys()]),
  );
  const scannedLength = maxLength === undefined ? maxScanned : Math.min(maxLength + longest, maxScanned);
  return (text) => {
    if (text.length <= scannedLength) return redact(maskNeedles(text, { needles, words, kept }));
    // A secret across the cut is not found: its beginning is left out.
    const scanned = text.slice(0, scannedLength);
    return redact(`${maskNeedles(scanned, { needles, words, kept }, scanned.length - longest)}${mask}`);
  };
}

interface Masked {
  readonly needles: readonly Needle[];
  readonly words: readonly NamedValue[];
  readonly kept: readonly KeptNeedles[];
}

interface Needle {
  readonly text: string;
  /** It is in lower case, and searched for in texts in lower case. */
  readonly anyCase: boolean;
  /** False: the beginning of a longer value. */
  readonly whole: boolean;
}

function parts(value: string): string[] {
  const lines = value.split(/\r?\n/).filter((line) => line.length >= 16 && !line.startsWith('-----'));
  const counted = [...new Set(lines)].slice(0, maxLines);
  return lines.length > 1 || value.includes('\n') ? [value, value.trim(), ...counted] : [value];
}

/** Of ASCII alone, so that a text keeps its length. */
const lowerCase = (text: string): string => text.replace(/[A-Z]+/g, (run) => run.toLowerCase());

/** In notations that no layer of a text shows: a beginning of base64 is missing, and `+` is a space in forms. */
function forms(value: string): Pick<Needle, 'text' | 'anyCase'>[] {
  if (value.length < shortestSecret) return [];
  const percent = encodeURIComponent(value.toWellFormed());
  const form = new URLSearchParams([['', value]]).toString().slice(1);
  const json = escapedJson(value);
  // A client in HTTP Basic is encoded as in forms first (RFC 6749, section 2.3.1).
  const encoded = [...new Set([value, json, percent, form])].flatMap((text) =>
    [0, 1, 2].map((offset) => base64At(Buffer.from(text, 'utf8'), offset)),
  );
  // Without the rest of an escape where a text was cut.
  const readable = [value, json, percent, form].map((text) => ({
    text,
    anyCase: text.length >= shortestInAnyCase,
  }));
  const hex = { text: Buffer.from(value, 'utf8').toString('hex'), anyCase: true };
  const base64 = [...encoded, ...encoded.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))];
  return [...readable, hex, ...base64.map((text) => ({ text, anyCase: false }))];
}

const escapedJson = (text: string) => JSON.stringify(text).slice(1, -1);

/** The base64 characters that depend only on these bytes, with `offset` bytes of the same group before them. */
function base64At(bytes: Buffer, offset: number): string {
  const [encoded = ''] = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString('base64')
    .split('=', 1);
  const foreign = [0, 2, 3][offset] ?? 0;
  const whole = (offset + bytes.length) % 3 === 0;
  return encoded.slice(foreign, whole ? undefined : -1);
}

function* shortOccurrences(text: string, needle: string): Generator<number> {
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) yield at;
}

/**
 * Overlapping occurrences are masked together, so that no part of them remains.
 *
 * @param length of the text that is returned, before values are masked
 */
function maskNeedles(text: string, { needles, words, kept }: Masked, length = text.length): string {
  const spans: [start: number, end: number][] = [];
  const layers = needles.length + kept.length === 0 ? [] : layersOf(text);
  if (layers === undefined) return mask;
  let [searched, compared] = [0, 0];
  for (const { text: layer, from, to } of layers) {
    // The text itself is always searched: without other notations it costs what it did for the others.
    searched += layer.length * (needles.length + kept.length);
    if (searched > maxSearched && layer !== text) return mask;
    const lower = lowerCase(layer);
    const add = (start: number, end: number) => spans.push([from(start), to(end - 1)]) > maxOccurrences;
    for (const { text: needle, whole, anyCase } of needles) {
      const within = anyCase ? lower : layer;
      const isLong = needle.length > longValue;
      if (isLong && !within.includes(needle.slice(0, longValue))) continue;
      if (isLong) compared += layer.length + needle.length;
      if (compared > maxCompared) return mask;
      for (const at of isLong
        ? occurrences(within, needle, { overlapping: true })
        : shortOccurrences(within, needle)) {
        if (add(at, whole ? at + needle.length : layer.length)) return mask;
      }
    }
    for (const { exact, anyCase } of kept)
      for (const [start, end] of [...occurrencesOf(layer, exact), ...occurrencesOf(lower, anyCase)])
        if (add(start, end)) return mask;
  }
  const lowerText = words.length === 0 ? '' : text.toLowerCase();
  for (const word of words)
    for (const at of occurrencesAsValue(text, lowerText, word)) {
      spans.push([at, at + word.value.length]);
      if (spans.length > maxOccurrences) return mask;
    }
  if (spans.length === 0) return text.slice(0, length);
  spans.sort((a, b) => a[0] - b[0]);
  let result = '';
  let done = 0;
  for (const [start, end] of spans) {
    if (start >= length) break;
    if (start >= done) result += text.slice(done, start) + mask;
    done = Math.max(done, end);
  }
  return result + text.slice(done, Math.max(done, length));
}

/**
 * What a text says in other notations: servers quote what they were sent as JSON, in URLs and in pages, proxies quote such texts again,
 * and tools break long lines. A value that is searched for in all layers is found in any mixture of these.
 */

/** A text, and which part of the first one each of its code units stands for. */
interface Layer {
  readonly text: string;
  readonly from: (index: number) => number;
  readonly to: (index: number) => number;
}

/** Notations in each other. */
const MAX_DEPTH = 3;
/** Three of five notations make 26; more layers are those of a text that was made for it. */
const MAX_LAYERS = 40;

/** Of URLs: one run is one text in UTF-8. */
const percents = /(?:%[0-9A-Fa-f]{2}){1,4096}/g;
/** Of JSON, and of texts in Go. */
const backslashes = /\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|\\["'/\\bfnrt]/g;
/** Of HTML and XML. */
const entities = /&(?:amp|lt|gt|quot|apos|#\d{1,7}|#[xX][0-9A-Fa-f]{1,6});/g;
/** A break of a line, with the indentation of the next one. */
const breaks = /\r?\n[ \t]*/g;
/** Base64, also that of URLs. */
const base64 = /[\w+/-]{20,}={0,2}/g;

/** The text itself, then what it says in other notations. Undefined: more of them than a text of programs has. */
function layersOf(text: string): Layer[] | undefined {
  const known = new Set([text]);
  const layers: Layer[] = [{ text, from: (index) => index, to: (index) => index + 1 }];
  let latest = [...layers];
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const next = latest.flatMap((layer) =>
      [
        replaced(layer, percents, decodePercent),
        replaced(layer, backslashes, decodeBackslash),
        replaced(layer, entities, decodeEntity),
        replaced(layer, breaks, () => []),
        replaced(layer, base64, decodeBase64),
      ].filter((found) => !known.has(found.text) && known.add(found.text)),
    );
    layers.push(...next);
    if (layers.length > MAX_LAYERS) return undefined;
    latest = next;
  }
  return layers;
}

/** A part of a decoded run. */
interface Piece {
  readonly text: string;
  /** Characters of the run that it stands for. */
  readonly start: number;
  readonly end: number;
}

function replaced(layer: Layer, pattern: RegExp, decode: (run: string) => readonly Piece[]): Layer {
  const { text } = layer;
  const from: number[] = [];
  const to: number[] = [];
  let result = '';
  let done = 0;
  const copy = (end: number) => {
    for (let at = done; at < end; at++) {
      from.push(layer.from(at));
      to.push(layer.to(at));
    }
    result += text.slice(done, end);
  };
  for (const { 0: run, index } of text.matchAll(pattern)) {
    copy(index);
    done = index + run.length;
    for (const piece of decode(run)) {
      result += piece.text;
      for (let unit = 0; unit < piece.text.length; unit++) {
        from.push(layer.from(index + piece.start));
        to.push(layer.to(index + piece.end - 1));
      }
    }
  }
  if (done === 0) return layer;
  copy(text.length);
  return { text: result, from: (index) => from[index] ?? 0, to: (index) => to[index] ?? text.length };
}

const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const whole = (run: string, text: string): readonly Piece[] => [{ text, start: 0, end: run.length }];

function decodeBackslash(run: string): readonly Piece[] {
  const kind = run.charAt(1);
  return whole(
    run,
    run.length > 2 ? String.fromCharCode(Number.parseInt(run.slice(2), 16)) : (CONTROLS[kind] ?? kind),
  );
}

function decodeEntity(run: string): readonly Piece[] {
  const name = run.slice(1, -1);
  const code = /^#[xX]/.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return whole(run, ENTITIES[name] ?? (code <= 0x10ffff ? String.fromCodePoint(code) : ''));
}

/** Each character of UTF-8; a byte that is none stands for itself. */
function decodePercent(run: string): readonly Piece[] {
  const bytes = Buffer.from(run.replaceAll('%', ''), 'hex');
  const pieces: Piece[] = [];
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] ?? 0;
    const length = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    const text = bytes.toString('utf8', at, at + length);
    const isCharacter = !text.includes('\ufffd');
    const end = at + (isCharacter ? length : 1);
    pieces.push({
      text: isCharacter ? text : bytes.toString('latin1', at, end),
      start: 3 * at,
      end: Math.min(3 * end, run.length),
    });
    at = end;
  }
  return pieces;
}

/** A value in it makes all of the run confidential. */
const decodeBase64 = (run: string): readonly Piece[] =>
  whole(run, Buffer.from(run, 'base64').toString('utf8'));

// Escapes untrusted texts that people read: names, IDs, messages, values of fields.

/**
 * Control characters (C0, DEL, C1), line and paragraph separators, invisible marks and marks that change the direction
 * of text (Unicode TR 36), tags, private use, and lone surrogates.
 */
const unsafe =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not be printed
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}\p{Cs}]/gu;

const names: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\u001b': '\\e' };

/** Replaces control characters and invisible characters with escape sequences: `\e[31m`. */
export function visible(text: string): string {
  return text.replace(unsafe, (character) => names[character] ?? escaped(character));
}

/** Replaces such characters in JSON with JSON's escape sequences. The value stays the same. */
export function visibleJson(json: string): string {
  // Line breaks occur only between tokens; in strings JSON escapes them.
  return json.replace(unsafe, (character) => (character === '\n' ? character : escaped(character)));
}

/** Like `visible`, but keeps line breaks. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}

/**
 * A message for a condition or an event, which may quote a text of a remote system: redacted, cut in the middle, and escaped as by
 * `visibleLines`, since clients print it to terminals.
 *
 * @param limit in characters
 */
export function visibleMessage(text: string, limit: number): string {
  // A longer text would lose its end.
  const redacted = redact(cutMiddle(text, maxTextLength));
  return cutMiddle(visibleLines(cutMiddle(redacted, limit)), limit);
}

/** `\u009b`; a surrogate pair for a character above U+FFFF, as in JSON. */
function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
