import {
  type FieldReference,
  type NamespacedField,
  type Rule,
  type Schema,
  standardNames,
} from './source.ts';
import {
  booleanOf,
  choiceOf,
  entriesOf,
  fail,
  fieldsOf,
  isMapping,
  jsonOf,
  listOf,
  numberOf,
  type Place,
  recordOf,
  stringOf,
  stringsOf,
} from './strict-yaml.ts';

const types = ['string', 'integer', 'number', 'boolean', 'object', 'array'] as const;
const reasons = ['FieldValueInvalid', 'FieldValueForbidden', 'FieldValueRequired', 'FieldValueDuplicate'];

/** How each keyword is read; one that is not here is refused. CRDs have them in this order. */
export const keywords: { readonly [K in keyof Schema]-?: (place: Place) => Schema[K] } = {
  $namespaced: readNamespaced,
  $versions: stringsOf,
  $standard: (place) => choiceOf(place, standardNames),
  $openapi: readOpenapi,
  $reference: readReference,
  description: stringOf,
  type: (place) => choiceOf(place, types),
  format: stringOf,
  nullable: booleanOf,
  default: jsonOf,
  enum: (place) => listOf(place).map(jsonOf),
  pattern: stringOf,
  minimum: numberOf,
  maximum: numberOf,
  minLength: numberOf,
  maxLength: numberOf,
  minItems: numberOf,
  maxItems: numberOf,
  minProperties: numberOf,
  maxProperties: numberOf,
  'x-kubernetes-list-type': (place) => choiceOf(place, ['atomic', 'set', 'map']),
  'x-kubernetes-list-map-keys': stringsOf,
  'x-kubernetes-map-type': (place) => choiceOf(place, ['atomic', 'granular']),
  'x-kubernetes-int-or-string': booleanOf,
  'x-kubernetes-embedded-resource': booleanOf,
  'x-kubernetes-preserve-unknown-fields': booleanOf,
  'x-kubernetes-validations': readRules,
  required: stringsOf,
  items: (place) => readSchema(place),
  additionalProperties: (place) => readSchema(place),
  properties: readProperties,
};

/**
 * Reads a schema strictly. It also refuses what the API server accepts silently: a required field that does not exist,
 * an object whose content would be pruned, a list without items.
 */
export function readSchema(place: Place): Schema {
  const fields = fieldsOf(place, Object.keys(keywords));
  const schema: Schema = Object.fromEntries(
    [...fields].map(([name, value]) => [name, keywords[name as keyof Schema](value)]),
  );
  if (schema.$standard !== undefined) {
    fieldsOf(place, ['$standard', 'description', '$versions']);
    return schema;
  }
  if (schema.$openapi !== undefined) {
    fieldsOf(place, ['$openapi', 'description', '$versions']);
    return schema;
  }
  const isAny =
    schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (schema.type === undefined && !isAny) fail(place, 'type is missing');
  if (schema.$reference !== undefined && schema.type !== 'string' && schema.items?.type !== 'string')
    fail(place, 'only a string, or a list of strings, can be a $reference');
  if (schema.type === 'array' && schema.items === undefined) fail(place, 'a list needs items');
  if (schema.type === 'object' && isClosedAndEmpty(schema)) {
    fail(place, 'an object needs properties, additionalProperties or x-kubernetes-preserve-unknown-fields');
  }
  for (const name of fields.get('required') === undefined ? [] : (schema.required ?? [])) {
    const field = schema.properties?.[name];
    if (field?.$versions !== undefined || field === undefined) {
      const problem = field === undefined ? 'is no property' : 'not all versions have it';
      fail(fields.get('required') ?? place, `${name} is required but ${problem}`);
    }
  }
  return schema;
}

export function readRules(place: Place): Rule[] {
  return listOf(place).map((item) =>
    recordOf(
      item,
      { rule: stringOf, message: stringOf },
      {
        reason: (reason) => choiceOf(reason, reasons),
        fieldPath: stringOf,
        optionalOldSelf: booleanOf,
        $versions: stringsOf,
      },
    ),
  );
}

function readProperties(place: Place): Record<string, Schema> {
  return Object.fromEntries(
    entriesOf(place).map(({ key, keyPlace, value }) => {
      const schema = readSchema(value);
      if (
        schema.description === undefined &&
        schema.$standard === undefined &&
        schema.$openapi === undefined
      ) {
        fail(keyPlace, `${key} has no description; kubectl explain would show none`);
      }
      return [key, schema];
    }),
  );
}

function readOpenapi(place: Place): string {
  const text = stringOf(place);
  return /^[^#]+\.yaml#[\w.]+$/.test(text) ? text : fail(place, 'must be a path, # and the name of a schema');
}

function readReference(place: Place): FieldReference {
  const { at } = place;
  if (!isMapping(place)) return { kind: stringOf(place), at };
  const value = (path: Place) => {
    const text = stringOf(path);
    return /^\w+(\.\w+)*$/.test(text)
      ? text
      : fail(path, 'must be a path of fields, such as status.atProvider.id');
  };
  return { ...recordOf(place, { kind: stringOf }, { group: stringOf, value }), at };
}

function readNamespaced(place: Place): 'absent' | NamespacedField {
  if (!isMapping(place)) return choiceOf(place, ['absent'] as const);
  return recordOf(place, {}, { optional: booleanOf, description: stringOf });
}

function isClosedAndEmpty(schema: Schema): boolean {
  return (
    schema.properties === undefined &&
    schema.additionalProperties === undefined &&
    schema['x-kubernetes-preserve-unknown-fields'] !== true &&
    schema['x-kubernetes-embedded-resource'] !== true
  );
}
