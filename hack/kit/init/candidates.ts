/** What of an OpenAPI document can be a kind: for each collection its settings in `provider.yaml`, and a verdict. */
import { messageOf } from '../../../internal/framework/base/errors/errors.ts';
import { parametersIn } from '../../../internal/framework/rest/rest-calls.ts';
import { flatSchema, schemaAt } from '../document/object-properties.ts';
import type { Content, OpenapiDocument, Operation } from '../document/openapi-document.ts';
import { isFor, wordsOf } from '../document/structural-schema.ts';
import type { KindSettings, LaterSettings, ProviderFile } from '../format/provider-file.ts';
import { camelCase, idFieldIn } from '../model/id-parts.ts';
import { isPatchList } from '../model/json-patch.ts';
import { responseOf } from '../model/kind-operations.ts';
import { modelKind } from '../model/model-kind.ts';
import { type Collection, type Creator, collectionsOf, creatorsOf, isNounOf } from './collections.ts';
import {
  connectionOf,
  constantsOf,
  flatOf,
  isText,
  type ReferenceContext,
  referencesOf,
  secretsOf,
  timesOf,
} from './field-guesses.ts';
import { kindNames, pluralOf } from './kind-names.ts';
import { laterOf } from './later-guess.ts';
import { pagesOf } from './pages.ts';

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
  const possible = new Map(
    [...found].flatMap(([{ key }, operations]) =>
      'create' in operations ? [[kinds.get(key) ?? '', operations] as const] : [],
    ),
  );
  const nameOf = (kind: string, parameter: string) => nameIn(possible.get(kind), parameter, document);
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
      const kindAround = around && kinds.get(around.key);
      const parent = around && {
        ...around,
        kind: kindAround !== undefined && possible.has(kindAround) ? kindAround : undefined,
      };
      const context = { document, parent, kinds: [...possible.keys()], nameOf };
      return { ...candidate, ...judged(kind, operations, context) };
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
      ? creators.filter((each) => isNounOf(each.nouns, nouns))
      : [];
  const put = one.get('PUT');
  const isChange = put !== undefined && isUpdateAlone(put);
  // Where the user names it, POST creates it and PUT updates it, unless there is one of them alone.
  const create =
    all.get('POST') ??
    creator?.create ??
    (put === undefined ? undefined : one.get('POST')) ??
    (isChange ? undefined : put) ??
    one.get('POST');
  const list = all.get('GET');
  const read = one.get('GET') ?? (list !== undefined && isListOf(list, document) ? list : undefined);
  const last = one.get('DELETE');
  const missing = [
    ...(create === undefined
      ? [`no operation creates one${isChange ? `; ${put.route} changes one, says the document` : ''}`]
      : []),
    ...(read === undefined ? ['no operation reads one'] : []),
    ...(last === undefined ? ['no operation deletes one'] : []),
  ];
  if (create === undefined || read === undefined || last === undefined) return { missing };
  const problems = [create, read, last].flatMap(({ route, problem }) =>
    problem === undefined ? [] : [`${route}: ${problem}`],
  );
  if (problems.length > 0) return { missing: problems };
  const updates = [one.get('PATCH'), put, create.path === path ? one.get('POST') : undefined];
  const update = updates
    .flatMap((each) => {
      const schema = each?.request?.schema;
      if (each === undefined || schema === undefined) return [];
      if (isPatchList(schema, document)) return [{ each, shared: Number.POSITIVE_INFINITY }];
      if (flatSchema(schema, document).properties.size === 0) return [];
      const sent = namesWithin(create.request?.schema, document);
      return [{ each, shared: [...namesWithin(schema, document)].filter((name) => sent.has(name)).length }];
    })
    // The first one of those that change most: one may be for a single field.
    .reduce<{ each: Operation; shared: number } | undefined>(
      (best, other) => (best === undefined || other.shared > best.shared ? other : best),
      undefined,
    )?.each;
  return { create, read, isList: read === list, update, delete: last, creator };
}

