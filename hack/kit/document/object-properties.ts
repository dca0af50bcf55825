/** Schemas of an OpenAPI document as objects with properties: `allOf` is merged, `nullable` of 3.0 and type lists of 3.1 are one. */
import { isObject } from '../../../internal/framework/base/json/json-value.ts';
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

/**
 * Alternatives (`oneOf`, `anyOf`) of one schema besides null are that schema; those of one type have all that any of them has, and require
 * what all of them do; others have no type.
 */
export function flatSchema(schema: unknown, document: Pick<OpenapiDocument, 'resolve'>): FlatSchema {
  if (!isObject(schema)) return flattened(schema, document, []);
  const known = ofDocuments.get(document.resolve) ?? new WeakMap<object, FlatSchema>();
  ofDocuments.set(document.resolve, known);
  const before = known.get(schema);
  if (before !== undefined) return before;
  const flat = flattened(schema, document, []);
  known.set(schema, flat);
  return flat;
}

/** Each schema is asked for many times. */
const ofDocuments = new WeakMap<OpenapiDocument['resolve'], WeakMap<object, FlatSchema>>();

function flattened(
  schema: unknown,
  { resolve }: Pick<OpenapiDocument, 'resolve'>,
  within: readonly string[],
): FlatSchema {
  const { value, name } = resolve(schema);
  const outer = isObject(schema) && typeof schema.$ref === 'string' ? schema : {};
  const names = name === undefined ? [] : [name];
  // What contains itself ends here, and so does what is too deep.
  const isKnown = (name !== undefined && within.includes(name)) || within.length > MAX_DEPTH;
  const inside = [...within, name ?? ''];
  const own: Record<string, unknown> = { ...value };
  // 3.1 allows a description beside a reference.
  if (typeof outer.description === 'string') own.description = outer.description;
  const alternatives = [value.oneOf, value.anyOf].flatMap((each) => (Array.isArray(each) ? [each] : []));
  const parts = [
    ...(Array.isArray(value.allOf) ? value.allOf : []),
    ...alternatives.flatMap((list) => (isKnown ? [] : oneOfAll(list, { resolve }, inside))),
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
  if (!isKnown) {
    for (const part of parts) {
      const inner = flattened(part, { resolve }, inside);
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

/** One schema for alternatives, in a list; none if they have several types. */
function oneOfAll(
  list: readonly unknown[],
  document: Pick<OpenapiDocument, 'resolve'>,
  within: readonly string[],
): readonly unknown[] {
  const real = list.filter((each) => !(isObject(each) && each.type === 'null'));
  if (real.length === 1) return real;
  const flats = real.map((each) => flattened(each, document, within));
  const [first] = flats;
  const type = first?.type;
  if (first === undefined || flats.some((each) => each.type !== type)) return [];
  if (type === 'array') return [{ type, items: { anyOf: unique(flats.map(({ own }) => own.items ?? {})) } }];
  if (type !== 'object') {
    const values = flats.map(({ own }) => (own.const === undefined ? own.enum : [own.const]));
    const all = values.every(Array.isArray) ? { enum: unique(values.flat()) } : {};
    return [{ type, ...all }];
  }
  // One with any members could have those of no other.
  if (flats.some(({ properties }) => properties.size === 0)) return [];
  const keys = new Set(flats.flatMap(({ properties }) => [...properties.keys()]));
  const properties = [...keys].map((key) => {
    const schemas = unique(
      flats.flatMap((each) => (each.properties.has(key) ? [each.properties.get(key)] : [])),
    );
    return [key, schemas.length === 1 ? schemas[0] : { anyOf: schemas }] as const;
  });
  const required = [...first.required].filter((key) => flats.every((each) => each.required.has(key)));
  return [{ type, properties: Object.fromEntries(properties), required }];
}

const unique = (values: readonly unknown[]): unknown[] => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
];

/** A dotted path within a value that is sent, which the response does not have in the same form. */
export interface Unseen {
  readonly path: readonly string[];
  /** What the response has in its place, if anything, is refused by the schema of the value that is sent. */
  readonly isRefused: boolean;
}

/**
 * What of a value that is sent cannot be compared with the response: members that it lacks, or has with another type, as where an API takes
 * IDs and returns objects. The empty path is the whole value.
 */
export function unseenIn(
  sent: unknown,
  returned: unknown,
  document: Pick<OpenapiDocument, 'resolve'>,
  depth = 0,
): readonly Unseen[] {
  const [a, b] = [flatSchema(sent, document), flatSchema(returned, document)];
  if (a.type === undefined || b.type === undefined || depth > MAX_COMPARED) return [];
  if (a.type !== b.type && !(a.type === 'number' && b.type === 'integer'))
    return [{ path: [], isRefused: true }];
  if (a.type === 'array') return unseenIn(a.own.items ?? {}, b.own.items ?? {}, document, depth + 1);
  // One without stated members may have any, but need not have those that are required.
  if (b.properties.size === 0) return a.required.size === 0 ? [] : [{ path: [], isRefused: true }];
  return [...a.properties].flatMap(([name, part]): readonly Unseen[] => {
    if (flatSchema(part, document).own.readOnly === true) return [];
    if (!b.properties.has(name)) return [{ path: [name], isRefused: a.required.has(name) }];
    return unseenIn(part, b.properties.get(name), document, depth + 1).map((each) => ({
      ...each,
      path: [name, ...each.path],
    }));
  });
}

const MAX_COMPARED = 6;

/** As `schemaAt`, through lists: the schema of what their items have. */
export function schemaWithin(
  schema: unknown,
  path: readonly string[],
  document: Pick<OpenapiDocument, 'resolve'>,
): unknown {
  return path.reduce<unknown>(
    (inner, name) => (inner === undefined ? undefined : schemaAt(itemsOf(inner, document), [name], document)),
    schema,
  );
}

/** The schema of the items of a list, also of a list of lists; another one as it is. */
export function itemsOf(schema: unknown, document: Pick<OpenapiDocument, 'resolve'>): unknown {
  const { type, own } = flatSchema(schema, document);
  return type === 'array' ? itemsOf(own.items ?? {}, document) : schema;
}

/** The schema at a dotted path, from the root of a schema; undefined if there is none. A number is that of an item of a list: `entities.0`. */
export function schemaAt(
  schema: unknown,
  path: readonly string[],
  document: Pick<OpenapiDocument, 'resolve'>,
): unknown {
  return path.reduce<unknown>((inner, name) => {
    if (inner === undefined) return undefined;
    const { type, own, properties } = flatSchema(inner, document);
    return type === 'array' && /^\d+$/.test(name) ? (own.items ?? {}) : properties.get(name);
  }, schema);
}
