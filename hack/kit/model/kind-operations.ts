/** The operations of a kind in the document, and the schemas of their requests and responses. */

import { parametersIn } from '../../../internal/framework/rest/rest-calls.ts';
import {
  type FlatSchema,
  flatSchema,
  itemsOf,
  schemaAt,
  schemaWithin,
} from '../document/object-properties.ts';
import type { Content, OpenapiDocument, Operation } from '../document/openapi-document.ts';
import type { KindSettings, LaterSettings } from '../format/provider-file.ts';
import { unknownName } from '../format/yaml-shape.ts';
import { isPatchList } from './json-patch.ts';

/** Reports a mistake at a dotted path within the kind. */
export type Report = (where: string, text: string) => void;
export type FindOperation = (name: string, where: string) => Operation | undefined;

export interface KindOperations {
  readonly create: Operation;
  readonly read: Operation;
  readonly update: Operation | undefined;
  readonly delete: Operation;
}

export interface KindSchemas {
  /** The fields in the requests of create and of update. */
  readonly request: FlatSchema;
  /** Undefined without an update, or if the document does not describe its request. */
  readonly update: FlatSchema | undefined;
  /** The external resource in the responses of create and of read. */
  readonly created: FlatSchema;
  readonly observed: FlatSchema;
  readonly requestSchema: unknown;
  readonly updateSchema: unknown;
  readonly createdSchema: unknown;
  readonly observedSchema: unknown;
  /** The dotted path of the list, if read is a list and the response is not the list itself. */
  readonly items: string | undefined;
}

/**
 * Operations whose paths have the query that each request must have: values after `?` of the name, and required parameters as those of
 * paths.
 *
 * @param given query parameters that requests have anyway
 */
export function operationFinder(
  document: OpenapiDocument,
  report: Report,
  given: readonly string[] = [],
): FindOperation {
  return (name, where) => {
    const [own = '', ...values] = name.split('?');
    const operation = document.operation(name) ?? document.operation(own);
    if (operation?.problem !== undefined) {
      report(where, `${operation.route}: ${operation.problem}`);
      return undefined;
    }
    if (operation !== undefined) {
      const stated = new URLSearchParams(values.join('?'));
      const required = operation.parameters.filter(
        ({ name: each, in: place, required: is }) =>
          place === 'query' && is && !stated.has(each) && !given.includes(each),
      );
      const query = [
        ...(stated.size === 0 ? [] : [stated.toString()]),
        ...required.map(({ name: each }) => `${encodeURIComponent(each)}={${each}}`),
      ].join('&');
      const { path, route } = operation;
      return query === ''
        ? operation
        : { ...operation, path: `${path}?${query}`, route: `${route}?${query}` };
    }
    const known = document.operations.flatMap(({ id, route }) => [...(id === undefined ? [] : [id]), route]);
    const text = unknownName('operation', name, known);
    report(
      where,
      known.length > 20 && text.includes('; known:') ? `the document has no operation ${name}` : text,
    );
    return undefined;
  };
}

/** The GETs for connection details besides read, by their names. */
export function detailOperations(
  { connection }: KindSettings,
  find: FindOperation,
  { document, report }: { readonly document: OpenapiDocument; readonly report: Report },
): ReadonlyMap<string, Operation> {
  const found = new Map<string, Operation>();
  for (const [key, { from, field }] of Object.entries(connection)) {
    if (from === 'create' || from === 'read') continue;
    const where = `connection.${key}`;
    const operation = found.get(from) ?? find(from, where);
    if (operation === undefined) continue;
    found.set(from, operation);
    const schema = responseOf(operation)?.schema;
    if (operation.method !== 'GET') report(where, `${operation.route} is no GET`);
    else if (
      flatSchema(schema, document).properties.size > 0 &&
      schemaAt(schema, field.split('.'), document) === undefined
    )
      report(where, unknownField(schema, field, document, `the response of ${from}`));
  }
  return found;
}

/** Undefined if one is missing, which is reported. */
export function kindOperations(settings: KindSettings, find: FindOperation): KindOperations | undefined {
  const { read, update } = settings;
  const found = {
    create: find(settings.create.operation, 'create'),
    read: find('list' in read ? read.list : read.operation, 'read'),
    update: update && find(update.operation, 'update'),
    delete: find(settings.delete.operation, 'delete'),
  };
  const { create, read: one, delete: last } = found;
  if (create === undefined || one === undefined || last === undefined) return undefined;
  if (update !== undefined && found.update === undefined) return undefined;
  return { create, read: one, update: found.update, delete: last };
}

