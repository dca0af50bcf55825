/** The schema of a CRD for a schema of an OpenAPI document. */

import { isObject } from '../../../internal/framework/base/json/json-value.ts';
import type { Json, Schema } from '../../codegen/source/source.ts';
import { INFERRED } from './examples.ts';
import { type FlatSchema, flatSchema } from './object-properties.ts';
import type { OpenapiDocument } from './openapi-document.ts';

/** Whose schema it is: what the API returns has no limits, since a status that is not stored helps nobody. */
type Use = 'spec' | 'status';

const SCALARS = new Set(['string', 'integer', 'number', 'boolean']);
/** Formats that the API server does not check, other than by the size of a number. */
const FORMATS = new Set(['int32', 'int64', 'float', 'double']);
/** Where the document states no limit. */
const MAX_LENGTH = 65_536;
const MAX_ITEMS = 1024;
const MAX_DEPTH = 10;
/** Of an enum, in a description. */
const MAX_VALUES = 32;

/**
 * Patterns are left out, as are enums, which the description lists: the API knows its values best, and a value that it returns must
 * not make the object invalid. What has several types, contains itself or is deeper than ten levels is any JSON.
 */
export function structuralSchema(
  schema: unknown,
  document: Pick<OpenapiDocument, 'resolve'>,
  { use, name }: { readonly use: Use; readonly name: string },
): Schema {
  return structural(schema, { document, use, name, within: [], depth: 0 });
}

interface Context {
  readonly document: Pick<OpenapiDocument, 'resolve'>;
  readonly use: Use;
  readonly name: string;
  readonly within: readonly string[];
  readonly depth: number;
}

function structural(schema: unknown, context: Context): Schema {
  const { document, use, name, within, depth } = context;
  const { type, nullable, own, properties, required, names } = flatSchema(schema, document);
  const description = describedBy(own, name);
  const nulls = nullable && use === 'status' ? { nullable: true } : {};
  const any = { description, 'x-kubernetes-preserve-unknown-fields': true, ...nulls };
  if (depth > MAX_DEPTH || names.some((each) => within.includes(each))) return any;
  const inner = (part: unknown, key: string) =>
    structural(part, { ...context, name: key, within: [...within, ...names], depth: depth + 1 });
  // An example has one value of perhaps several types.
  if (own[INFERRED] === true && use === 'status' && type !== 'object' && type !== 'array') return any;
  if (type !== undefined && SCALARS.has(type)) {
    const scalar = type as 'string' | 'integer' | 'number' | 'boolean';
    return { description, type: scalar, ...limits(scalar, own, use), ...nulls };
  }
  if (type === 'array') {
    const items = own.items === undefined ? {} : own.items;
    return {
      description,
      type,
      maxItems: use === 'spec' ? (count(own.maxItems) ?? MAX_ITEMS) : MAX_ITEMS,
      ...(use === 'spec' && count(own.minItems) !== undefined ? { minItems: count(own.minItems) ?? 0 } : {}),
      items: withoutDescription(inner(items, name)),
      ...nulls,
    };
  }
  if (type !== 'object') return any;
  const { additionalProperties } = own;
  if (properties.size === 0 && isObject(additionalProperties) && Object.keys(additionalProperties).length > 0)
    return {
      description,
      type,
      maxProperties: MAX_ITEMS,
      additionalProperties: withoutDescription(inner(additionalProperties, name)),
      ...nulls,
    };
  const shown = [...properties].filter(([key, part]) => {
    const flat = flatSchema(part, document);
    return isFor(use, flat.own) && !(use === 'status' && isSecret(key, flat));
  });
  if (shown.length === 0) return { ...any, type };
  const wanted = use === 'spec' ? shown.map(([key]) => key).filter((key) => required.has(key)) : [];
  return {
    description,
    type,
    ...(wanted.length === 0 ? {} : { required: wanted }),
    properties: Object.fromEntries(shown.map(([key, part]) => [key, inner(part, key)])),
    ...nulls,
  };
}

