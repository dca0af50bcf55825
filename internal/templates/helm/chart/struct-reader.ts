import { formatFloat32, GoInteger, GoMap, GoSlice, type Value } from '../../gotemplate/index.ts';
import { HelmError } from '../render-request.ts';

/**
 * Reads fields as encoding/json fills a struct: names count in any case, nil leaves the zero value, and numbers and
 * booleans become texts where one is wanted.
 */
export class StructReader {
  readonly #fields = new Map<string, Value>();
  readonly #where: string;

  /** @param where for errors: `Metadata` */
  constructor(value: Value, where: string) {
    this.#where = where;
    if (value === null) return;
    if (!(value instanceof GoMap)) throw mismatch(value, where);
    // An exact name wins over one in another case, wherever it stands.
    for (const [key, item] of value.entries) this.#fields.set(key.toLowerCase(), item);
    for (const [key, item] of value.entries) if (key === key.toLowerCase()) this.#fields.set(key, item);
  }

  get(name: string): Value {
    return this.#fields.get(name.toLowerCase()) ?? null;
  }

  text(name: string): string {
    return textOf(this.get(name), `${this.#where}.${name}`);
  }

  boolean(name: string): boolean {
    const value = this.get(name);
    if (value === null) return false;
    if (typeof value !== 'boolean') throw mismatch(value, `${this.#where}.${name} of type bool`);
    return value;
  }

  list(name: string): readonly Value[] {
    const value = this.get(name);
    if (value === null) return [];
    if (!(value instanceof GoSlice)) throw mismatch(value, `${this.#where}.${name}`);
    return value.items;
  }

  texts(name: string): string[] {
    return this.list(name).map((item) => textOf(item, `${this.#where}.${name}`));
  }

  textMap(name: string): ReadonlyMap<string, string> | undefined {
    const value = this.get(name);
    if (value === null) return undefined;
    if (!(value instanceof GoMap)) throw mismatch(value, `${this.#where}.${name}`);
    return new Map([...value.entries].map(([key, item]) => [key, textOf(item, `${this.#where}.${name}`)]));
  }
}

function textOf(value: Value, where: string): string {
  if (value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (value instanceof GoInteger) return value.value.toString();
  if (typeof value === 'number') return formatFloat32(value);
  throw mismatch(value, `${where} of type string`);
}

function mismatch(value: Value, where: string): HelmError {
  const kind =
    value instanceof GoMap
      ? 'object'
      : value instanceof GoSlice
        ? 'array'
        : typeof value === 'boolean'
          ? 'bool'
          : typeof value;
  return new HelmError(
    `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${kind === 'object' && value instanceof GoInteger ? 'number' : kind} into Go struct field ${where}`,
  );
}
