/** Makes the model of a kind of `provider.yaml` with the operations of the document, and reports what does not fit. */

import { isObject, setAt, valueAt } from '../../../internal/framework/base/json/json-value.ts';
import {
  type RestCreate,
  type RestDefinition,
  type RestDelete,
  type RestId,
  type RestList,
  type RestOperation,
  type RestRead,
  type RestUpdate,
  type Route,
  specValue,
} from '../../../internal/framework/rest/definition.ts';
import { textOf } from '../../../internal/framework/rest/external-name.ts';
import { parametersIn, splitRoute } from '../../../internal/framework/rest/rest-calls.ts';
import { typeText } from '../../codegen/types/type-text.ts';
import { INFERRED } from '../document/examples.ts';
import { type FlatSchema, flatSchema, schemaAt } from '../document/object-properties.ts';
import type { JsonObject, OpenapiDocument, Operation } from '../document/openapi-document.ts';
import { isFor, isSecret, structuralSchema, wordsOf } from '../document/structural-schema.ts';
import type { KindSettings, LaterSettings, ProviderFile } from '../format/provider-file.ts';
import {
  checkNames,
  checkParameters,
  checkWithoutOperations,
  givenQuery,
  missingHeaders,
  warnOfLater,
  warnOfPages,
  warnOfState,
  warnOfValues,
} from './check-kind.ts';
import { flatPaths, withMembers } from './flat-fields.ts';
import { camelCase, kindId } from './id-parts.ts';
import { isPatchList } from './json-patch.ts';
import type { Context } from './kind-context.ts';
import type { KindModel, KindSample } from './kind-model.ts';
import {
  detailOperations,
  type KindOperations,
  type KindSchemas,
  kindOperations,
  kindSchemas,
  onlyList,
  operationFinder,
  type Report,
  responseOf,
} from './kind-operations.ts';
import { sampleOf } from './samples.ts';
import { forProviderOf, isOfSpec, specFields } from './spec-fields.ts';

export interface ModelOptions {
  readonly file: ProviderFile;
  readonly document: OpenapiDocument;
  /** Reports a mistake at a dotted path of `provider.yaml`. */
  readonly report: Report;
  /** Kinds that could not be read as a whole; others may refer to them. Default: none. */
  readonly isBroken?: (kind: string) => boolean;
}

/** Undefined after a mistake without which the rest cannot be checked. */
export function modelKind(kind: string, stated: KindSettings, options: ModelOptions): KindModel | undefined {
  const { document, file } = options;
  const report: Report = (where, text) => options.report(`kinds.${kind}.${where}`, text);
  const find = operationFinder(document, report, givenQuery(stated, file));
  const operations = kindOperations(stated, find);
  const schemas = operations && kindSchemas(stated, operations, { document, report });
  const fieldsOf = () => schemas && { fields: withMembers(stated.fields, schemas, { document, report }) };
  const settings: KindSettings = { ...stated, ...fieldsOf() };
  const id = schemas && kindId({ kind, settings, operations, schemas, document, report });
  if (operations === undefined || schemas === undefined || id === undefined) {
    checkWithoutOperations(settings, { file, document, report });
    return undefined;
  }
  const warnings: string[] = [];
  const warn = (text: string) => warnings.push(`${kind}: ${text}`);
  const fields = specFields({ kind, settings, operations, schemas, document, report, id, find, warn });
  const noun = settings.noun ?? wordsOf(kind).join(' ');
  const details = detailOperations(settings, find, { document, report });
  const requests = (settings.requests ?? []).flatMap((name) => find(name, 'requests') ?? []);
  const context = {
    ...{ kind, noun, settings, file, document, report, warn, find, operations, schemas, id, fields },
    ...{ details, requests },
  };
  checkNames(context);
  checkParameters(context);
  warnOfValues(context);
  warnOfPages(context);
  warnOfState(context);
  warnOfLater(context);
  for (const text of missingHeaders(context)) warn(text);
  if (isUnnamed(context))
    warn(
      'the document does not say what create returns; the ID is taken from its response, else from its header Location',
    );
  if (isOperation(context))
    warn(
      'the response of create has a state and no field of the request, so it may be an operation that ends later: state create.later, or the ID is that of the operation',
    );
  const ofExample = [...schemas.observed.properties].flatMap(([name, schema]) =>
    flatSchema(schema, document).own[INFERRED] === true ? [name] : [],
  );
  if (ofExample.length > 0)
    warn(
      `the response of read has ${ofExample.join(', ')} in its example alone: fields of these names are compared with it, and the status has those that status states`,
    );
  const status = statusFields(context);
  return {
    kind,
    plural: settings.plural ?? `${kind.toLowerCase()}s`,
    code: settings.code,
    scopes: settings.scopes ?? ['cluster', 'namespaced'],
    description: settings.description ?? `A ${noun} of ${file.api.name ?? document.title}.`,
    definition: definitionOf(context, status),
    forProvider: forProviderOf(fields, { document, noun }),
    atProvider: {
      description: `The observed ${noun}.`,
      type: 'object',
      properties: Object.fromEntries(
        Object.entries(status).map(([name, as]) => [
          name,
          structuralSchema(observedAt(schemas, as, document), document, { use: 'status', name }),
        ]),
      ),
    },
    types: {
      request: jsonType(schemas.request.properties, { document, use: 'spec' }),
      external: jsonType(schemas.observed.properties, { document, use: 'status' }),
    },
    sample: kindSample(context),
    warnings,
  };
}

