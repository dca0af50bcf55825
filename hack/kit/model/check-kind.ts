/** Whether a kind of `provider.yaml` fits its document: mistakes, and warnings of what the document does not say. */
import { parametersIn } from '../../../internal/framework/rest/rest-calls.ts';
import { flatSchema, schemaAt, schemaWithin } from '../document/object-properties.ts';
import type { Operation } from '../document/openapi-document.ts';
import type { Authentication, KindSettings, ProviderFile } from '../format/provider-file.ts';
import { unknownName } from '../format/yaml-shape.ts';
import type { Context } from './kind-context.ts';
import { responseOf, unknownField } from './kind-operations.ts';
import { isOfSpec } from './spec-fields.ts';

/** What can be checked although an operation or the ID is not known, so that all mistakes are reported at once. */
export function checkWithoutOperations(
  settings: KindSettings,
  { file, document, report }: Pick<Context, 'file' | 'document' | 'report'>,
): void {
  checkReferences({ settings, file, report });
  const create = document.operation(settings.create.operation);
  if (create === undefined) return;
  const schema = schemaAt(create.request?.schema, settings.create.request?.split('.') ?? [], document);
  const parameters = parametersIn(create.path);
  if (flatSchema(schema, document).properties.size === 0) return;
  for (const name of Object.keys(settings.fields))
    if (!parameters.includes(name) && schemaWithin(schema, name.split('.'), document) === undefined)
      report(`fields.${name}`, unknownField(schema, name, document, 'the request of create'));
}

function checkReferences({ settings, file, report }: Pick<Context, 'settings' | 'file' | 'report'>): void {
  for (const [as, { reference }] of Object.entries(settings.fields))
    if (reference !== undefined && file.kinds[reference.kind] === undefined) {
      const text = unknownName('kind', reference.kind, Object.keys(file.kinds));
      const remedy = text.includes('; did you mean') ? '' : '; make it a kind, or take the reference out';
      report(`fields.${as}.reference`, `${text}${remedy}`);
    }
}

/** Values that the document does not have: it may lack some that the API has. */
export function warnOfValues({ settings, schemas, document, warn }: Context): void {
  const { ready, deleted } = settings;
  const all = [
    ['ready.values', ready?.field, ready?.values],
    ['ready.pending', ready?.field, ready?.pending],
    ['deleted.values', deleted?.field, deleted?.values],
  ] as const;
  for (const [where, field, values = []] of all) {
    const schema = field && schemaAt(schemas.observedSchema, field.split('.'), document);
    const { enum: known } = flatSchema(schema, document).own;
    if (!Array.isArray(known)) continue;
    const texts = known.map(String);
    for (const value of values)
      if (!texts.includes(value))
        warn(`${where}: ${unknownName('value', value, texts)}; the document may lack it`);
  }
}

/** Query parameters of pages that the document does not have. */
export function warnOfPages({ settings, operations, document, warn }: Context): void {
  const { read, findBy } = settings;
  const all = [
    ['read.pages', 'list' in read ? read.pages : undefined, operations.read],
    ['findBy.pages', findBy?.pages, document.operation(findBy?.list?.split('?', 1)[0] ?? '')],
  ] as const;
  for (const [where, pages, operation] of all) {
    const known = (operation?.parameters ?? []).flatMap(({ name, in: place }) =>
      place === 'query' ? [name] : [],
    );
    const stated = [
      ...(pages !== undefined && 'parameter' in pages ? [pages.parameter] : []),
      ...(pages !== undefined && 'sizeParameter' in pages ? [pages.sizeParameter] : []),
    ];
    for (const name of operation === undefined ? [] : stated)
      if (!known.includes(name))
        warn(
          `${where}: ${unknownName(`query parameter of ${operation?.route}:`, name, known)}; the document may lack it`,
        );
  }
}

const STATES = ['status', 'state', 'lifecycle_state', 'lifecycleState', 'phase'];

/** Without `ready` it is ready in any state, also while the API is still working. */
export function warnOfState({ settings, schemas, document, warn }: Context): void {
  const field = STATES.find(
    (name) =>
      !schemas.request.properties.has(name) &&
      flatSchema(schemas.observed.properties.get(name), document).type === 'string',
  );
  if (settings.ready === undefined && field !== undefined)
    warn(
      `the response of read has a ${field}, and the object is Ready in any: state ready: { field: ${field}, values: [...], pending: [...] }`,
    );
}