export function kindSchemas(
  settings: KindSettings,
  operations: KindOperations,
  { document, report }: { readonly document: OpenapiDocument; readonly report: Report },
): KindSchemas {
  const flat = (schema: unknown) => flatSchema(schema, document);
  const at = (
    content: Content | undefined,
    path: string | undefined,
    where: string,
    whose: string,
  ): unknown => {
    const found = content && schemaAt(content.schema, path?.split('.') ?? [], document);
    if (path !== undefined && content !== undefined && found === undefined)
      report(where, unknownField(content.schema, path, document, whose));
    return found ?? {};
  };
  const { create, read, update } = settings;
  const request = at(operations.create.request, create.request, 'create.request', 'the request of create');
  const changed =
    update && at(operations.update?.request, update.request, 'update.request', 'the request of update');
  const createdSchema =
    create.later === undefined
      ? at(responseOf(operations.create), create.result, 'create.result', 'the response of create')
      : laterSchema(create.later, operations.create, { document, report, where: 'create' });
  for (const where of ['update', 'delete'] as const) {
    const [later, operation] = [settings[where]?.later, operations[where]];
    if (later !== undefined && operation !== undefined)
      laterSchema(later, operation, { document, report, where });
  }
  const content = responseOf(operations.read);
  let items: string | undefined;
  let observedSchema: unknown;
  if ('list' in read) {
    items = read.items ?? onlyList(content?.schema, document);
    const whole = flat(at(content, items, 'read.items', 'the response of read'));
    observedSchema = whole.own.items ?? {};
    if (content !== undefined && whole.type !== 'array')
      report('read', 'the response of read is no list; state items, the field that has the list');
  } else observedSchema = at(content, read.result, 'read.result', 'the response of read');
  const schemas = { request: flat(request), created: flat(createdSchema), observed: flat(observedSchema) };
  const hasFields = [...schemas.request.properties.keys()].some((name) =>
    schemas.observed.properties.has(name),
  );
  // It has no parameter for one of several.
  const inCreate = parametersIn(operations.create.path);
  const isList =
    !('list' in read) &&
    !hasFields &&
    parametersIn(operations.read.path).every((name) => inCreate.includes(name)) &&
    (schemas.observed.type === 'array' || onlyList(observedSchema, document) !== undefined);
  if (isList)
    report('read', `${operations.read.route} returns a list; state read: { list: ${read.operation} }`);
  else if (schemas.observed.properties.size === 0)
    report(
      'read',
      'the document does not say what read returns: no response of success has a JSON schema with properties',
    );
  if (schemas.request.type === 'array') report('create', `the request of create is a list${LIST_REMEDY}`);
  else if (schemas.request.properties.size === 0 && operations.create.request !== undefined)
    report('create', 'the request of create has no properties; state request, the field that has them');
  const isWrapped = [...schemas.request.properties.keys()].every(
    (name) => !schemas.observed.properties.has(name),
  );
  const inner = isWrapped ? onlyObject(schemas.observed, document) : undefined;
  if (!isList && inner !== undefined && schemas.request.properties.size > 0)
    report('read', `the response of read has no field of the request of create; state result: ${inner}`);
  const ownUpdate = changed === undefined ? undefined : flat(changed);
  if (ownUpdate?.type === 'array' && !isPatchList(changed, document))
    report('update', `the request of update is a list${LIST_REMEDY}`);
  return {
    ...schemas,
    update: ownUpdate?.properties.size === 0 ? undefined : ownUpdate,
    requestSchema: request,
    updateSchema: ownUpdate?.properties.size === 0 ? undefined : changed,
    createdSchema,
    observedSchema,
    items,
  };
}

/** The external resource in an operation of a create that has succeeded; an empty schema if the document does not describe it. */
function laterSchema(
  { from, read, state, message, result }: LaterSettings,
  begun: Operation,
  {
    document,
    report,
    where,
  }: {
    readonly document: OpenapiDocument;
    readonly report: Report;
    readonly where: 'create' | 'update' | 'delete';
  },
): unknown {
  const check = (key: string, path: string, schema: unknown, whose: string): unknown => {
    const found = schemaAt(schema, path.split('.'), document);
    if (found === undefined && flatSchema(schema, document).properties.size > 0)
      report(`${where}.later.${key}`, unknownField(schema, path, document, whose));
    return found;
  };
  if (from !== 'location') check('from', from, responseOf(begun)?.schema, `the response of ${where}`);
  const operation = read === undefined ? undefined : document.operation(read.split('?', 1)[0] ?? read);
  const schema = operation && responseOf(operation)?.schema;
  if (schema === undefined) return {};
  const whose = `the response of ${read}`;
  check('state', state, schema, whose);
  if (message !== undefined) check('message', message, schema, whose);
  if (where !== 'create') return {};
  const external = result === undefined ? schema : check('result', result, schema, whose);
  const { type = 'object', properties } = flatSchema(external, document);
  if (type === 'object') return properties.size === 0 ? {} : external;
  const around = result?.split('.').slice(0, -1).join('.');
  const field = result?.split('.').at(-1);
  report(
    'create.later.result',
    `${result} is no object; state the object that has the external resource or its ID, and the ID: ${around ? `result: ${around}` : 'no result'}, and id: ${field}`,
  );
  return {};
}

const LIST_REMEDY =
  '; one external resource is an object: name another operation, or write the kind by hand (eject)';

export const responseOf = ({ responses }: Operation): Content | undefined =>
  responses.find(({ content }) => content !== undefined)?.content;

/** The only list in a response that is an object; undefined if the response is the list. */
export function onlyList(schema: unknown, document: OpenapiDocument): string | undefined {
  const lists = [...flatSchema(schema, document).properties].filter(
    ([, part]) => flatSchema(part, document).type === 'array',
  );
  return lists.length === 1 ? lists[0]?.[0] : undefined;
}

function onlyObject({ properties }: FlatSchema, document: OpenapiDocument): string | undefined {
  const objects = [...properties].filter(([, part]) => flatSchema(part, document).properties.size > 0);
  return objects.length === 1 ? objects[0]?.[0] : undefined;
}

/** `the response of read: unknown field x; did you mean y?`, for the first step that does not exist. */
export function unknownField(
  schema: unknown,
  path: string,
  document: OpenapiDocument,
  whose: string,
): string {
  const steps = path.split('.');
  const last = steps.findIndex(
    (_, index) => schemaWithin(schema, steps.slice(0, index + 1), document) === undefined,
  );
  const parent = schemaWithin(schema, steps.slice(0, last), document);
  const known = [...flatSchema(itemsOf(parent, document), document).properties.keys()];
  return `${whose}: ${unknownName('field', steps[last] ?? path, known)}`;
}