const observedAt = ({ observed, observedSchema }: KindSchemas, as: string, document: OpenapiDocument) =>
  observed.properties.get(as) ?? schemaAt(observedSchema, as.split('.'), document);

/** All members are optional: an API may leave any of them out, and an update has some. */
function jsonType(
  properties: ReadonlyMap<string, unknown>,
  { document, use }: { readonly document: OpenapiDocument; readonly use: 'spec' | 'status' },
): string {
  const schemas = [...properties].map(([name, schema]) => [
    name,
    structuralSchema(schema, document, { use, name }),
  ]);
  return typeText({ type: 'object', properties: Object.fromEntries(schemas) });
}

/** Where read has no ETag, as a list has none, no request has one. */
const hasIfMatch = ({ settings, operations }: Pick<Context, 'settings' | 'operations'>): boolean =>
  settings.update?.ifMatch ??
  (!('list' in settings.read) &&
    [operations.update, operations.delete].some((operation) =>
      operation?.parameters.some(({ name, in: place }) => place === 'header' && /^if-match$/i.test(name)),
    ));

/** By name in the status the field of the response: those of `status`, or all that no request has and that are no secret. */
function statusFields({
  settings,
  schemas,
  document,
  fields,
  report,
  warn,
  id,
}: Context): Readonly<Record<string, string>> {
  const shown = new Set(
    fields
      .filter(({ field }) => field !== undefined && !field.writeOnly && !field.secret)
      .map(({ path: [first = ''] }) => first),
  );
  const secret = new Set([
    ...Object.values(settings.connection).map(({ field }) => field.split('.', 1)[0]),
    ...fields.filter(({ field }) => field?.secret).map(({ path: [first] }) => first),
  ]);
  const isOfId = (name: string) =>
    id.parts.some(({ from, field, parameter }) => from === 'response' && (field ?? parameter) === name);
  const isShown = (name: string, schema: unknown) => {
    const flat = flatSchema(schema, document);
    if (!isFor('status', flat.own) || flat.own.format === 'password') return false;
    if (isOfId(name)) return true;
    if (shown.has(name) || secret.has(name) || flat.own[INFERRED] === true) return false;
    if (!isSecret(name, flat)) return true;
    warn(
      `${name} is not in the status: its name is that of a secret; state it in connection, e.g. as read.${name}, or in status`,
    );
    return false;
  };
  const names =
    settings.status?.map((path) => path.split('.', 1)[0] ?? path) ??
    [...schemas.observed.properties].flatMap(([name, schema]) => (isShown(name, schema) ? [name] : []));
  const status: Record<string, string> = Object.create(null);
  for (const as of names) {
    const name = camelCase(as);
    if (status[name] !== undefined)
      report('status', `${as} and ${status[name]} are both ${name} in the status; list one of them`);
    status[name] = as;
  }
  const ofSpec = new Set(fields.map(({ as }) => as));
  for (const around of settings.status === undefined ? flatPaths(settings.fields) : [])
    for (const [member, schema] of flatSchema(observedAt(schemas, around, document), document).properties) {
      const [name, as] = [camelCase(member), `${around}.${member}`];
      if (status[name] === undefined && !ofSpec.has(as) && isShown(member, schema)) status[name] = as;
    }
  return status;
}

