/** What of the fields of a request the document says, though not as a keyword: constants, secrets, references, times of the API. */
import { parametersIn } from '../../../internal/framework/rest/rest-calls.ts';
import { flatSchema } from '../document/object-properties.ts';
import type { OpenapiDocument, Operation } from '../document/openapi-document.ts';
import { isFor, isSecret, isSecretName, isTimeOfApi, wordsOf } from '../document/structural-schema.ts';
import type { KindSettings } from '../format/provider-file.ts';
import { camelCase } from '../model/id-parts.ts';
import { singular } from './collections.ts';

function onlyValue(schema: unknown, document: OpenapiDocument): string | number | boolean | undefined {
  const { own } = flatSchema(schema, document);
  const only = Array.isArray(own.enum) && own.enum.length === 1 ? own.enum[0] : own.const;
  return typeof only === 'string' || typeof only === 'number' || typeof only === 'boolean' ? only : undefined;
}

/** Required fields with one value, also those within objects: `type`, `parent.type`. */
export function constantsOf(
  fields: ReadonlyMap<string, unknown>,
  required: ReadonlySet<string>,
  document: OpenapiDocument,
): KindSettings['fields'] {
  const found: Record<string, KindSettings['fields'][string]> = {};
  const note = (name: string, schema: unknown) => {
    const value = onlyValue(schema, document);
    if (value !== undefined) found[name] = { value };
  };
  for (const [name, schema] of fields) {
    if (!isFor('spec', flatSchema(schema, document).own)) continue;
    if (required.has(name)) note(name, schema);
    const inner = flatSchema(schema, document);
    if (inner.type !== 'object') continue;
    for (const [member, part] of inner.properties)
      if (inner.required.has(member)) note(`${name}.${member}`, part);
  }
  return found;
}

/**
 * Texts with the name of a secret, also within objects and lists: users would write them into the spec. Passwords of the document itself are secrets
 * anyway, within objects only as fields of their own.
 */
export function secretsOf(
  fields: ReadonlyMap<string, unknown>,
  document: OpenapiDocument,
  around: readonly string[] = [],
): KindSettings['fields'] {
  const found: Record<string, KindSettings['fields'][string]> = {};
  for (const [name, schema] of fields) {
    const { own, type, properties } = flatSchema(schema, document);
    if (!isFor('spec', own)) continue;
    const path = [...around, name];
    const isNew = own.format !== 'password' || around.length > 0;
    if (isSecret(name, { type, own }) && isNew && isText(schema, document))
      found[path.join('.')] = { secret: true };
    else if (type === 'object' && path.length <= MAX_AROUND)
      Object.assign(found, secretsOf(properties, document, path));
    else if (type === 'array' && path.length <= MAX_AROUND)
      Object.assign(found, secretsOf(flatSchema(own.items, document).properties, document, path));
  }
  return found;
}

/** Objects within objects in which secrets are looked for. */
const MAX_AROUND = 3;

/**
 * Times of the API in a request that is the whole external resource. Stored in the spec, each change of them by the API would be a
 * difference, and its correction the next change.
 */
export const timesOf = (
  fields: ReadonlyMap<string, unknown>,
  observed: ReadonlyMap<string, unknown>,
): readonly string[] => [...fields.keys()].filter((name) => observed.has(name) && isTimeOfApi(name));

export const isText = (schema: unknown, document: OpenapiDocument): boolean =>
  schema !== undefined && flatSchema(schema, document).type === 'string';

const AROUND_FIELDS = ['attributes', 'properties', 'spec'];

/** Whether an object has the fields: the attributes of JSON:API beside a type, or what the response too has beside the ID. */
const isFlat = (
  name: string,
  {
    parts,
    observed,
    document,
  }: {
    readonly parts: ReadonlyMap<string, unknown>;
    readonly observed?: ReadonlyMap<string, unknown>;
    readonly document: OpenapiDocument;
  },
): boolean =>
  AROUND_FIELDS.includes(name) &&
  flatSchema(parts.get(name), document).properties.size > 0 &&
  ((name === 'attributes' && isText(parts.get('type'), document)) ||
    flatSchema(observed?.get(name), document).properties.size > 0);

export const flatOf = (
  fields: ReadonlyMap<string, unknown>,
  observed: ReadonlyMap<string, unknown>,
  document: OpenapiDocument,
): KindSettings['fields'] =>
  Object.fromEntries(
    AROUND_FIELDS.filter((name) => isFlat(name, { parts: fields, observed, document })).map((name) => [
      name,
      { flat: true },
    ]),
  );

export interface ReferenceContext {
  readonly document: OpenapiDocument;
  /** Of the collection around it, if that can be a kind. */
  readonly parent:
    | { readonly key: string; readonly parameter: string; readonly kind: string | undefined }
    | undefined;
  /** What fields can refer to. */
  readonly kinds: readonly string[];
  /** Where an object of a kind has the name that a parameter wants, if that is not its ID: `spec.forProvider.projectName`. */
  nameOf(kind: string, parameter: string): string | undefined;
}

/**
 * Parameters of the path around the collection, and fields with the ID of another candidate: `folder_id`, or `id` within an object of
 * its name.
 */
