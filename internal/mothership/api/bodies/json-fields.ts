import { type TextBound, textProblem } from '../../../reconciliation/document-bounds.ts';
import { badRequest } from '../request/api-error.ts';

/**
 * The fields of a JSON object of a client, read as Go reads them: unknown fields are ignored; a field that is absent or null
 * has the zero value of its type; one of another type is refused, by its path.
 */
export interface JsonFields {
  /** Empty by default. @param bound of a text that is not empty; default none. @throws ApiError 400 */
  text(name: string, bound?: TextBound): string;
  /** @throws ApiError 400 also if it is empty */
  requiredText(name: string, bound?: TextBound): string;
  /** 0 by default. @throws ApiError 400 if it is no whole number, or negative */
  count(name: string): number;
  /** False by default. @throws ApiError 400 */
  boolean(name: string): boolean;
  /** Without fields by default. @throws ApiError 400 */
  object(name: string): JsonFields;
  /** Empty by default. @throws ApiError 400 */
  texts(name: string, bounds: ListBound & { readonly each: TextBound }): string[];
  /** Empty by default. @throws ApiError 400 */
  objects<T>(name: string, bounds: ListBound, read: (fields: JsonFields) => T): T[];
  /** Any JSON. @throws ApiError 400 if it has a text that cannot be stored */
  json(name: string): unknown;
  has(name: string): boolean;
  fail(name: string, problem: string): never;
}

export interface ListBound {
  /** Most entries. */
  readonly max: number;
}

/** @param path of the object in the body; empty for the body itself */
export function jsonFields(value: unknown, path = ''): JsonFields {
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  const fail = (name: string, problem: string): never => {
    throw badRequest(`${at(name)}: ${problem}`);
  };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest(`${path === '' ? 'the body' : path}: want an object`);
  }
  const get = (name: string): unknown =>
    (Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined) ?? undefined;
  const list = (name: string, { max }: ListBound): unknown[] => {
    const found = get(name) ?? [];
    if (!Array.isArray(found)) return fail(name, 'want a list');
    return found.length > max ? fail(name, `want at most ${max} entries`) : found;
  };
  const text = (name: string, bound?: TextBound): string => {
    const found = get(name) ?? '';
    return typeof found === 'string' ? bounded(found, at(name), bound) : fail(name, 'want a text');
  };
  return {
    text,
    fail,
    requiredText: (name, bound) => text(name, bound) || fail(name, 'it is missing or empty'),
    count: (name) => {
      const found = get(name) ?? 0;
      return Number.isSafeInteger(found) && Number(found) >= 0
        ? Number(found)
        : fail(name, 'want a whole number that is not negative');
    },
    boolean: (name) => {
      const found = get(name) ?? false;
      return typeof found === 'boolean' ? found : fail(name, 'want true or false');
    },
    object: (name) => jsonFields(get(name) ?? {}, at(name)),
    texts: (name, { each, ...bound }) =>
      list(name, bound).map((item, index) =>
        typeof item === 'string'
          ? bounded(item, `${at(name)}[${index}]`, each)
          : fail(`${name}[${index}]`, 'want a text'),
      ),
    objects: (name, bound, read) =>
      list(name, bound).map((item, index) => read(jsonFields(item, `${at(name)}[${index}]`))),
    json: (name) => {
      const found = get(name);
      if (JSON.stringify(found)?.includes('\\u0000')) fail(name, 'it has a NUL character');
      return found ?? null;
    },
    has: (name) => get(name) !== undefined,
  };
}

function bounded(text: string, path: string, bound: TextBound | undefined): string {
  const stored = storable(text, path);
  const problem = bound === undefined || text === '' ? undefined : textProblem(text, bound);
  if (problem !== undefined) throw badRequest(`${path}: ${problem}`);
  return stored;
}

/** Postgres stores no NUL in a text, and no half of a surrogate pair in JSON. */
function storable(text: string, path: string): string {
  if (text.includes('\0')) throw badRequest(`${path}: it has a NUL character`);
  if (!text.isWellFormed()) throw badRequest(`${path}: it is no well-formed Unicode`);
  return text;
}
