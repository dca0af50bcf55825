/** The syntax of `helm --set`: `a.b=1,list[0].c=x,d={1,2}`, with `\` before a character that is no syntax. */
import { HelmError } from '../render-request.ts';

type Table = Map<string, SetValue>;
type SetValue = null | boolean | bigint | string | SetValue[] | Table;

export interface SetOptions {
  /** All values are texts, as of `--set-string`. Default false. */
  readonly asText?: boolean;
}

/**
 * The values of `--set` texts; a later one wins. Integers are bigints, which templates see as int64, and null removes a
 * value of the chart.
 *
 * @throws HelmError with the text that is wrong
 */
export function parseSetValues(texts: readonly string[], options: SetOptions = {}): Record<string, unknown> {
  const table: Table = new Map();
  for (const text of texts) {
    try {
      new SetParser(text, options.asText ?? false).parse(table);
    } catch (error) {
      if (error instanceof SetError) throw new HelmError(`failed parsing --set data: ${error.message}`);
      throw error;
    }
  }
  return toRecord(table);
}

const toRecord = (table: Table): Record<string, unknown> =>
  Object.fromEntries([...table].map(([key, value]) => [key, toJson(value)]));

function toJson(value: SetValue): unknown {
  if (value instanceof Map) return toRecord(value);
  return Array.isArray(value) ? value.map(toJson) : value;
}

class SetError extends Error {}

const MAX_INDEX = 65_536;
const MAX_NESTING = 30;

class SetParser {
  readonly #chars: readonly string[];
  readonly #asText: boolean;
  #at = 0;

  constructor(text: string, asText: boolean) {
    this.#chars = Array.from(text);
    this.#asText = asText;
  }

  parse(table: Table): void {
    while (this.#key(table, 0));
  }

  /** Up to one of the characters, which is taken; `stop` is undefined at the end. */
  #until(stops: string): { readonly text: string; readonly stop: string | undefined } {
    let text = '';
    while (this.#at < this.#chars.length) {
      const char = this.#chars[this.#at++] ?? '';
      if (stops.includes(char)) return { text, stop: char };
      if (char === '\\') {
        const next = this.#chars[this.#at++];
        if (next === undefined) return { text, stop: undefined };
        text += next;
      } else text += char;
    }
    return { text, stop: undefined };
  }

  /** @returns whether more may follow */
  #key(table: Table, nesting: number): boolean {
    const { text, stop } = this.#until('=[,.');
    switch (stop) {
      case undefined:
        if (text !== '') throw new SetError(`key ${JSON.stringify(text)} has no value`);
        return false;
      case '[': {
        const index = this.#index();
        const existing = table.get(text);
        if (existing !== undefined && !Array.isArray(existing)) throw new SetError(notA('list', text));
        const { list, hasMore } = this.#item(existing ?? [], index, nesting);
        set(table, text, list);
        return hasMore;
      }
      case '=': {
        const { value, hasMore } = this.#value();
        set(table, text, value);
        return hasMore;
      }
      case ',':
        set(table, text, '');
        throw new SetError(`key ${JSON.stringify(text)} has no value (cannot end with ,)`);
      default:
        return this.#nested(table, text, nesting + 1);
    }
  }

  #nested(table: Table, name: string, nesting: number): boolean {
    if (nesting > MAX_NESTING) {
      throw new SetError(
        `value name nested level is greater than maximum supported nested level of ${MAX_NESTING}`,
      );
    }
    const existing = table.get(name);
    if (existing !== undefined && !(existing instanceof Map)) throw new SetError(notA('map', name));
    const inner: Table = existing ?? new Map();
    const hasMore = this.#key(inner, nesting);
    if (hasMore && inner.size === 0) throw new SetError(`key map ${JSON.stringify(name)} has no value`);
    if (inner.size > 0) set(table, name, inner);
    return hasMore;
  }

  #index(): number {
    const { text, stop } = this.#until(']');
    if (stop === undefined) throw new SetError('error parsing index: EOF');
    if (!/^[-+]?\d+$/.test(text)) {
      throw new SetError(
        `error parsing index: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`,
      );
    }
    return Number(text);
  }

  /** The item of a list, behind its index. */
  #item(
    list: SetValue[],
    index: number,
    nesting: number,
  ): { readonly list: SetValue[]; readonly hasMore: boolean } {
    checkIndex(index);
    const { text, stop } = this.#until('[.=');
    if (text !== '') throw new SetError(`unexpected data at end of array index: ${JSON.stringify(text)}`);
    if (stop === undefined) return { list, hasMore: false };
    const existing = list[index] ?? null;
    if (stop === '=') {
      const { value, hasMore } = this.#value();
      return { list: withItem(list, index, value), hasMore };
    }
    if (stop === '[') {
      if (existing !== null && !Array.isArray(existing)) throw new SetError(notA('list', `[${index}]`));
      const inner = this.#item(existing ?? [], this.#index(), nesting);
      return { list: withItem(list, index, inner.list), hasMore: inner.hasMore };
    }
    const table: Table = existing instanceof Map ? existing : new Map();
    const hasMore = this.#key(table, nesting);
    return { list: withItem(list, index, table), hasMore };
  }

  #value(): { readonly value: SetValue; readonly hasMore: boolean } {
    if (this.#at >= this.#chars.length) return { value: '', hasMore: false };
    if (this.#chars[this.#at] === '{') {
      this.#at++;
      return { value: this.#list(), hasMore: true };
    }
    const { text, stop } = this.#until(',');
    return { value: this.#typed(text), hasMore: stop !== undefined };
  }

  #list(): SetValue[] {
    const list: SetValue[] = [];
    for (;;) {
      const { text, stop } = this.#until(',}');
      if (stop === undefined) throw new SetError("list must terminate with '}'");
      list.push(this.#typed(text));
      if (stop === '}') {
        if (this.#chars[this.#at] === ',') this.#at++;
        return list;
      }
    }
  }

  #typed(text: string): SetValue {
    if (this.#asText) return text;
    const lower = text.toLowerCase();
    if (lower === 'true' || lower === 'false') return lower === 'true';
    if (lower === 'null') return null;
    if (text === '0') return 0n;
    if (!/^[-+]?\d+$/.test(text) || text.startsWith('0')) return text;
    const value = BigInt(text.replace('+', ''));
    return BigInt.asIntN(64, value) === value ? value : text;
  }
}

const notA = (kind: string, name: string): string =>
  `unable to parse key: the value of ${JSON.stringify(name)} is no ${kind}`;

/** An empty key sets nothing. */
function set(table: Table, key: string, value: SetValue): void {
  if (key !== '') table.set(key, value);
}

function checkIndex(index: number): void {
  if (index < 0) throw new SetError(`negative ${index} index not allowed`);
  if (index > MAX_INDEX) {
    throw new SetError(`index of ${index} is greater than maximum supported index of ${MAX_INDEX}`);
  }
}

/** Items before it that are not set are null. */
function withItem(list: readonly SetValue[], index: number, value: SetValue): SetValue[] {
  const length = Math.max(list.length, index + 1);
  return Array.from({ length }, (_, i) => (i === index ? value : (list[i] ?? null)));
}
