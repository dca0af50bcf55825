/**
 * Shapes of YAML values: each reads a value and reports all its mistakes, and has its JSON schema. Reading goes on after a mistake; the
 * value is then `undefined`.
 */
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type YAMLError } from 'yaml';
import { similar } from '../../../internal/framework/base/text/nearest.ts';
import type { Json, Position } from '../../codegen/source/source.ts';
import type { Problem } from './provider-file.ts';

/** A value with its place. */
export interface Place {
  readonly node: unknown;
  /** Where the value stands, or its key. */
  readonly at: Position;
  readonly context: Context;
  /** Dotted, for later mistakes at this place. */
  readonly path: string;
}

interface Context {
  readonly lines: LineCounter;
  readonly problems: PlacedProblem[];
  readonly places: Map<string, Position>;
  /** What an alias (`*name`) stands for; other nodes as they are. */
  resolve(node: unknown): unknown;
}

interface PlacedProblem extends Problem {
  readonly path: string;
  /** All known keys have their values. */
  readonly isHarmless: boolean;
}

type JsonSchema = { readonly [key: string]: Json };

export interface Shape<T> {
  readonly schema: JsonSchema;
  /** `undefined` after a mistake, which is reported. */
  read(place: Place): T | undefined;
}

export interface ReadYaml<T> {
  /** Undefined if there is any mistake. */
  readonly value: T | undefined;
  readonly problems: readonly Problem[];
  /** What could be read, also with mistakes; undefined if it is no YAML. */
  readonly partial: T | undefined;
  /** Whether the value with this dotted path, or one within it, is missing from `partial` after a mistake. */
  isBroken(path: string): boolean;
  /** Where the value with this dotted path stands, or else the nearest one around it. */
  at(path: string): Position;
}

export function readYaml<T>(text: string, shape: Shape<T>): ReadYaml<T> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  const resolve = (node: unknown) => (isAlias(node) ? node.resolve(document) : node);
  const context: Context = { lines, problems: [], places: new Map(), resolve };
  const start = { line: 1, col: 1 };
  const at = (path: string): Position => {
    for (let rest = path; rest !== ''; rest = rest.slice(0, Math.max(0, rest.lastIndexOf('.')))) {
      const found = context.places.get(rest);
      if (found !== undefined) return found;
    }
    return start;
  };
  const isBroken = (path: string) =>
    context.problems.some(
      (each) => !each.isHarmless && (each.path === path || each.path.startsWith(`${path}.`)),
    );
  const broken = syntaxProblems([...document.errors, ...document.warnings], text, lines);
  if (broken.length > 0) return { value: undefined, partial: undefined, problems: broken, isBroken, at };
  const value = shape.read({ node: document.contents, at: start, context, path: '' });
  const problems = context.problems.toSorted((a, b) => a.at.line - b.at.line || a.at.col - b.at.col);
  return { value: problems.length === 0 ? value : undefined, partial: value, problems, isBroken, at };
}

/** One mistake leads to many: the first ones say enough. */
const MAX_SYNTAX_PROBLEMS = 3;