function definitionOf(context: Context, status: Readonly<Record<string, string>>): RestDefinition {
  const { noun, settings, operations, schemas, id, fields, file } = context;
  const parameters = fields.flatMap(({ name, as }) =>
    as === name || !isParameter(as, operations) ? [] : [[as, name]],
  );
  const hasSameNames = Object.entries(status).every(([name, as]) => name === as);
  const { ready, deleted, immutable } = settings;
  const { terminalStatuses, notFound } = file.api;
  return {
    noun,
    id: { parts: id.parts, ...(isUnique(context) ? { isUnique: true } : {}), ...findByOf(context) },
    create: createOf(context),
    read: readOf(settings, operations.read, schemas.items),
    ...updateOf(context),
    delete: deleteOf(context),
    fields: Object.fromEntries(
      fields.flatMap(({ name, field }) => (field === undefined ? [] : [[name, field]])),
    ),
    ...(parameters.length === 0 ? {} : { parameters: Object.fromEntries(parameters) }),
    ...(Object.keys(status).length === 0 ? {} : { status: hasSameNames ? Object.keys(status) : status }),
    ...(ready === undefined ? {} : { ready: withPoll(ready) }),
    ...(deleted === undefined ? {} : { deleted }),
    ...(Object.keys(settings.connection).length === 0
      ? {}
      : {
          connection: Object.fromEntries(
            Object.entries(settings.connection).map(([key, { from, field }]) => {
              const other = context.details.get(from)?.route as Route | undefined;
              return [key, { from: from === 'create' ? 'created' : (other ?? 'observed'), field }] as const;
            }),
          ),
        }),
    ...(terminalStatuses === undefined ? {} : { terminalStatuses }),
    ...(notFound === undefined ? {} : { notFound }),
    ...(hasIfMatch(context) ? { ifMatch: true } : {}),
    ...(immutable === undefined ? {} : { immutable }),
  };
}

/** A UUID that the API chooses is no other one's. */
const isUnique = ({ settings, id, schemas, document }: Context): boolean =>
  settings.uniqueId ??
  id.parts.some(({ from, parameter, field = parameter }) => {
    const of = schemas.created.properties.size > 0 ? schemas.createdSchema : schemas.observedSchema;
    return (
      from === 'response' &&
      flatSchema(schemaAt(of, field.split('.'), document), document).own.format === 'uuid'
    );
  });

function findByOf({ settings, find, report, document }: Context): Pick<RestId, 'findBy' | 'findIn'> {
  const { findBy, read } = settings;
  if (findBy === undefined) return {};
  const { fields, list, items, pages } = findBy;
  if (list === undefined) {
    if (!('list' in read))
      report('findBy', 'state the operation that lists: findBy: { fields: [...], list: <operation> }');
    return { findBy: fields };
  }
  const operation = find(list, 'findBy.list');
  if (operation === undefined) return {};
  const schema = responseOf(operation)?.schema;
  const found = items ?? onlyList(schema, document);
  if (flatSchema(schemaAt(schema, found?.split('.') ?? [], document), document).type !== 'array')
    report('findBy.list', `the response of ${list} is no list; state items, the field that has the list`);
  return {
    findBy: fields,
    findIn: {
      list: operation.route as Route,
      ...(found === undefined ? {} : { items: found }),
      ...(pages === undefined ? {} : { pages }),
    },
  };
}

const isParameter = (name: string, operations: KindOperations) =>
  (Object.values(operations) as (Operation | undefined)[]).some(
    (operation) => operation !== undefined && parametersIn(operation.path).includes(name),
  );

