/** What of an OpenAPI document can be a kind: for each collection its settings in `provider.yaml`, and a verdict. */
import { messageOf } from '../../../internal/framework/base/errors/errors.ts';
import { parametersIn } from '../../../internal/framework/rest/rest-calls.ts';
import { flatSchema, schemaAt } from '../document/object-properties.ts';
import type { Content, OpenapiDocument, Operation } from '../document/openapi-document.ts';
import { isFor, isSecretName, wordsOf } from '../document/structural-schema.ts';
import type { KindSettings, PagesSettings, ProviderFile } from '../format/provider-file.ts';
import { camelCase, idFieldIn } from '../model/id-parts.ts';
import { isPatchList } from '../model/json-patch.ts';
import { responseOf } from '../model/kind-operations.ts';
import { modelKind } from '../model/model-kind.ts';
import { type Collection, type Creator, collectionsOf, creatorsOf, singular } from './collections.ts';

export interface Candidate {
  /** Of the collection. */
  readonly path: string;
  readonly kind: string;
  /** Undefined if it cannot be a kind. */
  readonly settings: KindSettings | undefined;
  readonly verdict: Verdict;
  /** What is missing, or what the author has to state. */
  readonly reasons: readonly string[];
  /** Fields of the spec. */
  readonly fields: number;
}

/** In the order in which a summary has them. */
export const VERDICTS = ['complete', 'no update', 'read by list', 'needs', 'no kind'] as const;
export type Verdict = (typeof VERDICTS)[number];

const RESERVED = ['ProviderConfig', 'ClusterProviderConfig', 'ProviderConfigUsage'];

export function candidatesOf(document: OpenapiDocument): Candidate[] {
  const collections = collectionsOf(document);
  const creators = creatorsOf(document, collections);
  const found = new Map(collections.map((each) => [each, operationsIn(each, creators, document)]));
  // Those that can be kinds have the shorter names, first those with shorter paths.
  const isKind = (each: Collection) => Number('create' in (found.get(each) ?? {}));
  const kinds = kindNames(
    collections.toSorted((a, b) => isKind(b) - isKind(a) || a.nouns.length - b.nouns.length),
  );
  const places = new Map(
    [...found].flatMap(([each, operations]) =>
      'create' in operations && operations.creator !== undefined
        ? [[operations.creator.path, each.path]]
        : [],
    ),
  );
  return collections.map((collection) => {
    const kind = kinds.get(collection.key) ?? '';
    const candidate = { path: collection.path, kind };
    const none = (reasons: readonly string[]): Candidate => ({
      ...candidate,
      ...{ settings: undefined, verdict: 'no kind', reasons, fields: 0 },
    });
    try {
      const operations = found.get(collection) ?? { missing: [] };
      const items = places.get(collection.path);
      if (items !== undefined) return none([`what it creates is at ${items}`]);
      if ('missing' in operations) return none(operations.missing);
      const around = (operations.creator ?? collection).parent;
      const parent = around && { ...around, kind: kinds.get(around.key) };
      return {
        ...candidate,
        ...judged(kind, operations, { collection, document, parent, kinds: [...kinds.values()] }),
      };
    } catch (error) {
      // A part of the document that is broken is the matter of this collection alone.
      return none([messageOf(error)]);
    }
  });
}

interface Operations {
  readonly create: Operation;
  readonly read: Operation;
  readonly isList: boolean;
  readonly update: Operation | undefined;
  readonly delete: Operation;
  /** Where `create` is, if it is elsewhere. */
  readonly creator: Creator | undefined;
}

type Found = Operations | { readonly missing: readonly string[] };

function operationsIn(
  collection: Collection,
  creators: readonly Creator[],
  document: OpenapiDocument,
): Found {
  try {
    return operationsOf(collection, creators, document);
  } catch (error) {
    // A part of the document that is broken is the matter of this collection alone.
    return { missing: [messageOf(error)] };
  }
}

function operationsOf(
  { all, one, path, nouns }: Collection,
  creators: readonly Creator[],
  document: OpenapiDocument,
): Found {
  if (one.size === 0)
    return { missing: [`there is no path for one of several, such as ${path.replace(/\/$/, '')}/{id}`] };
  const [creator] =
    !all.has('POST') && one.has('GET') && one.has('DELETE')
      ? creators.filter((each) => each.nouns.at(-1) === nouns.at(-1))
      : [];
  // Where the user names it, POST creates it and PUT updates it, unless there is one of them alone.
  const create =
    all.get('POST') ??
    creator?.create ??
    (one.has('PUT') ? one.get('POST') : undefined) ??
    one.get('PUT') ??
    one.get('POST');
  const list = all.get('GET');
  const read = one.get('GET') ?? (list !== undefined && isListOf(list, document) ? list : undefined);
  const last = one.get('DELETE');
  const missing = [
    ...(create === undefined ? ['no operation creates one'] : []),
    ...(read === undefined ? ['no operation reads one'] : []),
    ...(last === undefined ? ['no operation deletes one'] : []),
  ];
  if (create === undefined || read === undefined || last === undefined) return { missing };
  const updates = [one.get('PATCH'), one.get('PUT'), create.path === path ? one.get('POST') : undefined];
  const update = updates.find(
    (each) =>
      each?.request !== undefined &&
      (isPatchList(each.request.schema, document) ||
        flatSchema(each.request.schema, document).properties.size > 0),
  );
  return { create, read, isList: read === list, update, delete: last, creator };
}

