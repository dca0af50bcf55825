/**
 * What a registration may hold, for each way to send it: clients of the REST API, a KymaCluster, and the task that a component
 * reconciler gets. `apis/reconciler/external.openapi.yaml` and the CRD say the same numbers, which a test compares.
 * Then what reads a document by these bounds, field by field.
 */
import { isObject, ownMember } from '../../../framework/base/index.ts';

/** A text in a document. Control characters are in none of them. */
export interface TextBound {
  /** In characters (UTF-16 code units). */
  readonly maxLength: number;
  /** Beside the length; default: any text. */
  readonly pattern?: RegExp;
  /** What the pattern means, for messages. */
  readonly wanted?: string;
}

/** Names are parts of paths, of file names and of names on the cluster. */
const NAME = /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/;

export const bounds = {
  /** It is part of other ids, which the tables of the Go program hold in 255 characters. */
  runtimeID: {
    maxLength: 200,
    pattern: /^(\.{0,2}[^.]|\.{3})/,
    wanted: 'another id than . and .., which would be another path',
  },
  name: { maxLength: 256 },
  description: { maxLength: 4096 },
  metadata: { maxLength: 256 },
  version: { maxLength: 256 },
  profile: { maxLength: 256 },
  administrator: { maxLength: 256 },
  component: { maxLength: 253, pattern: NAME, wanted: 'a name of letters, digits, -, _ and .' },
  namespace: {
    maxLength: 63,
    pattern: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
    wanted: 'the name of a namespace',
  },
  url: { maxLength: 2048 },
  key: { maxLength: 1024 },
  /** Of two ids of a run, each of which may have a runtimeID in it. */
  correlationID: { maxLength: 1024 },
} as const satisfies Record<string, TextBound>;

/** Most entries of a list. */
export const counts = { components: 256, administrators: 1000, configuration: 1000 } as const;

/** Segments of a key of a configuration: the levels of the value that it makes. */
const MAX_KEY_LEVELS = 64;

/** Why a text is not within its bound, as `want …`; undefined: it is. */
export function textProblem(text: string, { maxLength, pattern, wanted }: TextBound): string | undefined {
  if (text.length > maxLength) return `want at most ${maxLength} characters`;
  if (/\p{Cc}/u.test(text)) return 'want no control characters';
  return pattern === undefined || pattern.test(text) ? undefined : `want ${wanted}`;
}

/** Why a text is no key of a configuration, as `want …`; undefined: it is one. */
export function keyProblem(key: string): string | undefined {
  const problem = textProblem(key, bounds.key);
  if (problem !== undefined) return problem;
  // Counted without a list of the segments.
  const levels = key.split('.', MAX_KEY_LEVELS + 1).length;
  return levels > MAX_KEY_LEVELS ? `want at most ${MAX_KEY_LEVELS} segments` : undefined;
}

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

interface ListBound {
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