/** Whether requests, or responses, have a property. */
export const isFor = (
  use: Use,
  { readOnly, writeOnly }: { readonly readOnly?: unknown; readonly writeOnly?: unknown },
) => (use === 'spec' ? readOnly !== true : writeOnly !== true);

/** Whether a value is a secret, which no status has: the document says so, or its name does. */
export const isSecret = (name: string, { type, own }: Pick<FlatSchema, 'type' | 'own'>): boolean =>
  own.format === 'password' || (type === 'string' && isSecretName(name));

const SECRETS = new Set(['token', 'secret', 'password', 'passwd', 'passphrase']);
const SECRET_KEYS = new Set(['secret', 'private', 'access', 'api']);

/** `access_token`, `clientSecret`, `secret_key`; not `token_type` or `publicKey`. */
export function isSecretName(name: string): boolean {
  const words = wordsOf(name);
  const last = words.at(-1) ?? '';
  return SECRETS.has(last) || (last === 'key' && SECRET_KEYS.has(words.at(-2) ?? ''));
}

const CHANGES = new Set([
  ...['created', 'creation', 'create', 'updated', 'update', 'modified', 'modification', 'changed', 'deleted'],
]);

/** `created_at`, `updateTime`, `last_modified`: a time that the API sets, and changes by itself. */
export function isTimeOfApi(name: string): boolean {
  const words = wordsOf(name);
  const last = words.at(-1) ?? '';
  const before = words.at(-2) ?? '';
  if (words.length < 2) return false;
  return (
    (CHANGES.has(before) && ['at', 'on', 'time', 'timestamp', 'date'].includes(last)) ||
    (before === 'last' && ['modified', 'updated', 'changed'].includes(last)) ||
    (before === 'date' && CHANGES.has(last))
  );
}

function limits(
  type: 'string' | 'integer' | 'number' | 'boolean',
  own: Readonly<Record<string, unknown>>,
  use: Use,
): Schema {
  const { format } = own;
  const sized = typeof format === 'string' && FORMATS.has(format) ? { format } : {};
  if (type === 'boolean') return {};
  if (type === 'string') {
    const [minLength, maxLength] = [count(own.minLength), count(own.maxLength)];
    if (use === 'status') return { maxLength: MAX_LENGTH };
    return { ...(minLength ? { minLength } : {}), maxLength: maxLength ?? MAX_LENGTH };
  }
  const bound = (key: 'minimum' | 'maximum') =>
    typeof own[key] === 'number' ? { [key]: own[key] as number } : {};
  return { ...sized, ...(use === 'spec' ? { ...bound('minimum'), ...bound('maximum') } : {}) };
}

const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

/** At most two sentences of the document, and the values of an enum. */
function describedBy(own: Readonly<Record<string, unknown>>, name: string): string {
  const text =
    typeof own.description === 'string' ? own.description : typeof own.title === 'string' ? own.title : '';
  const plain = text.replaceAll(/\s+/g, ' ').trim();
  const short =
    plain === '' ? sentenceOf(name) : asSentence(plain.length > 512 ? `${plain.slice(0, 509)}...` : plain);
  const known: readonly Json[] = Array.isArray(own.enum) && own.enum.length <= MAX_VALUES ? own.enum : [];
  const values = known.filter((each) => each !== null).map((each) => String(each));
  return values.length === 0 ? short : `${short} One of: ${values.join(', ')}.`;
}

const asSentence = (text: string) => (/[.!?:]$/.test(text) ? text.replace(/[!?:]$/, '.') : `${text}.`);

/** `parentUid` → `The parent uid.` */
export function sentenceOf(name: string): string {
  const words = wordsOf(name).join(' ');
  return `The ${words === '' ? 'value' : words}.`;
}

/** `parent_uid`, `parentUID`, `ServiceAccount` → words in lower case. */
export const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());

function withoutDescription({ description: _, ...schema }: Schema): Schema {
  return schema;
}
