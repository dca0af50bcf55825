/**
 * What a text says in other notations: servers quote what they were sent as JSON, in URLs and in pages, proxies quote such texts again,
 * and tools break long lines. A value that is searched for in all layers is found in any mixture of these.
 */

/** A text, and which part of the first one each of its code units stands for. */
export interface Layer {
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
export function layersOf(text: string): Layer[] | undefined {
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
