/**
 * Defaults and validates a custom resource by its schema, as an API server does, for manifests that are checked without an
 * API server. CEL rules, formats and patterns are not checked. Rules: Kubernetes, "Extend the API with
 * CustomResourceDefinitions", structural schemas and defaulting.
 */
import { cloneJson, isObject, ownMember } from '../../base/json/json-value.ts';

/** The part of a structural schema that defines fields. */
export interface StructuralSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly items?: StructuralSchema;
  readonly additionalProperties?: StructuralSchema;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly nullable?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
}

/** A copy in which every field that is absent, or null without being nullable, has its default. */
export function withDefaults(schema: StructuralSchema, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return value.map((item) => (items === undefined ? item : withDefaults(items, item)));
  }
  if (!isObject(value)) return value;
  const { properties = {}, additionalProperties } = schema;
  const filled = new Map<string, unknown>();
  for (const [name, member] of Object.entries(value)) {
    const field = ownMember(properties, name) ?? additionalProperties;
    if (member === null && field?.default !== undefined && !field.nullable) continue;
    filled.set(name, field === undefined ? member : withDefaults(field, member));
  }
  for (const [name, field] of Object.entries(properties)) {
    if (filled.get(name) !== undefined || field.default === undefined) continue;
    filled.set(name, withDefaults(field, cloneJson(field.default)));
  }
  return Object.fromEntries(filled);
}

/** The errors that the API server would return, unknown fields included, as in kubectl. Empty for a valid object. */
export function problemsIn(schema: StructuralSchema, value: unknown, path = ''): string[] {
  const at = path === '' ? 'the object' : path;
  if (value === null && schema.nullable) return [];
  if (schema.type !== undefined && !hasType(value, schema.type)) {
    return [`${at}: Invalid value: must be of type ${schema.type}`];
  }
  if (schema.enum !== undefined && !schema.enum.includes(value)) {
    const supported = schema.enum.map((each) => JSON.stringify(each)).join(', ');
    return [`${at}: Unsupported value: supported values: ${supported}`];
  }
  const bounds = boundsOf(schema, value).map((problem) => `${at}: Invalid value: ${problem}`);
  if (Array.isArray(value)) {
    const { items } = schema;
    return [
      ...bounds,
      ...(items === undefined
        ? []
        : value.flatMap((item, index) => problemsIn(items, item, `${path}[${index}]`))),
    ];
  }
  if (!isObject(value)) return bounds;
  const { properties, additionalProperties, required = [] } = schema;
  const under = (name: string) => (path === '' ? name : `${path}.${name}`);
  return [
    ...bounds,
    ...required
      .filter((name) => (ownMember(value, name) ?? null) === null)
      .map((name) => `${under(name)}: Required value`),
    ...Object.entries(value).flatMap(([name, member]) => {
      const field = ownMember(properties, name) ?? additionalProperties;
      if (field !== undefined) {
        // A null in a required field is reported above; elsewhere it counts as absent.
        return member === null && !field.nullable ? [] : problemsIn(field, member, under(name));
      }
      return properties === undefined ? [] : [`unknown field "${under(name)}"`];
    }),
  ];
}

/** The bounds of the schema that a value exceeds. Lengths are in characters. */
function boundsOf(schema: StructuralSchema, value: unknown): string[] {
  const exceeded = (
    size: number,
    [least, most]: readonly [number | undefined, number | undefined],
    of: string,
  ) => [
    ...(least !== undefined && size < least ? [`${of} at least ${least}`] : []),
    ...(most !== undefined && size > most ? [`${of} at most ${most}`] : []),
  ];
  if (typeof value === 'number') return exceeded(value, [schema.minimum, schema.maximum], 'must be');
  if (typeof value === 'string')
    return exceeded([...value].length, [schema.minLength, schema.maxLength], 'must have characters:');
  if (Array.isArray(value))
    return exceeded(value.length, [schema.minItems, schema.maxItems], 'must have items:');
  return isObject(value)
    ? exceeded(Object.keys(value).length, [schema.minProperties, schema.maxProperties], 'must have members:')
    : [];
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}
