import { isDeepStrictEqual } from 'node:util';
import { isObject, jsonEqual, ownMember } from '../../base/json/json-value.ts';

/** An operation of a JSON patch (RFC 6902). */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/** The patch does not fit the document: a `test` fails, or a path does not exist. Nothing of it is applied. */
export class JsonPatchError extends Error {}

/**
 * The document with all operations applied, as the API server does it; the document itself stays as it is.
 *
 * @throws JsonPatchError
 */
export function applyJsonPatch(document: unknown, patch: readonly JsonPatchOperation[]): unknown {
  return patch.reduce(
    (target, operation) => applyAt(target, parsePointer(operation.path), operation),
    structuredClone(document),
  );
}

/** Appends a member to a JSON pointer (RFC 6901). */
export function jsonPointer(path: string, name: string | number): string {
  return `${path}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function applyAt(target: unknown, path: readonly string[], operation: JsonPatchOperation): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return applyHere(target, operation);
  if (Array.isArray(target)) return applyToList(target, name, rest, operation);
  if (typeof target !== 'object' || target === null) throw missing(operation);
  // Not by assignment: a member called `__proto__` would reach the prototype.
  const members = new Map<string, unknown>(Object.entries(target));
  // As in an API server, `replace` may add a member.
  const mayBeMissing = rest.length === 0 && (operation.op === 'add' || operation.op === 'replace');
  if (!members.has(name) && !mayBeMissing) throw missing(operation);
  if (operation.op === 'remove' && rest.length === 0) members.delete(name);
  else members.set(name, applyAt(members.get(name), rest, operation));
  return Object.fromEntries(members);
}

function applyToList(
  list: readonly unknown[],
  name: string,
  rest: readonly string[],
  operation: JsonPatchOperation,
): unknown[] {
  const isInsertion = operation.op === 'add' && rest.length === 0;
  const index = name === '-' && isInsertion ? list.length : Number(name);
  const end = isInsertion ? list.length : list.length - 1;
  if (!/^(0|[1-9][0-9]{0,8}|-)$/.test(name) || !(index <= end)) throw missing(operation);
  if (isInsertion) return list.toSpliced(index, 0, operation.value);
  if (operation.op === 'remove' && rest.length === 0) return list.toSpliced(index, 1);
  return list.with(index, applyAt(list[index], rest, operation));
}

function applyHere(target: unknown, operation: JsonPatchOperation): unknown {
  if (operation.op === 'remove') return undefined;
  if (operation.op !== 'test') return structuredClone(operation.value);
  if (!jsonEqual(target, operation.value)) throw new JsonPatchError(`the test of ${operation.path} failed`);
  return target;
}

function parsePointer(path: string): string[] {
  return path
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

const missing = ({ op, path }: JsonPatchOperation) =>
  new JsonPatchError(`cannot ${op} ${path}: no such path`);

/** The JSON patch (RFC 6902) from `before` to `after`. Objects are compared by member; a changed list is replaced. */
export function jsonPatch(before: object, after: object): JsonPatchOperation[] {
  return [...operations(before as Members, after as Members, '')];
}

type Members = Readonly<Record<string, unknown>>;

function* operations(before: Members, after: Members, path: string): Generator<JsonPatchOperation> {
  for (const name of Object.keys(before)) {
    if (before[name] === undefined) continue;
    const isKept = Object.hasOwn(after, name) && after[name] !== undefined;
    if (!isKept) yield { op: 'remove', path: jsonPointer(path, name) };
  }
  for (const [name, value] of Object.entries(after)) {
    if (value === undefined) continue;
    const at = jsonPointer(path, name);
    const old = Object.hasOwn(before, name) ? before[name] : undefined;
    if (old === undefined) yield { op: 'add', path: at, value };
    else if (isObject(old) && isObject(value)) yield* operations(old, value, at);
    else if (!jsonEqual(old, value)) yield { op: 'replace', path: at, value };
  }
}

/** JSON merge patch (RFC 7386). */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return structuredClone(patch);
  // Not by assignment: a member called `__proto__` would reach the prototype.
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else if (value !== undefined) merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

/**
 * The fields of `after` that `before` does not have or that differ; lists are compared as a whole. Removed fields are
 * not included: server-side apply gives up a field that is no longer applied.
 */
export function changedFields(before: unknown, after: Json): Json {
  const changed = Object.entries(after).flatMap(([name, value]) => {
    const old = isObject(before) ? ownMember(before, name) : undefined;
    if (value === undefined || isDeepStrictEqual(old, value)) return [];
    return [[name, isObject(old) && isObject(value) ? changedFields(old, value) : value] as const];
  });
  return Object.fromEntries(changed);
}

type Json = Readonly<Record<string, unknown>>;