/** With the line, since the parser often names neither key nor value. */
function syntaxProblems(errors: readonly YAMLError[], text: string, lines: LineCounter): readonly Problem[] {
  const content = text.split('\n');
  return errors.slice(0, MAX_SYNTAX_PROBLEMS).map(({ message, pos }) => {
    const at = lines.linePos(pos[0]);
    const line = (content[at.line - 1] ?? '').trim();
    const route = /(?:GET|POST|PUT|PATCH|DELETE) [^\s"',]*\{[^\s"',]*/.exec(line)?.[0];
    const isUnquoted = route !== undefined && line.includes('{') && line.indexOf('{') < line.indexOf(route);
    const hint = isUnquoted ? `; within { … } an operation with a path is quoted: "${route}"` : '';
    return { at, text: `${message.split(/ at line |\n/, 1)[0] ?? message}: ${line}${hint}` };
  });
}

export function report({ context, at, path }: Place, text: string, isHarmless = false): undefined {
  context.problems.push({ at, text, path, isHarmless });
}

/** `unknown x; did you mean y? Known: …`. */
export function unknownName(what: string, name: string, known: readonly string[]): string {
  const near = similar(name, known);
  if (near !== undefined) return `unknown ${what} ${name}; did you mean ${near}?`;
  return known.length === 0
    ? `unknown ${what} ${name}; there is none`
    : `unknown ${what} ${name}; known: ${known.join(', ')}`;
}

function within(parent: Place, key: string, node: unknown, at = positionOf(parent, node)): Place {
  const path = parent.path === '' ? key : `${parent.path}.${key}`;
  parent.context.places.set(path, at);
  const { context } = parent;
  return { node: context.resolve(node), at, context, path };
}

function positionOf({ context, at }: Place, node: unknown): Position {
  const range = (node as Partial<Node> | null)?.range;
  return range === undefined || range === null ? at : context.lines.linePos(range[0]);
}

export const isMapping = ({ node }: Place): boolean => isMap(node);

/** The entries of a mapping; undefined if it is none. */
function entriesOf(place: Place): { key: string; keyAt: Position; value: Place }[] | undefined {
  const { node } = place;
  // A key without a value, as of entries that are comments.
  if (isScalar(node) && node.value === null) return [];
  if (!isMap(node)) return report(place, 'must be a mapping');
  return node.items.map(({ key, value }) => {
    const name = isScalar(key) ? String(key.value) : '';
    const keyAt = positionOf(place, key);
    return { key: name, keyAt, value: within(place, name, value, keyAt) };
  });
}

export const text: Shape<string> & { matching(pattern: RegExp, form: string): Shape<string> } = {
  schema: { type: 'string', minLength: 1 },
  read: (place) => {
    const { node } = place;
    if (isScalar(node) && typeof node.value === 'string' && node.value.trim() !== '')
      return node.value.trim();
    return report(place, 'must be a text that is not empty');
  },
  matching: (pattern, form) => ({
    schema: { type: 'string', pattern: pattern.source },
    read: (place) => {
      const value = text.read(place);
      return value === undefined || pattern.test(value)
        ? value
        : report(place, `must be ${form}, not ${value}`);
    },
  }),
};

export const flag: Shape<boolean> = {
  schema: { type: 'boolean' },
  read: (place) => {
    const { node } = place;
    return isScalar(node) && typeof node.value === 'boolean'
      ? node.value
      : report(place, 'must be true or false');
  },
};

export const wholeNumber = (minimum: number): Shape<number> => ({
  schema: { type: 'integer', minimum },
  read: (place) => {
    const { node } = place;
    const isOne = isScalar(node) && Number.isSafeInteger(node.value) && Number(node.value) >= minimum;
    return isOne ? Number(node.value) : report(place, `must be a whole number of at least ${minimum}`);
  },
});

/** Numbers and flags are values of states too: `values: [1]`. */
export const word: Shape<string> = {
  schema: { type: ['string', 'number', 'boolean'] },
  read: (place) => {
    const { node } = place;
    const value = isScalar(node) ? node.value : undefined;
    const isWord =
      (typeof value === 'string' && value !== '') || typeof value === 'number' || typeof value === 'boolean';
    return isWord ? String(value) : report(place, 'must be a text, a number or a flag');
  },
};

/** A text, a number or a flag as it is. */
export const scalar: Shape<string | number | boolean> = {
  schema: { type: ['string', 'number', 'boolean'] },
  read: (place) => {
    const value = isScalar(place.node) ? place.node.value : undefined;
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
    return report(place, 'must be a text, a number, true or false');
  },
};

export const oneOf = <const T extends string>(...choices: readonly T[]): Shape<T> => ({
  schema: { enum: choices },
  read: (place) => {
    const value = text.read(place);
    if (value === undefined) return undefined;
    return choices.find((choice) => choice === value) ?? report(place, unknownName('value', value, choices));
  },
});

export const list = <T>(item: Shape<T>): Shape<readonly T[]> => ({
  schema: { type: 'array', items: item.schema },
  read: (place) => {
    const { node } = place;
    if (!isSeq(node)) return report(place, 'must be a list');
    const items = node.items.map((each, index) => item.read(within(place, String(index), each)));
    return items.filter((each) => each !== undefined) as T[];
  },
});

/** A mapping with free keys. */
export const mapOf = <T>(key: Shape<string>, value: Shape<T>): Shape<Readonly<Record<string, T>>> => ({
  schema: { type: 'object', propertyNames: key.schema, additionalProperties: value.schema },
  read: (place) => {
    const read = entriesOf(place)?.flatMap(({ key: name, keyAt, value: at }) => {
      const node = Object.assign(parseDocument(JSON.stringify(name)).contents ?? {}, { range: null });
      key.read({ ...at, node, at: keyAt });
      const found = value.read(at);
      return found === undefined ? [] : [[name, found] as const];
    });
    return read === undefined ? undefined : Object.fromEntries(read);
  },
});

type Shapes<T> = { readonly [K in keyof T]-?: Shape<Exclude<T[K], undefined>> };
type Keys<T> = readonly (keyof T & string)[];

/** A mapping with known keys. */
export function record<T extends object>(
  shapes: Shapes<T>,
  { required = [], defaults = {} }: { readonly required?: Keys<T>; readonly defaults?: Partial<T> } = {},
): Shape<T> {
  const known = Object.keys(shapes) as (keyof T & string)[];
  return {
    schema: {
      type: 'object',
      additionalProperties: false,
      ...(required.length === 0 ? {} : { required }),
      properties: Object.fromEntries(known.map((key) => [key, shapes[key].schema])),
    },
    read: (place) => {
      const entries = entriesOf(place);
      if (entries === undefined) return undefined;
      const given = new Set(entries.map(({ key }) => key));
      for (const key of required) if (!given.has(key)) report(place, `${key} is missing`);
      const values = entries.flatMap(({ key, keyAt, value }) => {
        const name = known.find((each) => each === key);
        if (name === undefined) {
          report({ ...place, at: keyAt }, unknownName('key', key, known), true);
          return [];
        }
        return [[name, shapes[name].read(value)] as const];
      });
      // With a mistake in any value, `readYaml` returns none.
      return { ...defaults, ...Object.fromEntries(values) } as T;
    },
  };
}

/** A text is the short form of a mapping. */
export const shortOr = <T>(
  short: Shape<string>,
  toValue: (value: string) => T,
  long: Shape<T>,
): Shape<T> => ({
  schema: { oneOf: [short.schema, long.schema] },
  read: (place) => {
    if (isMap(place.node)) return long.read(place);
    const value = short.read(place);
    return value === undefined ? undefined : toValue(value);
  },
});

/** Mappings that are told apart by a key, or by the value of one. */
export const either = <T>(
  choose: (place: Place, has: (key: string, value?: string) => boolean) => Shape<T> | undefined,
  shapes: readonly Shape<T>[],
): Shape<T> => ({
  schema: { oneOf: shapes.map(({ schema }) => schema) },
  read: (place) => {
    const { node } = place;
    const has = (key: string, value?: string) =>
      isMap(node) && node.has(key) && (value === undefined || node.get(key) === value);
    return choose(place, has)?.read(place);
  },
});