/** Names of fields, also within what wraps them. */
function namesWithin(schema: unknown, document: OpenapiDocument): ReadonlySet<string> {
  const { properties } = flatSchema(schema, document);
  const inner = [...properties.values()].flatMap((part) => [...flatSchema(part, document).properties.keys()]);
  return new Set([...properties.keys(), ...inner]);
}

/** A PUT for what must exist, by its name or summary, unless a response says that it creates. */
function isUpdateAlone({ id = '', summary = '', responses }: Operation): boolean {
  const words = [...wordsOf(id), ...wordsOf(summary)];
  const has = (...verbs: string[]) =>
    words.some((word) => verbs.some((verb) => word === verb || word === `${verb}s` || word === `${verb}d`));
  return (
    has('update', 'modify', 'edit', 'change', 'rename') &&
    !has('create', 'add', 'put', 'set', 'upsert', 'register', 'insert', 'store') &&
    !responses.some(({ status }) => status === 201)
  );
}

/** Where an object has the name that a parameter of paths wants, if the item of its own collection has another parameter. */
function nameIn(
  operations: Operations | undefined,
  parameter: string,
  document: OpenapiDocument,
): string | undefined {
  if (operations === undefined) return undefined;
  const own = parametersIn((operations.isList ? operations.delete : operations.read).path).at(-1) ?? '';
  if (camelCase(own) === camelCase(parameter)) return undefined;
  const { properties } = flatSchema(operations.create.request?.schema, document);
  const field = [parameter, 'name'].find((name) => isText(properties.get(name), document));
  return field === undefined ? undefined : `spec.forProvider.${camelCase(field)}`;
}

function isListOf(operation: Operation, document: OpenapiDocument): boolean {
  const flat = flatSchema(responseOf(operation)?.schema, document);
  return flat.type === 'array' || listsIn(flat.properties, document).length > 0;
}

const listsIn = (properties: ReadonlyMap<string, unknown>, document: OpenapiDocument): string[] =>
  [...properties].flatMap(([name, part]) => (flatSchema(part, document).type === 'array' ? [name] : []));