export function referencesOf(
  create: Operation,
  fields: ReadonlyMap<string, unknown>,
  observed: ReadonlyMap<string, unknown>,
  { parent, kinds, document, nameOf }: ReferenceContext,
): KindSettings['fields'] {
  const found: Record<string, KindSettings['fields'][string]> = {};
  const { parameter, kind } = parent ?? {};
  if (parameter !== undefined && kind !== undefined && parametersIn(create.path).includes(parameter)) {
    const isGeneral = ['id', 'uid', 'uuid', 'name', 'key'].includes(parameter.toLowerCase());
    const name = `${kind.slice(0, 1).toLowerCase()}${kind.slice(1)}Id`;
    const words = wordsOf(parameter);
    const value = words.at(-1) === 'name' && words.length > 1 ? nameOf(kind, parameter) : undefined;
    found[parameter] = {
      ...(isGeneral ? { name } : {}),
      reference: { kind, ...(value === undefined ? {} : { value }) },
    };
  }
  const note = (path: readonly string[], words: readonly string[]) => {
    const kind = kinds.find((each) => each.toLowerCase() === words.join(''));
    if (kind !== undefined) found[path.join('.')] = { reference: { kind } };
  };
  const scan = (parts: ReadonlyMap<string, unknown>, around: readonly string[]): void => {
    for (const [field, schema] of parts) {
      const path = [...around, field];
      const words = wordsOf(field);
      const { type, own, properties } = flatSchema(schema, document);
      const [stem, last = ''] = [words.slice(0, -1), words.at(-1) ?? ''];
      if (!isFor('spec', own)) continue;
      if (isFlat(field, { parts, observed, document })) scan(properties, path);
      else if (field === 'relationships' && isText(parts.get('type'), document))
        Object.assign(found, relationshipsOf(properties, path, kinds, document));
      else if (type === 'object' && isId(properties.get('id'), document)) note([...path, 'id'], words);
      else if (IDS.includes(last) && isId(schema, document)) note(path, stem);
      else if (type === 'array') {
        const items = flatSchema(own.items ?? {}, document);
        if (IDS.includes(singular(last)) && isId(own.items, document)) note(path, stem);
        if (isId(items.properties.get('id'), document)) note([...path, 'id'], [...stem, singular(last)]);
        if (path.length <= MAX_LISTS) scan(items.properties, path);
      }
    }
  };
  scan(fields, []);
  return found;
}

/**
 * Relationships of JSON:API, `{ team: { data: { type: teams, id } } }`, with one or a list. The type says what the kind is, else the name of the
 * relationship.
 */
function relationshipsOf(
  relationships: ReadonlyMap<string, unknown>,
  around: readonly string[],
  kinds: readonly string[],
  document: OpenapiDocument,
): KindSettings['fields'] {
  const found: Record<string, KindSettings['fields'][string]> = {};
  for (const [name, schema] of relationships) {
    const data = flatSchema(flatSchema(schema, document).properties.get('data'), document);
    const isList = data.type === 'array';
    const { properties } = isList ? flatSchema(data.own.items, document) : data;
    if (!isId(properties.get('id'), document)) continue;
    const path = [...around, name, 'data'];
    const type = onlyValue(properties.get('type'), document);
    if (type !== undefined) found[[...path, 'type'].join('.')] = { value: type };
    const words = wordsOf(typeof type === 'string' ? type : name);
    const last = words.pop() ?? '';
    const wanted = [[...words, last].join(''), [...words, singular(last)].join('')];
    const kind = kinds.find((each) => wanted.includes(each.toLowerCase()));
    if (kind === undefined) continue;
    const reference = { kind };
    found[[...path, 'id'].join('.')] = isList ? { reference } : { name: camelCase(`${name}_id`), reference };
  }
  return found;
}

const IDS = ['id', 'uid', 'uuid'];
/** Lists within lists in which IDs are looked for. */
const MAX_LISTS = 3;

/** What requests can have. */
const isId = (schema: unknown, document: OpenapiDocument): boolean => {
  const { type, own } = flatSchema(schema, document);
  return ['string', 'integer'].includes(type ?? '') && isFor('spec', own);
};

/** Texts that the response of create alone has, or that have the name of a secret. */
export function connectionOf(
  created: ReadonlyMap<string, unknown>,
  observed: ReadonlyMap<string, unknown>,
  fields: ReadonlyMap<string, unknown>,
  {
    document,
    hasOwnResponse,
  }: {
    readonly document: OpenapiDocument;
    /** What create returns is described apart from what read returns. */
    readonly hasOwnResponse: boolean;
  },
): KindSettings['connection'] {
  const isSent = (name: string) =>
    isFor('spec', flatSchema(fields.get(name), document).own) && fields.has(name);
  const names = [...created].flatMap(([name, schema]) => {
    if (!isText(schema, document)) return [];
    // What read returns may be cut, or masked. What users have sent they know, unless the API may have chosen it.
    const isDetail = isSecretName(name)
      ? !isSent(name) || hasOwnResponse
      : /key|token|secret|password/i.test(name) && !observed.has(name) && !isSent(name);
    return isDetail ? [name] : [];
  });
  return Object.fromEntries(names.map((name) => [name, { from: 'create' as const, field: name }]));
}
