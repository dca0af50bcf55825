/** Specs that the schema of a CRD accepts. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { parse } from 'yaml';

/** The part of a structural schema that is read. */
interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly minItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly 'x-kubernetes-int-or-string'?: boolean;
}

/**
 * What the schema does not say, by the path of the field (`forProvider.components[].url`): values that mean something in the test, or
 * that a rule demands. Undefined: never set.
 */
export type FieldChoices = Readonly<Record<string, fc.Arbitrary<unknown> | undefined>>;

/**
 * Random specs with few different values, so that two of them often have one in common. Every field of the schema is set at times: a
 * new field needs no line here, unless the schema does not say which values it has.
 *
 * @param crdPath below `package`
 */
export function specArbitrary<S>(crdPath: string, choices: FieldChoices, version?: string): fc.Arbitrary<S> {
  const crd = parse(readFileSync(new URL(`../../../package/${crdPath}`, import.meta.url), 'utf8'));
  const versions: { name: string; storage: boolean; schema: { openAPIV3Schema: Schema } }[] =
    crd.spec.versions;
  const found = versions.find(({ name, storage }) => (version === undefined ? storage : name === version));
  const spec = found?.schema.openAPIV3Schema.properties?.spec;
  if (spec === undefined) throw new Error(`${crdPath} has no spec`);
  const unused = new Set(Object.keys(choices));
  const arbitrary = anyValue(spec, '', choices, unused);
  if (unused.size > 0) throw new Error(`${crdPath} has no field ${[...unused].join(', ')}`);
  return arbitrary as fc.Arbitrary<S>;
}

function anyValue(
  schema: Schema,
  path: string,
  choices: FieldChoices,
  unused: Set<string>,
): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema['x-kubernetes-int-or-string']) return fc.constantFrom(1, 2);
  switch (schema.type) {
    case 'object':
      return schema.properties === undefined
        ? mapOf(schema, path, choices, unused)
        : objectOf(schema, path, choices, unused);
    case 'array':
      return fc.uniqueArray(anyValue(schema.items ?? {}, `${path}[]`, choices, unused), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.max(schema.minItems ?? 0, 2),
        selector: (item) => JSON.stringify(item),
      });
    case 'integer':
    case 'number': {
      const { minimum = 0, maximum = minimum + 3 } = schema;
      return fc.integer({ min: Math.ceil(minimum), max: Math.min(maximum, Math.ceil(minimum) + 3) });
    }
    case 'boolean':
      return fc.boolean();
    default:
      return textOf(schema, path);
  }
}

function textOf({ pattern, format, minLength = 0 }: Schema, path: string): fc.Arbitrary<string> {
  if (pattern === undefined && format === undefined && minLength <= 2)
    return fc.constantFrom('one', 'two', ...(minLength === 0 ? [''] : []));
  throw new Error(`which texts does ${path} have? its schema has a pattern, a format or a length`);
}

function objectOf(
  { properties = {}, required = [] }: Schema,
  path: string,
  choices: FieldChoices,
  unused: Set<string>,
): fc.Arbitrary<object> {
  const members: Record<string, fc.Arbitrary<unknown>> = {};
  for (const [name, member] of Object.entries(properties)) {
    const field = path === '' ? name : `${path}.${name}`;
    const isChosen = field in choices;
    if (isChosen) unused.delete(field);
    const value = isChosen ? choices[field] : anyValue(member, field, choices, unused);
    if (value !== undefined) members[name] = value;
  }
  const requiredKeys = required.filter((name) => name in members);
  return fc.record(members, { requiredKeys, noNullPrototype: true });
}

function mapOf(
  { additionalProperties = {} }: Schema,
  path: string,
  choices: FieldChoices,
  unused: Set<string>,
): fc.Arbitrary<object> {
  const value =
    additionalProperties.type === undefined
      ? fc.constantFrom(1, 'text', true)
      : anyValue(additionalProperties, `${path}{}`, choices, unused);
  return fc.dictionary(fc.constantFrom('a', 'b', 'c'), value, { maxKeys: 2, noNullPrototype: true });
}