function judged(
  kind: string,
  operations: Operations,
  context: ReferenceContext,
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

function settingsOf(kind: string, operations: Operations, context: ReferenceContext): KindSettings {
  const { document } = context;
  const { create, read, update, isList } = operations;
  const propertiesOf = (content: Content | undefined, path: string | undefined) =>
    flatSchema(schemaAt(content?.schema, path?.split('.') ?? [], document), document).properties;
  const parameter = parametersIn(isList ? operations.delete.path : read.path).at(-1) ?? '';
  const outer = wrapper(create.request, undefined, document);
  const answer = flatSchema(responseOf(create)?.schema, document).properties;
  const answered = answer.size > 0 ? answer : flatSchema(responseOf(read)?.schema, document).properties;
  // What the response has beside the ID is a part of the external resource.
  const id =
    idFieldIn(answered, { kind, parameter }) ?? nestedIdOf(answered, { kind, parameter, document })[''];
  const isPart =
    outer !== undefined &&
    answered.has(outer) &&
    id !== undefined &&
    id !== 'name' &&
    !id.startsWith(`${outer}.`);
  const request = isPart ? undefined : outer;
  const fields = propertiesOf(create.request, request);
  const result = wrapper(responseOf(create), fields, document);
  const created = propertiesOf(responseOf(create), result);
  const ofRead = responseOf(read);
  const readResult = isList ? undefined : wrapper(ofRead, fields, document);
  const items = isList ? itemsOf(ofRead, document) : undefined;
  const observed = isList ? itemProperties(ofRead, items, document) : propertiesOf(ofRead, readResult);
  const around = [create.path, read.path];
  const later = laterOf(create, document, around);
  const laterUpdate = update && laterOf(update, document, around);
  const laterDelete = laterOf(operations.delete, document, around);
  const changed = update && (patchIn(update.request, document) ?? wrapper(update.request, fields, document));
  const echo = update === undefined ? [] : echoOf(update, changed, { fields, observed, document });
  const sent = flatSchema(fields.get(parameter), document);
  const required = requiredOf(create.request, request, document);
  // One that the API returns, and does not require, it chooses if it is left out.
  const isOfUser =
    isFor('spec', sent.own) &&
    sent.own.format !== 'uuid' &&
    (required.has(parameter) || !created.has(parameter));
  const isChosen =
    parametersIn(create.path).includes(parameter) || (isOfUser && isText(fields.get(parameter), document));
  // `key` of the request and of the response is the ID of /projects/{projectKey}; an `id` is not the user's to choose.
  const own = idFieldIn(created.size > 0 && later === undefined ? created : observed, { kind, parameter });
  const isOwn = own !== undefined && own !== 'id' && required.has(own);
  const ofSpec = isOwn && isText(fields.get(own), document) ? camelCase(own) : undefined;
  const ready = fields.has('status') || fields.has('state') ? undefined : readyOf(observed, document);
  const pages = isList ? pagesOf(read, document) : undefined;
  const plural = pluralOf(kind);
  const times = timesOf(fields, observed);
  const namesOf = (content: Content | undefined) => flatSchema(content?.schema, document).names.join();
  const hasOwnResponse =
    namesOf(responseOf(create)) !== '' && namesOf(responseOf(create)) !== namesOf(ofRead);
  return {
    ...(plural === `${kind.toLowerCase()}s` ? {} : { plural }),
    create: {
      operation: create.route,
      ...(request === undefined ? {} : { request }),
      ...(result === undefined || later !== undefined ? {} : { result }),
      ...(later === undefined ? {} : { later }),
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
            ...changesLater(laterUpdate),
          },
        }),
    delete: { operation: operations.delete.route, ...changesLater(laterDelete) },
    id: isChosen
      ? { '': 'metadata.name' }
      : ofSpec !== undefined
        ? { '': `spec.${ofSpec}` }
        : own === undefined && later === undefined
          ? nestedIdOf(created.size > 0 ? created : observed, { kind, parameter, document })
          : {},
    required: [],
    omit: times,
    fields: {
      ...flatOf(fields, observed, document),
      ...secretsOf(fields, document),
      ...constantsOf(fields, required, document),
      ...referencesOf(create, fields, observed, context),
    },
    ...(ready === undefined ? {} : { ready }),
    connection:
      later === undefined ? connectionOf(created, observed, fields, { document, hasOwnResponse }) : {},
  };
}

/** The ID within the only object of a response that has one, e.g. its metadata. */
function nestedIdOf(
  properties: ReadonlyMap<string, unknown>,
  {
    kind,
    parameter,
    document,
  }: { readonly kind: string; readonly parameter: string; readonly document: OpenapiDocument },
): KindSettings['id'] {
  const found = [...properties].flatMap(([name, part]) => {
    const field = idFieldIn(flatSchema(part, document).properties, { kind, parameter });
    return field === undefined || field === 'name' ? [] : [`${name}.${field}`];
  });
  return found.length === 1 ? { '': found[0] ?? '' } : {};
}

/** What an update or a deletion was for is read again. */
function changesLater(later: LaterSettings | undefined): { readonly later?: LaterSettings } {
  if (later === undefined) return {};
  const { result: _, ...rest } = later;
  return { later: rest };
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
    const { type, own, properties: inner } = flatSchema(part, document);
    // A list with the only one.
    const ofItem =
      type === 'array' && fields !== undefined ? flatSchema(own.items, document).properties : inner;
    return ofItem.size === 0 ? [] : [{ name: type === 'array' ? `${name}.0` : name, inner: ofItem }];
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
