/** What a response has according to its example, where its schema says next to nothing. */
import { isObject } from '../../../internal/framework/base/json/json-value.ts';

type JsonObject = Readonly<Record<string, unknown>>;
type Resolve = (value: unknown) => { readonly value: JsonObject; readonly name: string | undefined };

/** Marks a schema that was inferred: its form is known, not its limits. */
export const INFERRED = 'x-provider-kyma-inferred';

/**
 * The schema with the members of its example, if it lacks at least half of them. One that has most is taken as it is: an example may have
 * members that the API does not return.
 */
export function withExample(schema: JsonObject, media: JsonObject, resolve: Resolve): JsonObject {
  const { value } = resolve(schema);
  const example = exampleOf(media, resolve) ?? value.example;
  if (!isObject(example)) return schema;
  const known = memberNames(schema, resolve, 0);
  const names = Object.keys(example).filter((name) => example[name] !== null);
  const missing = names.filter((name) => !known.has(name));
  if (missing.length === 0 || missing.length * 2 < names.length) return schema;
  const properties = Object.fromEntries(missing.map((name) => [name, inferred(example[name], 0)]));
  return { allOf: [schema], type: 'object', properties };
}

function exampleOf({ example, examples }: JsonObject, resolve: Resolve): unknown {
  if (example !== undefined) return example;
  const [first] = isObject(examples) ? Object.values(examples) : [];
  return first === undefined ? undefined : resolve(first).value.value;
}

const MAX_DEPTH = 8;

function memberNames(schema: unknown, resolve: Resolve, depth: number): ReadonlySet<string> {
  const { value } = resolve(schema);
  const parts = [value.allOf, value.oneOf, value.anyOf].flatMap((each) => (Array.isArray(each) ? each : []));
  const inner = depth > MAX_DEPTH ? [] : parts.map((part) => memberNames(part, resolve, depth + 1));
  const own = isObject(value.properties) ? Object.keys(value.properties) : [];
  return new Set([...own, ...inner.flatMap((names) => [...names])]);
}

function inferred(value: unknown, depth: number): JsonObject {
  const mark = { [INFERRED]: true };
  if (depth > MAX_DEPTH || value === null || value === undefined) return mark;
  if (Array.isArray(value)) return { ...mark, type: 'array', items: inferred(value[0], depth + 1) };
  if (isObject(value))
    return {
      ...{ ...mark, type: 'object' },
      properties: Object.fromEntries(
        Object.entries(value).map(([name, member]) => [name, inferred(member, depth + 1)]),
      ),
    };
  const type = Number.isInteger(value) ? 'integer' : typeof value;
  return { ...mark, type, example: value };
}