function isListOf(operation: Operation, document: OpenapiDocument): boolean {
  const flat = flatSchema(responseOf(operation)?.schema, document);
  return flat.type === 'array' || listsIn(flat.properties, document).length > 0;
}

const listsIn = (properties: ReadonlyMap<string, unknown>, document: OpenapiDocument): string[] =>
  [...properties].flatMap(([name, part]) => (flatSchema(part, document).type === 'array' ? [name] : []));

interface Context {
  readonly collection: Collection;
  readonly document: OpenapiDocument;
  readonly parent:
    | { readonly key: string; readonly parameter: string; readonly kind: string | undefined }
    | undefined;
  /** Of all candidates. */
  readonly kinds: readonly string[];
}

function judged(
  kind: string,
  operations: Operations,
  context: Context,
): Pick<Candidate, 'settings' | 'verdict' | 'reasons' | 'fields'> {
  const settings = settingsOf(kind, operations, context);
  const first = tried(kind, settings, context.document);
  // The ID is no field of a response: it may be the name that create sends.
  const named = { ...settings, id: { '': 'metadata.name' } };
  const second = first.reasons.some((reason) => reason.startsWith('id:'))
    ? tried(kind, named, context.document)
    : first;
  const best =
    second.reasons.length < first.reasons.length ? { ...second, settings: named } : { ...first, settings };
  const later = isLater(operations.create) && settings.create.later === undefined;
  const reasons = [
    ...(later ? ['create: the API answers 202; state later, the operation that ends later'] : []),
    ...best.reasons,
  ];
  if (reasons.length > 0) return { ...best, reasons, verdict: 'needs' };
  if (operations.isList) return { ...best, verdict: 'read by list' };
  return { ...best, verdict: operations.update === undefined ? 'no update' : 'complete' };
}

/** What the model of the kind has to say about its settings. */
function tried(kind: string, settings: KindSettings, document: OpenapiDocument) {
  const reasons: string[] = [];
  // References are checked when their kinds are chosen.
  const known = Object.values(settings.fields).flatMap(({ reference }) =>
    reference === undefined ? [] : [reference.kind],
  );
  const file: ProviderFile = {
    name: 'draft',
    group: 'draft.example.org',
    version: 'v1alpha1',
    openapi: { file: 'openapi.yaml' },
    api: {},
    kinds: Object.fromEntries([kind, ...known].map((each) => [each, settings])),
  };
  const model = modelKind(kind, settings, {
    file,
    document,
    report: (where, text) => reasons.push(`${where.split('.').slice(2).join('.')}: ${text}`),
  });
  return { reasons, fields: Object.keys((model?.forProvider.properties as object | undefined) ?? {}).length };
}

const isLater = ({ responses }: Operation): boolean =>
  responses.length > 0 && responses.every(({ status }) => status === 202);

