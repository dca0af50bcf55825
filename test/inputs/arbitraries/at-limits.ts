/** Values that a schema accepts, with texts, lists and numbers at its limits. */
import fc from 'fast-check';

/** The part of a structural schema of a CRD that is used. */
export interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly enum?: readonly unknown[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Each counts as one character for OpenAPI, and takes one to four bytes. */
const characters = fc.constantFrom('a', '/', '\u0000', '\u001b', '\u202e', 'é', '\ud7ff', '.', '-', '_', ' ');

export function atLimits(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'object':
      return schema.properties === undefined ? mapOf(schema) : objectOf(schema);
    case 'array': {
      const { items = {}, maxItems = 3 } = schema;
      const sizes = fc.constantFrom(0, 1, Math.min(maxItems, 20));
      return sizes.chain((size) => fc.array(atLimits(items), { minLength: size, maxLength: size }));
    }
    case 'string':
      return textOf(schema);
    case 'integer':
    case 'number': {
      const { minimum = -(2 ** 53), maximum = 2 ** 53 } = schema;
      return fc.constantFrom(minimum, maximum);
    }
    case 'boolean':
      return fc.boolean();
    default:
      return fc.jsonValue();
  }
}

function textOf({ minLength = 0, maxLength = 1024 }: Schema): fc.Arbitrary<string> {
  return fc
    .tuple(characters, fc.constantFrom(minLength, Math.max(minLength, 1), maxLength))
    .map(([character, length]) => character.repeat(Math.min(length, 4096)));
}

function objectOf({ properties = {}, required = [] }: Schema): fc.Arbitrary<unknown> {
  const members = Object.entries(properties).map(([name, member]) => [name, atLimits(member)] as const);
  return fc.record(Object.fromEntries(members), { requiredKeys: [...required] as never[] });
}

function mapOf({ additionalProperties = {}, maxProperties = 3 }: Schema): fc.Arbitrary<unknown> {
  return fc.dictionary(textOf({ minLength: 1, maxLength: 63 }), atLimits(additionalProperties), {
    maxKeys: Math.min(maxProperties, 5),
    noNullPrototype: true,
  });
}
