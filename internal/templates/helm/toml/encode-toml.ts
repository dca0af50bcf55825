import {
  type Budget,
  ELEMENT_BYTES,
  formatFloat,
  GoInteger,
  GoMap,
  GoObject,
  GoSlice,
  print,
  SHORTEST,
  sortedKeys,
  toJsonValue,
  type Value,
} from '../../gotemplate/index.ts';

/** A value has no form in TOML, or a text is no TOML. */
export class TomlError extends Error {}

/** A document: values first, then tables. @param value not nil @throws TomlError */
export function encodeToml(value: Value, budget: Budget): string {
  const encoder = new Encoder(budget);
  encoder.encode([], value);
  return encoder.text;
}

const INDENT = '  ';

const isNil = (value: Value): boolean =>
  value === null || ((value instanceof GoMap || value instanceof GoSlice) && value.isNil);

const isTable = (value: Value): boolean => value instanceof GoMap && !value.isNil;

/** A list of nothing but tables. */
function isTableList(value: Value): value is GoSlice {
  if (!(value instanceof GoSlice) || value.items.length === 0) return false;
  if (value.items.some(isNil)) throw new TomlError('toml: cannot encode array with nil element');
  return value.items.every(isTable);
}

class Encoder {
  readonly #budget: Budget;
  text = '';

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  encode(path: readonly string[], value: Value): void {
    this.#budget.step();
    this.#budget.checkDepth(path.length);
    if (value instanceof GoMap) {
      if (!value.isNil) this.#table(path, value);
    } else if (isTableList(value)) this.#tableList(path, value);
    else if (value === null) return;
    else if (path.length === 0) {
      this.#write(this.#element(value, 0));
    } else {
      this.#write(`${indentOf(path)}${quoteKey(path.at(-1) ?? '')} = ${this.#element(value, 0)}`);
      this.#newLine();
    }
  }

  #write(text: string): void {
    this.#budget.charge(text.length);
    this.text += text;
  }

  #newLine(): void {
    if (this.text !== '') this.#write('\n');
  }

  #table(path: readonly string[], map: GoMap): void {
    if (path.length === 1) this.#newLine();
    if (path.length > 0) {
      this.#write(`${indentOf(path)}[${path.map(quoteKey).join('.')}]`);
      this.#newLine();
    }
    this.#entries(path, map);
  }

  #tableList(path: readonly string[], { items }: GoSlice): void {
    if (path.length === 0) throw new TomlError('toml: top-level values must be Go maps or structs');
    for (const item of items) {
      if (!(item instanceof GoMap)) continue;
      this.#newLine();
      this.#write(`${indentOf(path)}[[${path.map(quoteKey).join('.')}]]`);
      this.#newLine();
      this.#entries(path, item);
    }
  }

  #entries(path: readonly string[], map: GoMap): void {
    for (const key of directFirst(map)) {
      const value = map.entries.get(key) ?? null;
      if (!isNil(value)) this.encode([...path, key], value);
    }
  }

  #element(value: Value, depth: number): string {
    this.#budget.step();
    this.#budget.charge(ELEMENT_BYTES);
    this.#budget.checkDepth(depth);
    if (typeof value === 'string') return quoteText(value);
    if (typeof value === 'boolean') return String(value);
    if (typeof value === 'number') return floatText(value);
    if (value instanceof GoInteger) {
      return value.type.name === 'time.Duration'
        ? quoteText(print([value], this.#budget))
        : value.value.toString();
    }
    if (value instanceof GoSlice) {
      return `[${value.items.map((item) => this.#element(item, depth + 1)).join(', ')}]`;
    }
    if (value instanceof GoMap) return this.#inlineTable(value, depth);
    const time = value instanceof GoObject ? toJsonValue(value, this.#budget) : null;
    if (typeof time === 'string') return time;
    throw new TomlError(`unexpected type: ${value === null ? '<nil>' : value.typeName}`);
  }

  #inlineTable(map: GoMap, depth: number): string {
    const direct = directFirst(map);
    // As the library has it: a comma follows each but the last key, also where the last one is nil.
    const parts = direct.map((key, i) => {
      const value = map.entries.get(key) ?? null;
      if (isNil(value)) return '';
      const separator = i < direct.length - 1 ? ', ' : '';
      return `${quoteKey(key)} = ${this.#element(value, depth + 1)}${separator}`;
    });
    return `{${parts.join('')}}`;
  }
}

/** The keys in order, those of tables last. */
function directFirst(map: GoMap): string[] {
  const isSub = (key: string): boolean => {
    const value = map.entries.get(key) ?? null;
    return isTable(value) || isTableList(value);
  };
  const keys = sortedKeys(map);
  return [...keys.filter((key) => !isSub(key)), ...keys.filter(isSub)];
}

const indentOf = (path: readonly string[]): string => INDENT.repeat(path.length - 1);

function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const text = formatFloat(value, 'g', SHORTEST);
  return /[e.]/.test(text) ? text : `${text}.0`;
}

const quoteKey = (key: string): string => (/^[A-Za-z0-9_-]+$/.test(key) ? key : quoteText(key));

const ESCAPES: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\f': '\\f',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
};

const quoteText = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: TOML escapes them
  `"${text.replace(/[\0-\x1f"\\\x7f]/g, (char) => ESCAPES[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`;