function withPoll<T extends { readonly pollSeconds?: number }>({ pollSeconds, ...rest }: T) {
  return { ...rest, ...(pollSeconds === undefined ? {} : { pollAfterMs: pollSeconds * 1000 }) };
}

/** Other media types than plain JSON are stated in requests. */
function formOf(operation: Operation, request: string | undefined) {
  const type = operation.request?.contentType.split(';', 1)[0];
  const isOwn = type !== undefined && type !== 'application/json' && type !== '*/*';
  return { ...(request === undefined ? {} : { request }), ...(isOwn ? { contentType: type } : {}) };
}

function createOf(context: Context): Route | RestCreate {
  const { settings, operations } = context;
  const { create } = settings;
  const route = operations.create.route as Route;
  const more = {
    ...formOf(operations.create, create.request),
    ...(create.result === undefined ? {} : { result: create.result }),
    ...laterOf('create', context),
  };
  return Object.keys(more).length === 0 ? route : { route, ...more };
}

type LaterVerb = 'create' | 'update' | 'delete';

function laterOf(
  verb: LaterVerb,
  { settings, find, report, operations }: Context,
): { readonly later?: RestOperation } {
  const later: LaterSettings | undefined = settings[verb]?.later;
  if (later === undefined) return {};
  const { from, read, result, ...rest } = later;
  const statuses = (operations[verb]?.responses ?? []).map(({ status }) => status);
  const operation = read === undefined ? undefined : find(read, `${verb}.later.read`);
  if (from === 'location' && read !== undefined)
    report(`${verb}.later.read`, 'Location is read itself; state either from: location or read');
  if (from !== 'location' && read === undefined)
    report(`${verb}.later`, 'state read, the operation that reads the operation');
  return {
    later: {
      from: from === 'location' ? from : { field: from },
      ...(operation === undefined ? {} : { read: operation.route as Route }),
      ...(statuses.length === 0 || statuses.includes(202) ? {} : { always: true }),
      ...withPoll(rest),
      ...(result === undefined || verb !== 'create' ? {} : { result }),
    },
  };
}

function deleteOf(context: Context): Route | RestDelete {
  const route = context.operations.delete.route as Route;
  const { later } = laterOf('delete', context);
  return later === undefined ? route : { route, later };
}

function readOf(
  settings: KindSettings,
  { route: text }: Operation,
  items: string | undefined,
): Route | RestRead | RestList {
  const route = text as Route;
  const { read } = settings;
  if (!('list' in read)) return read.result === undefined ? route : { route, result: read.result };
  const { pages } = read;
  return {
    list: route,
    ...(items === undefined ? {} : { items }),
    ...(pages === undefined ? {} : { pages }),
  };
}

/** Whether the request of update is a JSON Patch. */
function isStepsAt({ settings, operations, document }: Context): boolean {
  const { request } = operations.update ?? {};
  return isPatchList(
    schemaAt(request?.schema, settings.update?.request?.split('.') ?? [], document),
    document,
  );
}

function updateOf(context: Context): { readonly update?: Route | RestUpdate } {
  const { settings, operations } = context;
  const { update } = settings;
  if (update === undefined || operations.update === undefined) return {};
  const route = operations.update.route as Route;
  const isPatch = splitRoute(route).method === 'PATCH';
  const body = update.body ?? (isStepsAt(context) ? 'json-patch' : isPatch ? 'changed' : undefined);
  const more = {
    ...formOf(operations.update, update.request),
    ...(body === undefined || body === 'all' ? {} : { body }),
    ...(update.echo === undefined ? {} : { echo: update.echo }),
    ...laterOf('update', context),
  };
  return { update: Object.keys(more).length === 0 ? route : { route, ...more } };
}

