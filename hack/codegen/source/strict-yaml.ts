import {
  isMap,
  isScalar,
  isSeq,
  type LineCounter,
  LineCounter as Lines,
  type Node,
  parseDocument,
} from 'yaml';
import type { Json, Position } from './source.ts';
import { SourceError } from './source-error.ts';

/** A value in a YAML file with its position, so that every error names file, line and column. */
export interface Place {
  readonly file: string;
  readonly node: unknown;
  readonly at: Position;
  readonly lines: LineCounter;
}

export function parseStrict(file: string, text: string): Place {
  const lines = new Lines();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem !== undefined) {
    // The parser repeats the place at the end of its first line and shows the source below.
    const [message = ''] = problem.message.split(/ at line |\n/, 1);
    throw new SourceError(file, lines.linePos(problem.pos[0]), message);
  }
  return { file, node: document.contents, at: positionOf(document.contents, lines), lines };
}

export function fail(place: Place, problem: string): never {
  throw new SourceError(place.file, place.at, problem);
}

/** The fields of a mapping; unknown and missing ones are errors. */
export function fieldsOf(
  place: Place,
  known: readonly string[],
  required: readonly string[] = [],
): ReadonlyMap<string, Place> {
  const fields = new Map<string, Place>();
  for (const { key, keyPlace, value } of entriesOf(place)) {
    if (!known.includes(key)) fail(keyPlace, `unknown key ${key}; known here: ${known.join(', ')}`);
    fields.set(key, value);
  }
  for (const key of required) {
    if (!fields.has(key)) fail(place, `${key} is missing`);
  }
  return fields;
}

export type Reader<T> = (place: Place) => T;

type Readers = Readonly<Record<string, Reader<unknown>>>;
type Values<R extends Readers> = { readonly [K in keyof R]: ReturnType<R[K]> };

/** The values of a mapping, each read by the reader of its key, in the order of the readers. */
export function recordOf<R extends Readers, O extends Readers>(
  place: Place,
  required: R,
  optional: O,
): Values<R> & Partial<Values<O>> {
  const readers = { ...required, ...optional };
  const fields = fieldsOf(place, Object.keys(readers), Object.keys(required));
  const values = Object.entries<Reader<unknown>>(readers).flatMap(([key, read]) => {
    const value = fields.get(key);
    return value === undefined ? [] : [[key, read(value)] as const];
  });
  return Object.fromEntries(values) as Values<R> & Partial<Values<O>>;
}

export interface Entry {
  readonly key: string;
  readonly keyPlace: Place;
  readonly value: Place;
}

export function isMapping(place: Place): boolean {
  return isMap(place.node);
}

/** The entries of a mapping whose keys are free. */
export function entriesOf(place: Place): Entry[] {
  const { node } = place;
  if (!isMap(node)) fail(place, 'must be a mapping');
  return node.items.map((pair) => {
    const keyPlace = within(place, pair.key);
    return { key: stringOf(keyPlace), keyPlace, value: within(place, pair.value, keyPlace.at) };
  });
}

export function listOf(place: Place): Place[] {
  const { node } = place;
  if (!isSeq(node)) fail(place, 'must be a list');
  return node.items.map((item) => within(place, item));
}

export function stringOf(place: Place): string {
  const { node } = place;
  if (!isScalar(node) || typeof node.value !== 'string' || node.value.trim() === '') {
    fail(place, 'must be a string that is not empty');
  }
  return node.value.trim();
}

export function choiceOf<const T extends string>(place: Place, choices: readonly T[]): T {
  const text = stringOf(place);
  return choices.find((choice) => choice === text) ?? fail(place, `must be one of ${choices.join(', ')}`);
}

export function booleanOf(place: Place): boolean {
  const { node } = place;
  if (!isScalar(node) || typeof node.value !== 'boolean') fail(place, 'must be true or false');
  return node.value;
}

export function numberOf(place: Place): number {
  const { node } = place;
  if (!isScalar(node) || typeof node.value !== 'number') fail(place, 'must be a number');
  return node.value;
}

export function stringsOf(place: Place): string[] {
  return listOf(place).map(stringOf);
}

/** Any value as plain JSON. */
export function jsonOf(place: Place): Json {
  if (isMap(place.node)) {
    return Object.fromEntries(entriesOf(place).map(({ key, value }) => [key, jsonOf(value)]));
  }
  if (isSeq(place.node)) return listOf(place).map(jsonOf);
  const value = isScalar(place.node) ? place.node.value : undefined;
  if (
    value === null ||
    typeof value === 'string' ||
    typeof value === 'number' ||
    typeof value === 'boolean'
  ) {
    return value;
  }
  return fail(place, 'must be a plain value');
}

/** @param fallback position of the error if the value is left out, as in `key:` */
function within(place: Place, node: unknown, fallback = place.at): Place {
  const { file, lines } = place;
  return { file, node, at: positionOf(node, lines, fallback), lines };
}

function positionOf(node: unknown, lines: LineCounter, fallback: Position = { line: 1, col: 1 }): Position {
  const range = (node as Partial<Node> | null)?.range;
  return range === undefined || range === null ? fallback : lines.linePos(range[0]);
}
