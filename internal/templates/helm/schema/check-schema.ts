import { Failure, GoMap, GoSlice, type Value } from '../../gotemplate/index.ts';
import { HelmError } from '../helm-error.ts';
import { numberOf } from './assertions.ts';

const TYPES = new Set<Value>(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);

const isCount = (value: Value): boolean => {
  const number = numberOf(value);
  return number !== undefined && Number.isInteger(number) && number >= 0;
};
const isTexts = (value: Value): boolean =>
  value instanceof GoSlice && value.items.every((item) => typeof item === 'string');
const isSchema = (value: Value): boolean => value instanceof GoMap || typeof value === 'boolean';
const isSchemas = (value: Value): boolean =>
  value instanceof GoSlice && value.items.length > 0 && value.items.every(isSchema);
const isSchemaMap = (value: Value): boolean =>
  value instanceof GoMap && [...value.entries.values()].every(isSchema);

/** What the argument of a keyword must be. */
const CHECKS: Readonly<Record<string, (value: Value) => boolean>> = {
  type: (value) =>
    TYPES.has(value) ||
    (value instanceof GoSlice && value.items.length > 0 && value.items.every((item) => TYPES.has(item))),
  enum: (value) => value instanceof GoSlice,
  required: isTexts,
  properties: isSchemaMap,
  patternProperties: isSchemaMap,
  definitions: isSchemaMap,
  $defs: isSchemaMap,
  allOf: isSchemas,
  anyOf: isSchemas,
  oneOf: isSchemas,
  not: isSchema,
  if: isSchema,
  // biome-ignore lint/suspicious/noThenProperty: the name of a keyword
  then: isSchema,
  else: isSchema,
  items: (value) => isSchema(value) || value instanceof GoSlice,
  additionalProperties: isSchema,
  additionalItems: isSchema,
  contains: isSchema,
  propertyNames: isSchema,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  minimum: (value) => numberOf(value) !== undefined,
  maximum: (value) => numberOf(value) !== undefined,
  multipleOf: (value) => (numberOf(value) ?? 0) > 0,
  uniqueItems: (value) => typeof value === 'boolean',
  pattern: (value) => typeof value === 'string',
  format: (value) => typeof value === 'string',
  $ref: (value) => typeof value === 'string',
  title: (value) => typeof value === 'string',
  description: (value) => typeof value === 'string',
};

const IN_MAPS = ['properties', 'patternProperties', 'definitions', '$defs', 'dependentSchemas'];
const IN_PLACE = [
  'not',
  'if',
  'then',
  'else',
  'items',
  'additionalProperties',
  'additionalItems',
  'contains',
  'propertyNames',
];
const IN_LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'];

/** Checks what a schema is made of. @throws HelmError */
export function checkSchema(schema: Value, compile: (pattern: string) => unknown, path = ''): void {
  if (!(schema instanceof GoMap)) {
    if (typeof schema === 'boolean') return;
    throw wrong(path);
  }
  const { entries } = schema;
  for (const [key, value] of entries) {
    if (Object.hasOwn(CHECKS, key) && CHECKS[key]?.(value) === false) throw wrong(`${path}/${key}`);
  }
  const patterns = [entries.get('pattern'), ...keysOf(entries.get('patternProperties'))];
  for (const pattern of patterns) if (typeof pattern === 'string') checkPattern(pattern, compile, path);
  for (const key of IN_PLACE) {
    const inner = entries.get(key);
    if (inner !== undefined && isSchema(inner)) checkSchema(inner, compile, `${path}/${key}`);
  }
  for (const key of IN_LISTS) {
    const inner = entries.get(key);
    if (!(inner instanceof GoSlice)) continue;
    for (const [i, item] of inner.items.entries()) checkSchema(item, compile, `${path}/${key}/${i}`);
  }
  for (const key of IN_MAPS) {
    const inner = entries.get(key);
    if (!(inner instanceof GoMap)) continue;
    for (const [name, item] of inner.entries) checkSchema(item, compile, `${path}/${key}/${name}`);
  }
}

const keysOf = (value: Value | undefined): string[] =>
  value instanceof GoMap ? [...value.entries.keys()] : [];

const wrong = (path: string): HelmError =>
  new HelmError(`"file:///values.schema.json#" is not valid against metaschema: at '${path}'`);

function checkPattern(pattern: string, compile: (pattern: string) => unknown, path: string): void {
  try {
    compile(pattern);
  } catch (error) {
    if (error instanceof Failure) throw new HelmError(`${wrong(path).message}: ${error.message}`);
    throw error;
  }
}
