import { isObject, ownMember } from '../../../framework/base/index.ts';

import { type TextBound, textProblem } from './document-bounds.ts';

/**
 * The fields of a JSON object that another program sent, read as Go reads them: unknown fields are ignored; a field that is absent
 * or null has the zero value of its type; one of another type is refused, by its path.
 */
export interface JsonFields {
  readonly value: Readonly<Record<string, unknown>>;
  /** Empty by default. @param bound of a text that is not empty; default none */
  text(name: string, bound?: TextBound): string;
  /** Refused also if it is empty. */
  requiredText(name: string, bound?: TextBound): string;
  /** 0 by default. Refused if it is no whole number, or negative. @param max default: none */
  count(name: string, max?: number): number;
  /** False by default. */
  boolean(name: string): boolean;
  /** Without fields by default. */
  object(name: string): JsonFields;
  /** Empty by default. */
  texts(name: string, bounds?: Partial<ListBound> & { readonly each?: TextBound }): string[];
  /** Empty by default. */
  objects<T>(name: string, bounds: ListBound, read: (fields: JsonFields) => T): T[];
  /** Any JSON; null by default. */
  json(name: string): unknown;
  has(name: string): boolean;
  fail(name: string, problem: string): never;
}

export interface ListBound {
  /** Most entries. */
  readonly max: number;
}

export interface JsonFieldRules {
  /** The error for a problem, which begins with the path of the field. */
  refuse(problem: string): Error;
  /** Whether texts are refused that Postgres cannot store: with a NUL, or half of a surrogate pair. */
  readonly areStored: boolean;
}

/** @param path of the object in the body; empty for the body itself */
export function jsonFields(value: unknown, rules: JsonFieldRules, path = ''): JsonFields {
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  const fail = (name: string, problem: string): never => {
    throw rules.refuse(`${at(name)}: ${problem}`);
  };
  if (!isObject(value)) throw rules.refuse(`${path === '' ? 'the body' : path}: want an object`);
  const get = (name: string): unknown => ownMember(value, name) ?? undefined;
  const bounded = (found: string, name: string, bound: TextBound | undefined): string => {
    const problem =
      (rules.areStored ? storageProblem(found) : undefined) ??
      (bound === undefined || found === '' ? undefined : textProblem(found, bound));
    return problem === undefined ? found : fail(name, problem);
  };
  const list = (name: string, { max = Number.POSITIVE_INFINITY }: Partial<ListBound>): unknown[] => {
    const found = get(name) ?? [];
    if (!Array.isArray(found)) return fail(name, 'want a list');
    return found.length > max ? fail(name, `want at most ${max} entries`) : found;
  };
  const text = (name: string, bound?: TextBound): string => {
    const found = get(name) ?? '';
    return typeof found === 'string' ? bounded(found, name, bound) : fail(name, 'want a text');
  };
  return {
    value,
    text,
    fail,
    requiredText: (name, bound) => text(name, bound) || fail(name, 'it is missing or empty'),
    count: (name, max = Number.MAX_SAFE_INTEGER) => {
      const found = get(name) ?? 0;
      if (Number.isSafeInteger(found) && Number(found) >= 0 && Number(found) <= max) return Number(found);
      return fail(
        name,
        max === Number.MAX_SAFE_INTEGER
          ? 'want a whole number that is not negative'
          : `want a whole number, 0 to ${max}`,
      );
    },
    boolean: (name) => {
      const found = get(name) ?? false;
      return typeof found === 'boolean' ? found : fail(name, 'want true or false');
    },
    object: (name) => jsonFields(get(name) ?? {}, rules, at(name)),
    texts: (name, { each, ...bound } = {}) =>
      list(name, bound).map((item, index) => {
        const place = `${name}[${index}]`;
        return typeof item === 'string' ? bounded(item, place, each) : fail(place, 'want a text');
      }),
    objects: (name, bound, read) =>
      list(name, bound).map((item, index) => read(jsonFields(item, rules, `${at(name)}[${index}]`))),
    json: (name) => {
      const found = get(name);
      if (rules.areStored) for (const text of textsIn(found)) bounded(text, name, undefined);
      return found ?? null;
    },
    has: (name) => get(name) !== undefined,
  };
}

/** All keys and values that are texts; JSON of bodies is not nested deeply. */
function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    yield key;
    yield* textsIn(member);
  }
}

/** Postgres stores no NUL in a text, and no half of a surrogate pair in JSON. */
function storageProblem(text: string): string | undefined {
  if (text.includes('\0')) return 'it has a NUL character';
  return text.isWellFormed() ? undefined : 'it is no well-formed Unicode';
}