function settingsOf(kind: string, operations: Operations, context: Context): KindSettings {
  const { document } = context;
  const { create, read, update, isList } = operations;
  const propertiesOf = (content: Content | undefined, path: string | undefined) => {
    const { properties } = flatSchema(content?.schema, document);
    return path === undefined ? properties : flatSchema(properties.get(path), document).properties;
  };
  const request = wrapper(create.request, undefined, document);
  const fields = propertiesOf(create.request, request);
  const result = wrapper(responseOf(create), fields, document);
  const created = propertiesOf(responseOf(create), result);
  const ofRead = responseOf(read);
  const readResult = isList ? undefined : wrapper(ofRead, fields, document);
  const items = isList ? itemsOf(ofRead, document) : undefined;
  const observed = isList ? itemProperties(ofRead, items, document) : propertiesOf(ofRead, readResult);
  const changed = update && (patchIn(update.request, document) ?? wrapper(update.request, fields, document));
  const echo = update === undefined ? [] : echoOf(update, changed, { fields, observed, document });
  const parameter = parametersIn(isList ? operations.delete.path : read.path).at(-1) ?? '';
  const isSent = isFor('spec', flatSchema(fields.get(parameter), document).own);
  const isChosen =
    parametersIn(create.path).includes(parameter) || (isSent && isText(fields.get(parameter), document));
  // `key` of the request and of the response is the ID of /projects/{projectKey}; an `id` is not the user's to choose.
  const own = idFieldIn(created.size > 0 ? created : observed, { kind, parameter });
  const isOwn = own !== undefined && own !== 'id' && requiredOf(create.request, request, document).has(own);
  const ofSpec = isOwn && isText(fields.get(own), document) ? camelCase(own) : undefined;
  const ready = fields.has('status') || fields.has('state') ? undefined : readyOf(observed, document);
  const pages = isList ? pagesOf(read, document) : undefined;
  const plural = pluralOf(kind);
  return {
    ...(plural === `${kind.toLowerCase()}s` ? {} : { plural }),
    create: {
      operation: create.route,
      ...(request === undefined ? {} : { request }),
      ...(result === undefined ? {} : { result }),
    },
    read: isList
      ? {
          list: read.route,
          ...(items === undefined ? {} : { items }),
          ...(pages === undefined ? {} : { pages }),
        }
      : { operation: read.route, ...(readResult === undefined ? {} : { result: readResult }) },
    ...(update === undefined
      ? {}
      : {
          update: {
            operation: update.route,
            ...(changed === undefined ? {} : { request: changed }),
            ...(echo.length === 0 ? {} : { echo }),
          },
        }),
    delete: operations.delete.route,
    id: isChosen ? { '': 'metadata.name' } : ofSpec === undefined ? {} : { '': `spec.${ofSpec}` },
    required: [],
    omit: [],
    fields: {
      ...secretsOf(fields, document),
      ...constantsOf(fields, requiredOf(create.request, request, document), document),
      ...referencesOf(create, fields, context),
    },
    ...(ready === undefined ? {} : { ready }),
    connection: connectionOf(created, observed, fields, document),
  };
}

/** `policy` → `policies`. */
function pluralOf(kind: string): string {
  const name = kind.toLowerCase();
  if (/[^aeiou]y$/.test(name)) return `${name.slice(0, -1)}ies`;
  return /(?:s|sh|ch|x|z)$/.test(name) ? `${name}es` : `${name}s`;
}

/**
 * The member that has the fields: of a request the only one, of a response the one that has most fields of the request, if the response
 * itself has none.
 */
function wrapper(
  content: Content | undefined,
  fields: ReadonlyMap<string, unknown> | undefined,
  document: OpenapiDocument,
): string | undefined {
  const { properties } = flatSchema(content?.schema, document);
  const objects = [...properties].flatMap(([name, part]) => {
    const inner = flatSchema(part, document).properties;
    return inner.size === 0 ? [] : [{ name, inner }];
  });
  if (fields === undefined || fields.size === 0) return properties.size === 1 ? objects[0]?.name : undefined;
  if ([...fields.keys()].some((name) => properties.has(name))) return undefined;
  const shared = ({ inner }: { inner: ReadonlyMap<string, unknown> }) =>
    [...fields.keys()].filter((name) => inner.has(name)).length;
  const best = objects.toSorted((a, b) => shared(b) - shared(a))[0];
  return best === undefined || shared(best) === 0 ? undefined : best.name;
}

/** The member with a JSON Patch: `{ comment, patch: [...] }`. */
const patchIn = (content: Content | undefined, document: OpenapiDocument): string | undefined =>
  [...flatSchema(content?.schema, document).properties].find(([, part]) => isPatchList(part, document))?.[0];

/** The member with the list, where there are several. */
function itemsOf(content: Content | undefined, document: OpenapiDocument): string | undefined {
  const { type, properties } = flatSchema(content?.schema, document);
  if (type === 'array') return undefined;
  const lists = listsIn(properties, document);
  if (lists.length < 2) return undefined;
  return (
    lists.find((name) => ['items', 'data', 'results', 'value', 'values', 'content'].includes(name)) ??
    lists[0]
  );
}

function itemProperties(content: Content | undefined, items: string | undefined, document: OpenapiDocument) {
  const whole = flatSchema(content?.schema, document);
  const name = items ?? listsIn(whole.properties, document)[0];
  const list =
    whole.type === 'array'
      ? whole
      : flatSchema(name === undefined ? {} : whole.properties.get(name), document);
  return flatSchema(list.own.items ?? {}, document).properties;
}

/** What update requires and create does not have, e.g. a version. */
function echoOf(
  { request }: Operation,
  path: string | undefined,
  known: {
    readonly fields: ReadonlyMap<string, unknown>;
    readonly observed: ReadonlyMap<string, unknown>;
    readonly document: OpenapiDocument;
  },
): string[] {
  const whole = flatSchema(request?.schema, known.document);
  const { required } = path === undefined ? whole : flatSchema(whole.properties.get(path), known.document);
  return [...required].filter((name) => !known.fields.has(name) && known.observed.has(name));
}

