/** Schemas of an OpenAPI document as objects with properties: `allOf` is merged, `nullable` of 3.0 and type lists of 3.1 are one. */
import { isObject } from '../../../internal/framework/base/json/json-field.ts';
import type { JsonObject, OpenapiDocument } from './openapi-document.ts';

/** A schema without `$ref` and `allOf` at its root. */
export interface FlatSchema {
  /** None if it has several, or none. */
  readonly type: string | undefined;
  readonly nullable: boolean;
  readonly own: JsonObject;
  /** Of an object, in the order of the document. */
  readonly properties: ReadonlyMap<string, unknown>;
  readonly required: ReadonlySet<string>;
  /** The references that led here. */
  readonly names: readonly string[];
}

const MAX_DEPTH = 32;

/** Alternatives (`oneOf`, `anyOf`) of one schema besides null are that schema; others have no type. */
export function flatSchema(
  schema: unknown,
  { resolve }: Pick<OpenapiDocument, 'resolve'>,
  depth = 0,
): FlatSchema {
  const { value, name } = resolve(schema);
  const outer = isObject(schema) && typeof schema.$ref === 'string' ? schema : {};
  const names = name === undefined ? [] : [name];
  const own: Record<string, unknown> = { ...value };
  // 3.1 allows a description beside a reference.
  if (typeof outer.description === 'string') own.description = outer.description;
  const alternatives = [value.oneOf, value.anyOf].flatMap((each) => (Array.isArray(each) ? [each] : []));
  const parts = [
    ...(Array.isArray(value.allOf) ? value.allOf : []),
    ...alternatives.flatMap(onlyAlternative),
  ];
  const types = (Array.isArray(value.type) ? value.type : [value.type]).filter(
    (type) => typeof type === 'string',
  );
  const known = types.filter((type) => type !== 'null');
  const flat = {
    type: known.length === 1 ? known[0] : undefined,
    nullable:
      value.nullable === true ||
      types.includes('null') ||
      alternatives.some((list) => list.some((each) => isObject(each) && each.type === 'null')),
    properties: new Map(isObject(value.properties) ? Object.entries(value.properties) : []),
    required: new Set(Array.isArray(value.required) ? value.required.map(String) : []),
  };
  if (depth < MAX_DEPTH) {
    for (const part of parts) {
      const inner = flatSchema(part, { resolve }, depth + 1);
      flat.type ??= inner.type;
      flat.nullable ||= inner.nullable;
      names.push(...inner.names);
      for (const [key, each] of Object.entries(inner.own)) own[key] ??= each;
      for (const [key, each] of inner.properties) {
        const before = flat.properties.get(key);
        flat.properties.set(key, before === undefined ? each : { allOf: [before, each] });
      }
      for (const key of inner.required) flat.required.add(key);
    }
  }
  if (flat.type === undefined && flat.properties.size > 0) flat.type = 'object';
  if (flat.type === undefined && known.length === 0 && own.items !== undefined) flat.type = 'array';
  return { ...flat, own, names };
}

function onlyAlternative(list: readonly unknown[]): readonly unknown[] {
  const real = list.filter((each) => !(isObject(each) && each.type === 'null'));
  return real.length === 1 ? real : [];
}

/** The schema at a dotted path, from the root of a schema; undefined if there is none. */
export function schemaAt(
  schema: unknown,
  path: readonly string[],
  document: Pick<OpenapiDocument, 'resolve'>,
): unknown {
  return path.reduce<unknown>(
    (inner, name) => (inner === undefined ? undefined : flatSchema(inner, document).properties.get(name)),
    schema,
  );
}