export function checkNames({ settings, fields, file, report, schemas, document }: Context): void {
  const names = fields.filter(isOfSpec).map(({ name }) => name);
  for (const [key, given] of [
    ['required', settings.required],
    ['findBy', settings.findBy?.fields ?? []],
  ] as const)
    for (const name of given)
      if (!names.includes(name)) report(key, unknownName('field of the spec', name, names));
  checkReferences({ settings, file, report });
  const observed = [...schemas.observed.properties.keys()];
  const inRead = (where: string, field: string) => {
    if (observed.length > 0 && schemaAt(schemas.observedSchema, field.split('.'), document) === undefined)
      report(where, unknownField(schemas.observedSchema, field, document, 'the response of read'));
  };
  if (settings.ready !== undefined) inRead('ready', settings.ready.field);
  if (settings.deleted !== undefined) inRead('deleted', settings.deleted.field);
  for (const name of settings.update?.echo ?? []) inRead('update.echo', name);
  for (const name of settings.status ?? []) inRead('status', name);
  for (const [key, { from, field }] of Object.entries(settings.connection)) {
    if (from === 'read') inRead(`connection.${key}`, field);
    else if (
      from === 'create' &&
      schemas.created.properties.size > 0 &&
      schemaAt(schemas.createdSchema, field.split('.'), document) === undefined
    )
      report(
        `connection.${key}`,
        unknownField(schemas.createdSchema, field, document, 'the response of create'),
      );
  }
}

/** Query parameters that pages, or all requests, have. */
export function givenQuery({ read, findBy }: KindSettings, { api }: ProviderFile): readonly string[] {
  const pages = ['list' in read ? read.pages : undefined, findBy?.pages];
  const ofPages = pages.flatMap((each) => [
    ...(each !== undefined && 'parameter' in each ? [each.parameter] : []),
    ...(each !== undefined && 'sizeParameter' in each ? [each.sizeParameter] : []),
  ]);
  return [...Object.keys(api.query ?? {}), ...ofPages];
}

/** Each parameter of each path has a value: from the ID or from a field of the spec. */
export function checkParameters({ settings, operations, details, id, fields, report }: Context): void {
  const known = [
    ...id.parts.map(({ parameter }) => parameter),
    ...fields.flatMap(({ name, as }) => [name, as]),
  ];
  const ofDetails = Object.entries(settings.connection).map(
    ([key, { from }]) => [`connection.${key}`, details.get(from)] as const,
  );
  const all = [...(Object.entries(operations) as [string, Operation | undefined][]), ...ofDetails];
  for (const [where, operation] of all)
    for (const name of operation === undefined ? [] : parametersIn(operation.path))
      if (!known.includes(name))
        report(where, `${operation?.path}: ${name} is neither part of the ID nor a field of the spec`);
}

/** OpenAPI has these elsewhere: in media types and in security schemes. */
const OWN_HEADERS = ['accept', 'content-type', 'authorization', 'if-match'];

export function missingHeaders({ operations, file, document }: Context): readonly string[] {
  const { headers = {}, authentication = document.authentication } = file.api;
  const sent = [...OWN_HEADERS, ...Object.keys(headers), ...headersOf(authentication)].map((name) =>
    name.toLowerCase(),
  );
  return (Object.values(operations) as (Operation | undefined)[]).flatMap((operation) =>
    (operation?.parameters ?? []).flatMap(({ name, in: place, required }) =>
      place === 'header' && required && !sent.includes(name.toLowerCase())
        ? [
            `${operation?.route} requires the header ${name}; state it: api.headers: { ${name}: … }, or as a part of api.authentication`,
          ]
        : [],
    ),
  );
}

function headersOf(authentication: Authentication | undefined): readonly string[] {
  if (typeof authentication !== 'object') return [];
  if ('headers' in authentication) return Object.keys(authentication.headers);
  return 'header' in authentication ? [authentication.header] : [];
}

/** The response of an update or a deletion is what reads the operation of the create: a failure would not be noticed. */
export function warnOfLater({ settings, operations, document, warn }: Context): void {
  const { read } = settings.create.later ?? {};
  const namesOf = (operation: Operation | undefined) =>
    flatSchema(operation && responseOf(operation)?.schema, document).names.join();
  const wanted = namesOf(read === undefined ? undefined : document.operation(read.split('?', 1)[0] ?? read));
  for (const verb of ['update', 'delete'] as const)
    if (wanted !== '' && settings[verb]?.later === undefined && namesOf(operations[verb]) === wanted)
      warn(
        `the response of ${verb} names an operation as that of create does, and its failure is not noticed: state ${verb}: { operation: …, later: … }`,
      );
}