const requiredOf = (content: Content | undefined, path: string | undefined, document: OpenapiDocument) =>
  flatSchema(schemaAt(content?.schema, path === undefined ? [] : [path], document), document).required;

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

const READY =
  /^(?:active|ready|running|available|succeeded|success|ok|online|enabled|healthy|deployed|complete|completed)$/i;
const PENDING = new RegExp(
  `(?:${[
    ...[
      'creating',
      'pending',
      'provisioning',
      'updating',
      'building',
      'starting',
      'deploying',
      'initializing',
    ],
    ...['progress', 'queued', 'resuming', 'restoring', 'backing[_-]?up', 'scaling', 'resizing', 'migrating'],
    ...[
      'booting',
      'upgrading',
      'configuring',
      'installing',
      'allocating',
      'attaching',
      'cloning',
      'stopping',
    ],
  ].join('|')})$`,
  'i',
);

/** A state with known values that requests do not set. */
function readyOf(observed: ReadonlyMap<string, unknown>, document: OpenapiDocument): KindSettings['ready'] {
  for (const field of ['status', 'state', 'lifecycle_state', 'lifecycleState', 'phase']) {
    const { type, own } = flatSchema(observed.get(field), document);
    if (type !== 'string' || !Array.isArray(own.enum)) continue;
    const states = own.enum.filter((value) => typeof value === 'string');
    const values = states.filter((value) => READY.test(value));
    const pending = states.filter((value) => !READY.test(value) && PENDING.test(value));
    if (values.length > 0) return { field, values, ...(pending.length === 0 ? {} : { pending }) };
  }
  return undefined;
}

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

const SIZES = ['per_page', 'perPage', 'perpage', 'page_size', 'pageSize', 'limit', 'size', 'count'];
const TOKENS = ['page_token', 'pageToken', 'cursor', 'continue', 'next_token', 'nextToken'];
const NEXT = [
  'next_page_token',
  'nextPageToken',
  'next_cursor',
  'nextCursor',
  'next_token',
  'nextToken',
  'continue',
  'next',
];

function pagesOf(list: Operation, document: OpenapiDocument): PagesSettings | undefined {
  const parameters = list.parameters.filter(({ in: place }) => place === 'query');
  const named = (names: readonly string[]) => parameters.find(({ name }) => names.includes(name));
  const token = named(TOKENS);
  const { properties } = flatSchema(responseOf(list)?.schema, document);
  const next = NEXT.find((name) => properties.has(name));
  if (list.responses.some(({ headers }) => headers.includes('link'))) return { by: 'link' };
  if (token !== undefined && next !== undefined) return { by: 'token', parameter: token.name, next };
  const address = addressIn(properties, document);
  if (address !== undefined) return { by: 'link', next: address };
  const sized = named(SIZES);
  if (sized === undefined) return undefined;
  const { own } = flatSchema(sized.schema, document);
  const size =
    [own.maximum, own.default].find((value) => typeof value === 'number' && value >= 1 && value <= 1000) ??
    100;
  const pages = { sizeParameter: sized.name, size: Number(size) };
  const page = named(['page', 'page_number', 'pageNumber']);
  if (page !== undefined) return { by: 'number', parameter: page.name, ...pages };
  const offset = named(['offset', 'skip', 'start']);
  return offset === undefined ? undefined : { by: 'offset', parameter: offset.name, ...pages };
}

/** The field with the address of the next page: `next` of format `uri`, or within `links`. */
function addressIn(properties: ReadonlyMap<string, unknown>, document: OpenapiDocument): string | undefined {
  const isAddress = (schema: unknown) => /^ur[il]$/.test(String(flatSchema(schema, document).own.format));
  if (isAddress(properties.get('next'))) return 'next';
  const around = ['links', '_links'].find((name) =>
    isText(flatSchema(properties.get(name), document).properties.get('next'), document),
  );
  return around === undefined ? undefined : `${around}.next`;
}

/** By key of the collection. One whose own word is taken has the words around it in front. */
function kindNames(collections: readonly Collection[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set(RESERVED);
  for (const { key, nouns } of collections) {
    const words = nouns.map((noun) =>
      wordsOf(noun)
        .map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`)
        .join(''),
    );
    const longer = words.map((_, index) => words.slice(words.length - 1 - index).join(''));
    const whole = longer.at(-1) ?? 'Object';
    const numbered = Array.from({ length: collections.length + 1 }, (_, index) => `${whole}${index + 2}`);
    const name = [...longer, whole, ...numbered].find(
      (each) => /^[A-Z]/.test(each) && each.length <= 60 && !taken.has(each),
    );
    const kind = name ?? `Object${taken.size}`;
    taken.add(kind);
    names.set(key, kind);
  }
  return names;
}