function kindSample(context: Context): KindSample {
  const { settings, fields, schemas, document, operations } = context;
  const responses = otherResponses(context);
  const valuesOf = (variant: 0 | 1) =>
    Object.fromEntries(
      fields.filter(isOfSpec).map(({ name, schema, field }) => {
        const value = sampleOf(schema, { document, name, variant, use: 'spec' });
        // A secret within a list is there as requests have it.
        const inner = field?.inner?.filter(({ secret }) => !secret) ?? [];
        return [name, field === undefined ? value : specValue(value, { ...field, inner })];
      }),
    );
  const response = sampleOf(schemas.observedSchema, { document, name: '', variant: 0, use: 'status' });
  const created = Object.values(settings.connection)
    .filter(({ from }) => from === 'create')
    .map(({ field }) => {
      const schema = schemaAt(schemas.createdSchema, field.split('.'), document) ?? { type: 'string' };
      return nested(field.split('.'), sampleOf(schema, { document, name: field, variant: 0, use: 'status' }));
    });
  return {
    forProvider: valuesOf(0),
    other: valuesOf(1),
    required: fields.flatMap(({ name, isRequired }) => (isRequired ? [name] : [])),
    response: withState({ ...(response as JsonObject) }, settings),
    created: Object.assign({}, ...created),
    ...(Object.keys(responses).length === 0 ? {} : { responses }),
    ...(isLocated(operations.create) ? { isLocated: true } : {}),
  };
}

/** What the API answers to the GETs for connection details, and to requests of code by hand, by route. */
function otherResponses({
  settings: { connection },
  details,
  requests,
  document,
}: Context): Readonly<Record<string, JsonObject>> {
  const sample = (schema: unknown, name: string) =>
    sampleOf(schema, { document, name, variant: 0, use: 'status' });
  const responses: Record<string, Record<string, unknown>> = {};
  for (const operation of [...requests, ...details.values()]) {
    const body = sample(responseOf(operation)?.schema ?? { type: 'object' }, '');
    responses[operation.route] = isObject(body) ? { ...body } : {};
  }
  for (const { from, field } of Object.values(connection)) {
    const operation = details.get(from);
    const path = field.split('.');
    const response = operation && responses[operation.route];
    // The document may leave the field out.
    if (response !== undefined && textOf(valueAt(response, path)) === undefined)
      setAt(response, path, sample({ type: 'string' }, path.at(-1) ?? ''));
  }
  return responses;
}

/** No response of success has content: the ID is in the header Location. */
const isLocated = ({ responses }: Operation): boolean =>
  responses.length > 0 &&
  responses.every(({ content }) => content === undefined) &&
  responses.some(({ headers }) => headers.includes('location'));

/** The response of create is not what read returns: it may be what the API does for it. */
function isOperation({ settings, schemas: { request, created, observed } }: Context): boolean {
  const hasFields = ({ properties }: FlatSchema) =>
    [...request.properties.keys()].some((name) => properties.has(name));
  return (
    settings.create.later === undefined &&
    ['state', 'status'].some((name) => created.properties.has(name)) &&
    !hasFields(created) &&
    hasFields(observed)
  );
}

/** The response of create has the ID, and the document does not say where. */
const isUnnamed = ({ settings, operations, schemas, id }: Context): boolean =>
  schemas.created.properties.size === 0 &&
  settings.create.later === undefined &&
  !isLocated(operations.create) &&
  id.parts.some(({ from }) => from === 'response');

const nested = ([first = '', ...rest]: readonly string[], value: unknown): JsonObject => ({
  [first]: rest.length === 0 ? value : nested(rest, value),
});

/** The state in which the resource exists and is ready. */
function withState(response: JsonObject, { ready, deleted }: KindSettings): JsonObject {
  const set = (
    object: JsonObject,
    [first = '', ...rest]: readonly string[],
    change: (before: unknown) => unknown,
  ): JsonObject => ({
    ...object,
    [first]:
      rest.length === 0 ? change(object[first]) : set({ ...(object[first] as JsonObject) }, rest, change),
  });
  const isMark = (value: unknown) => deleted?.values?.includes(String(value)) ?? true;
  const existing =
    deleted === undefined
      ? response
      : set(response, deleted.field.split('.'), (before) => (isMark(before) ? null : before));
  return ready === undefined
    ? existing
    : set(existing, ready.field.split('.'), (before) => stateLike(before, ready.values[0]));
}

/** A state of the type that the API has: `true` of `values: [true]`. */
function stateLike(before: unknown, text: string | undefined): unknown {
  if (typeof before === 'boolean') return text === 'true';
  return typeof before === 'number' ? Number(text) : text;
}
