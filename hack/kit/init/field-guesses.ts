/** What of the fields of a request the document says, though not as a keyword: constants, secrets, references, times of the API. */
import { parametersIn } from '../../../internal/framework/rest/rest-calls.ts';
import { flatSchema } from '../document/object-properties.ts';
import type { OpenapiDocument, Operation } from '../document/openapi-document.ts';
import { isFor, isSecretName, wordsOf } from '../document/structural-schema.ts';
import type { KindSettings } from '../format/provider-file.ts';
import { singular } from './collections.ts';

/** Required fields with one value, also those within objects: `type`, `parent.type`. */
function constantsOf(
  fields: ReadonlyMap<string, unknown>,
  required: ReadonlySet<string>,
  document: OpenapiDocument,
): KindSettings['fields'] {
  const onlyValue = (schema: unknown) => {
    const { own } = flatSchema(schema, document);
    const only = Array.isArray(own.enum) && own.enum.length === 1 ? own.enum[0] : own.const;
    return typeof only === 'string' || typeof only === 'number' || typeof only === 'boolean'
      ? only
      : undefined;
  };
  const found: Record<string, KindSettings['fields'][string]> = {};
  const note = (name: string, schema: unknown) => {
    const value = onlyValue(schema);
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

/** Texts with the name of a secret, which users would write into the spec. Passwords are secrets anyway. */
function secretsOf(fields: ReadonlyMap<string, unknown>, document: OpenapiDocument): KindSettings['fields'] {
  const found = [...fields].filter(([name, schema]) => {
    const { own } = flatSchema(schema, document);
    return isSecretName(name) && isText(schema, document) && isFor('spec', own) && own.format !== 'password';
  });
  return Object.fromEntries(found.map(([name]) => [name, { secret: true }]));
}

const isText = (schema: unknown, document: OpenapiDocument): boolean =>
  schema !== undefined && flatSchema(schema, document).type === 'string';

/**
 * Parameters of the path around the collection, and fields with the ID of another candidate: `folder_id`, or `id` within an object of
 * its name.
 */
function referencesOf(
  create: Operation,
  fields: ReadonlyMap<string, unknown>,
  { parent, kinds, document }: Context,
): KindSettings['fields'] {
  const found: Record<string, KindSettings['fields'][string]> = {};
  const { parameter, kind } = parent ?? {};
  if (parameter !== undefined && kind !== undefined && parametersIn(create.path).includes(parameter)) {
    const isGeneral = ['id', 'uid', 'uuid', 'name', 'key'].includes(parameter.toLowerCase());
    const name = `${kind.slice(0, 1).toLowerCase()}${kind.slice(1)}Id`;
    found[parameter] = { ...(isGeneral ? { name } : {}), reference: { kind } };
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
      if (type === 'object' && isId(properties.get('id'), document)) note([...path, 'id'], words);
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

const IDS = ['id', 'uid', 'uuid'];
/** Lists within lists in which IDs are looked for. */
const MAX_LISTS = 3;

/** What requests can have. */
const isId = (schema: unknown, document: OpenapiDocument): boolean => {
  const { type, own } = flatSchema(schema, document);
  return ['string', 'integer'].includes(type ?? '') && isFor('spec', own);
};

/** Texts that the response of create alone has, or that have the name of a secret. */
function connectionOf(
  created: ReadonlyMap<string, unknown>,
  observed: ReadonlyMap<string, unknown>,
  fields: ReadonlyMap<string, unknown>,
  document: OpenapiDocument,
): KindSettings['connection'] {
  const isSent = (name: string) =>
    isFor('spec', flatSchema(fields.get(name), document).own) && fields.has(name);
  const names = [...created].flatMap(([name, schema]) => {
    if (!isText(schema, document)) return [];
    // What read returns may be cut, or masked.
    const isDetail = observed.has(name)
      ? isSecretName(name) && !isSent(name)
      : /key|token|secret|password/i.test(name);
    return isDetail ? [name] : [];
  });
  return Object.fromEntries(names.map((name) => [name, { from: 'create' as const, field: name }]));
}

