import { parseRawNumbers } from './raw-number.ts';

/** Limits of a JSON text, checked before it is parsed. */
export interface JsonLimits {
  /** Characters. */
  readonly maxLength: number;
  /** Nested objects and arrays; default 32. */
  readonly maxDepth?: number;
  /**
   * Objects, arrays, fields and elements together. Each takes ten bytes of memory or more, so that a small text
   * (`[[],[],…`) can become a large value. Default 20,000.
   */
  readonly maxValues?: number;
  /** Integers beyond 2^53 are parsed as `rawNumber`. Default false: they are rounded. */
  readonly rawNumbers?: boolean;
}

/** The text exceeds a limit. The message completes `is a JSON text …` and quotes nothing. */
export class JsonLimitError extends Error {}

/**
 * JSON.parse for untrusted texts.
 *
 * @throws JsonLimitError before anything is parsed; SyntaxError, whose message may quote the text
 */
export function parseBoundedJson(text: string, limits: JsonLimits): unknown {
  assertWithin(text, limits);
  return limits.rawNumbers ? parseRawNumbers(text) : JSON.parse(text);
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Counts in one loop over the characters outside of strings. Invalid JSON is left to the parser. */
function assertWithin(text: string, { maxLength, maxDepth = 32, maxValues = 20_000 }: JsonLimits): void {
  if (text.length > maxLength) throw new JsonLimitError(`of more than ${maxLength} characters`);
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        values++;
        if (++depth > maxDepth) throw new JsonLimitError(`that is nested deeper than ${maxDepth} levels`);
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth--;
        break;
      case COMMA:
      case COLON:
        values++;
        break;
    }
    if (values > maxValues) throw new JsonLimitError(`of more than ${maxValues} values`);
  }
}

/** The index of the quote that ends the string from `start`, or the end of the text. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}
