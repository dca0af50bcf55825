/** Writes values as `sigs.k8s.io/yaml` marshals them: by way of JSON. */
import {
  type Budget,
  ELEMENT_BYTES,
  formatFloat,
  GoInteger,
  GoMap,
  GoSlice,
  SHORTEST,
  toJsonValue,
  type Value,
} from '../../gotemplate/index.ts';
import { findForbidden } from './characters.ts';
import { canBePlain } from './resolve.ts';
import { analyzeScalar } from './scalar-style.ts';
import { writeDoubleQuoted, writeLiteral, writePlain, writeSingleQuoted } from './scalar-writer.ts';
import { sortYamlKeys } from './sort-keys.ts';
import { YamlError } from './yaml-error.ts';
import { YamlWriter } from './yaml-writer.ts';

/** A document that ends in a line break. @throws YamlError for values that cannot be written */
export function encodeYaml(value: Value, budget: Budget): string {
  const encoder = new Encoder(budget);
  encoder.root(toJsonValue(value, budget));
  return encoder.text;
}

const INDENT = 2;
/** A key of more bytes is written behind a `?`. */
const MAX_SIMPLE_KEY = 128;
/** Characters of a key that the library can read again. */
const MAX_KEY = 1024;

class Encoder {
  readonly #budget: Budget;
  readonly #out = new YamlWriter();

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  get text(): string {
    return this.#out.text;
  }

  root(value: Value): void {
    this.#node(value, 'root', 0);
    this.#out.indent = -1;
    this.#out.writeIndent();
  }

  #node(value: Value, place: 'root' | 'item' | 'value', depth: number): void {
    this.#budget.step();
    this.#budget.charge(ELEMENT_BYTES);
    this.#budget.checkDepth(depth);
    if (value instanceof GoMap && !value.isNil) this.#mapping(value, depth);
    else if (value instanceof GoSlice && !value.isNil) this.#sequence(value, place, depth);
    else this.#scalar(value, false);
  }

  #mapping(map: GoMap, depth: number): void {
    if (map.entries.size === 0) {
      this.#empty('{', '}');
      return;
    }
    this.#budget.step(map.entries.size);
    const outer = this.#out.indent;
    this.#out.indent = outer < 0 ? 0 : outer + INDENT;
    for (const key of sortYamlKeys([...map.entries.keys()])) {
      this.#out.writeIndent();
      this.#key(key);
      this.#node(map.entries.get(key) ?? null, 'value', depth + 1);
    }
    this.#out.indent = outer;
  }

  #key(key: string): void {
    if (key.length > MAX_KEY) throw new YamlError("did not find expected ',' or '}'");
    if (Buffer.byteLength(key) <= MAX_SIMPLE_KEY && !analyzeScalar(key).isMultiline) {
      this.#scalar(key, true);
      this.#out.indicator(':');
      return;
    }
    this.#out.indicator('?', { separate: true, keepsIndent: true });
    this.#scalar(key, false);
    this.#out.writeIndent();
    this.#out.indicator(':', { separate: true, keepsIndent: true });
  }

  #sequence({ items }: GoSlice, place: 'root' | 'item' | 'value', depth: number): void {
    if (items.length === 0) {
      this.#empty('[', ']');
      return;
    }
    const outer = this.#out.indent;
    if (outer < 0) this.#out.indent = 0;
    else if (!(place === 'value' && !this.#out.isIndented)) this.#out.indent = outer + INDENT;
    for (const item of items) {
      this.#out.writeIndent();
      this.#out.indicator('-', { separate: true, keepsIndent: true });
      this.#node(item, 'item', depth + 1);
    }
    this.#out.indent = outer;
  }

  #empty(open: string, close: string): void {
    this.#out.indicator(open, { separate: true, isSpace: true });
    this.#out.indicator(close);
  }

  #scalar(value: Value, isKey: boolean): void {
    const outer = this.#out.indent;
    this.#out.indent = outer < 0 ? INDENT : outer + INDENT;
    if (typeof value === 'string') this.#text(value, isKey);
    else writePlain(this.#out, plainText(value), !isKey);
    this.#out.indent = outer;
  }

  #text(written: string, isKey: boolean): void {
    const text = readBack(written);
    this.#budget.charge(text.length * 2);
    this.#budget.step(Math.ceil(text.length / 64));
    const analysis = analyzeScalar(text);
    const out = this.#out;
    const hasBreak = text.includes('\n');
    if (hasBreak && !isKey && analysis.isBlockAllowed) writeLiteral(out, text);
    else if (hasBreak || (isKey && analysis.isMultiline) || !canBePlain(text)) {
      writeDoubleQuoted(out, text, !isKey);
    } else if (analysis.isPlainAllowed && !(text === '' && isKey)) writePlain(out, text, !isKey);
    else if (analysis.isSingleQuotedAllowed) writeSingleQuoted(out, text, !isKey);
    else writeDoubleQuoted(out, text, !isKey);
  }
}

/** A text as YAML reads it in JSON, where control characters below 0x20 are escaped, and others are not. */
function readBack(text: string): string {
  if (!UNSAFE.test(text)) return text;
  const forbidden = findForbidden(text.replace(ESCAPED, ''));
  if (forbidden !== undefined) throw new YamlError(forbidden);
  return text.replace(/ *\u0085[ \u0085]*/g, (breaks) => {
    const count = breaks.replaceAll(' ', '').length;
    return count === 1 ? ' ' : '\n'.repeat(count - 1);
  });
}

const UNSAFE = /[\x7f-\x9f\ufffe\uffff]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them
const ESCAPED = /[\0-\x1f]/g;

/** Numbers went through JSON, in which a whole number has no point. */
function plainText(value: Value): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (value instanceof GoInteger) return value.value.toString();
  if (typeof value !== 'number') return 'null';
  if (Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 64) return BigInt(value).toString();
  return formatFloat(value, 'g', SHORTEST);
}
