/** The fields of the spec of a kind: those of the request of create, and the parameters of its path. */
import { isObject } from '../../../internal/framework/base/json/json-value.ts';
import {
  type RestField,
  type RestIdPart,
  type RestInnerField,
  type Route,
  secretRefName,
} from '../../../internal/framework/rest/definition.ts';
import { parametersIn } from '../../../internal/framework/rest/rest-calls.ts';
import { referenceNames } from '../../codegen/schema/reference-fields.ts';
import { flatSchema, schemaAt, schemaWithin, type Unseen, unseenIn } from '../document/object-properties.ts';
import type { JsonObject, OpenapiDocument } from '../document/openapi-document.ts';
import { isFor, isSecret, isTimeOfApi, sentenceOf, structuralSchema } from '../document/structural-schema.ts';
import { otherForms } from '../document/value-forms.ts';
import type { FieldSettings } from '../format/provider-file.ts';
import { unknownName } from '../format/yaml-shape.ts';
import { camelCase, type IdOptions, isOwnId, type KindId } from './id-parts.ts';
import { type FindOperation, unknownField } from './kind-operations.ts';

export interface SpecField {
  /** In the spec. */
  readonly name: string;
  /** In the document; dotted within an object. */
  readonly as: string;
  readonly path: readonly string[];
  readonly schema: unknown;
  readonly settings: FieldSettings;
  readonly isRequired: boolean;
  /** Undefined for a parameter of a path that no request has. */
  readonly field: RestField | undefined;
  /** What is stated of fields within its lists. */
  readonly inner: readonly InnerField[];
}

interface InnerField {
  /** From the field around it. */
  readonly path: readonly string[];
  readonly settings: FieldSettings;
  readonly type: string | undefined;
}

/** Constant fields are in requests only. */
export const isOfSpec = ({ field }: SpecField): boolean => field?.value === undefined;

interface FieldsOptions extends IdOptions {
  readonly id: KindId;
  readonly find: FindOperation;
  readonly warn: (text: string) => void;
}

/** The fields of the spec, and constant ones. */
export function specFields(options: FieldsOptions): SpecField[] {
  const { settings, operations, schemas, id, report, warn, document } = options;
  const inRequest = [...schemas.request.properties.keys()];
  // A read-only field of the name of a parameter is no field of the spec.
  const isSentInBody = (name: string) =>
    settings.fields[name] !== undefined || !isReadOnly(schemas.request.properties.get(name), document);
  const isName = (name: string) =>
    id.parts.some(({ parameter, from }) => parameter === name && from === 'name');
  const ofPath = parametersIn(operations.create.path).filter(
    (name) =>
      !isName(name) &&
      !inRequest.some((other) => camelCase(other) === camelCase(name) && isSentInBody(other)),
  );
  const known = [...inRequest, ...ofPath];
  const dotted = Object.keys(settings.fields)
    .filter((name) => name.includes('.') && !known.includes(name))
    .map((name) => name.split('.'));
  const listIn = (path: readonly string[]) =>
    path.findIndex((_, index) => index > 0 && isListAt(path.slice(0, index), options));
  const inner = dotted.filter((path) => listIn(path) < 0);
  const inLists = dotted.filter((path) => listIn(path) > 0);
  for (const name of Object.keys(settings.fields))
    if (!name.includes('.') && !known.includes(name))
      report(`fields.${name}`, unknownName('field of the request of create', name, known));
  for (const path of inner) {
    const name = path.join('.');
    if (schemaAt(schemas.requestSchema, path, document) === undefined)
      report(`fields.${name}`, unknownField(schemas.requestSchema, name, document, 'the request of create'));
  }
  for (const path of inLists) {
    const name = path.join('.');
    const { reference, value, secret, ...others } = settings.fields[name] ?? {};
    const stated = [reference, value, secret].filter((each) => each !== undefined).length;
    if (stated !== 1 || Object.keys(others).length > 0)
      report(
        `fields.${name}`,
        `${name} is within a list, where a field has one of reference, value and secret`,
      );
    if (schemaWithin(schemas.requestSchema, path, document) === undefined)
      report(`fields.${name}`, unknownField(schemas.requestSchema, name, document, 'the request of create'));
  }
  for (const name of ofPath) {
    const remedy = `${name} is a parameter of the path; state its value for all kinds: api.path: { ${name}: … }`;
    if (settings.fields[name]?.value !== undefined) report(`fields.${name}.value`, remedy);
    if (settings.omit.includes(name)) report('omit', remedy);
  }
  const { omit, only } = settings;
  for (const [key, names] of Object.entries({ omit, only }))
    for (const name of names ?? [])
      if (!known.includes(name)) report(key, unknownName('field of the request of create', name, known));
  const isStated = (as: string) =>
    Object.keys(settings.fields).some((name) => name === as || name.startsWith(`${as}.`));
  const isOmitted = (as: string) =>
    omit.includes(as) || (only !== undefined && !only.includes(as) && !isStated(as));
  for (const name of schemas.request.required)
    if (only !== undefined && isOmitted(name) && !id.inBody.has(name))
      warn(`${name} is left out, and the document requires it`);
  const isChosenByApi = (as: string) =>
    isOwnId(as, id.parts) && settings.fields[as] === undefined && !schemas.request.required.has(as);
  const fields = [
    ...ofPath.map((as) => pathField(as, options)),
    ...inRequest
      .filter((as) => !id.inBody.has(as) && !isOmitted(as) && !isChosenByApi(as))
      .flatMap((as) => [
        ...bodyField([as], { inner, inLists }, options),
        ...inner
          .filter(([first]) => first === as)
          .flatMap((path) => bodyField(path, { inner, inLists }, options)),
      ]),
  ];
  for (const [index, { name, as }] of fields.entries()) {
    const twin = fields.slice(0, index).find((other) => other.name === name);
    if (twin !== undefined)
      report(`fields.${as}`, `${as} and ${twin.as} are both ${name} in the spec; give one another name`);
  }
  for (const { as, name, field } of fields)
    if (
      field === undefined &&
      !id.parts.some(({ from, parameter, field: of = parameter }) => from === 'spec' && of === name)
    )
      warn(`the drift of ${as} cannot be seen: it is a parameter of create alone`);
  for (const field of fields) warnOfField(field, options);
  const isKnown = (name: string) =>
    known.includes(name) || settings.update?.echo?.includes(name) || isOfId(name, id.parts);
  for (const [name, schema] of schemas.update?.properties ?? [])
    if (!isKnown(name) && !isReadOnly(schema, document))
      warn(
        `${name} is left out: only the request of update has it${schemas.observed.properties.has(name) ? `; if it is what read returns, state update: { echo: [${name}] }` : schemas.update?.required.has(name) ? ', which requires it; send it by a hook (request)' : ''}`,
      );
  return fields;
}

/** What the tests cannot find: a value that users should not write, or that the API changes itself. */
function warnOfField(
  { as, path, schema, settings, field, inner }: SpecField,
  { warn, schemas, document }: FieldsOptions,
): void {
  if (field?.value !== undefined) return;
  const [name = ''] = path.slice(-1);
  if (isTimeOfApi(name) && settings.lateInitialize === undefined && schemas.observed.properties.has(name))
    warn(
      `${as} may be a time that the API sets: state omit: [${as}], or each change of it is corrected; lateInitialize: true, if users set it`,
    );
  if (!field?.writeOnly && !field?.secret)
    for (const other of otherForms(schema, schemaAt(schemas.observedSchema, path, document), document))
      warn(
        `${[...path, ...other.path].join('.')} may have another form in the response, a difference that no update ends: requests have ${other.sent}, read returns ${other.returned}; change what was read in a hook (observed), or state writeOnly: true`,
      );
  if (field?.secret || settings.secret === false) return;
  for (const at of plainSecrets(schema, path, document)) {
    const text = at.join('.');
    if (!inner.some((other) => [...path, ...other.path].join('.') === text))
      warn(
        `${text} has the name of a secret, and is plain text in the spec; state ${text}: { secret: true }, or secret: false`,
      );
  }
}

/** Paths of texts that are secrets by their names, or passwords by their formats. */
function plainSecrets(
  schema: unknown,
  path: readonly string[],
  document: OpenapiDocument,
): readonly (readonly string[])[] {
  const { own, type, properties } = flatSchema(schema, document);
  if (path.length > MAX_AROUND || !isFor('spec', own)) return [];
  if (type === 'array') return plainSecrets(own.items ?? {}, path, document);
  if (type === 'string') return isSecret(path.at(-1) ?? '', { type, own }) ? [path] : [];
  return [...properties].flatMap(([name, part]) => plainSecrets(part, [...path, name], document));
}

const MAX_AROUND = 5;

const isReadOnly = (schema: unknown, document: OpenapiDocument): boolean =>
  flatSchema(schema, document).own.readOnly === true;

const isOfId = (name: string, parts: readonly RestIdPart[]) =>
  parts.some(({ parameter, field = parameter }) => field === name || parameter === name);

function pathField(as: string, { settings, operations }: FieldsOptions): SpecField {
  const own = settings.fields[as] ?? {};
  const parameter = operations.create.parameters.find(
    ({ name, in: place }) => name === as && (place === 'path' || place === 'query'),
  );
  const description = parameter?.description;
  return {
    name: own.name ?? camelCase(as),
    as,
    path: [as],
    schema: { type: 'string', ...(description === undefined ? {} : { description }) },
    settings: own,
    isRequired: true,
    field: undefined,
    inner: [],
  };
}

function bodyField(
  path: readonly string[],
  { inner, inLists }: Readonly<Record<'inner' | 'inLists', readonly (readonly string[])[]>>,
  options: FieldsOptions,
): SpecField[] {
  const { settings, schemas, document, report, find, warn, id } = options;
  const as = path.join('.');
  const own = settings.fields[as] ?? {};
  const whole = schemaAt(schemas.requestSchema, path, document);
  if (whole === undefined) return [];
  const isWithin = (other: readonly string[]) =>
    other.length > path.length && path.every((step, at) => other[at] === step);
  const ownFields = inner.filter(isWithin);
  const schema = ownFields.reduce<unknown>(
    (rest, other) => withoutProperty(rest, other.slice(path.length), document),
    whole,
  );
  const { own: keywords, type, properties } = flatSchema(schema, document);
  if (keywords.readOnly === true && settings.fields[as] === undefined) return [];
  // All of its fields are fields of their own.
  const isLeft = (part: unknown) => flatSchema(part, document).own.readOnly !== true;
  if (ownFields.length > 0 && ![...properties.values()].some(isLeft)) return [];
  const name = own.name ?? camelCase(as);
  const { additionalProperties: more } = keywords;
  if (properties.size > 0 && (more === true || (isObject(more) && Object.keys(more).length > 0)))
    warn(`members of ${as} other than those of the document are left out`);
  const place = {
    ...(path.at(-1) === name ? {} : { as: path.at(-1) ?? as }),
    ...(path.length === 1 ? {} : { within: path.slice(0, -1).join('.') }),
  };
  const isSecret = own.secret ?? keywords.format === 'password';
  const isIn = (of: unknown) => schemaAt(of, path, document) !== undefined;
  const isRead = isIn(schemas.observedSchema);
  const unseen = isRead ? unseenIn(schema, schemaAt(schemas.observedSchema, path, document), document) : [];
  // A form of its own: most of it cannot be compared.
  const isOfOtherType = unseen.some((each) => each.path.length === 0) || unseen.length > MAX_UNSEEN;
  const isWriteOnly = own.writeOnly ?? (!isRead || isOfOtherType || keywords.writeOnly === true);
  const route = own.update === undefined ? undefined : find(own.update, `fields.${as}.update`)?.route;
  const isUpdated =
    settings.update !== undefined &&
    (schemas.updateSchema === undefined ||
      (isIn(schemas.updateSchema) && !isReadOnly(schemaAt(schemas.updateSchema, path, document), document)));
  // With another value of it the external resource would have another name.
  const isOfName = id.parts.some(
    ({ from, parameter, field = parameter }) =>
      (from === 'spec' && field === name) || (from === 'response' && field === as),
  );
  const isImmutable =
    own.immutable ?? (settings.update !== undefined && route === undefined && (!isUpdated || isOfName));
  if (own.value !== undefined) {
    checkConstant(as, own, type, report);
    const field = { ...place, value: own.value, ...(isImmutable ? { immutable: true } : {}) };
    return [{ name, as, path, schema, settings: own, isRequired: false, field, inner: [] }];
  }
  const isList = type === 'array';
  const referred = isList ? flatSchema(keywords.items, document).type : type;
  const isNumber = own.reference !== undefined && referred !== 'string';
  if (own.reference !== undefined && (referred === 'object' || referred === 'array'))
    report(
      `fields.${as}.reference`,
      isList
        ? `${as} is a list of objects; refer by the field within it that has the ID, e.g. ${as}.id`
        : `${as} is an object; refer by the field within it that has the ID: ${[...properties.keys()].map((each) => `${as}.${each}`).join(', ')}`,
    );
  if (own.secret === true && type !== 'string')
    report(`fields.${as}.secret`, `${as} is no text, which a secret must be`);
  if (isWriteOnly && !isSecret && own.writeOnly !== true)
    warn(
      `the drift of ${as} cannot be seen: the response of read ${isOfOtherType ? 'has another type' : 'lacks it'}`,
    );
  const isSecretWithin = (other: readonly string[]) =>
    settings.fields[[...path, ...other].join('.')]?.secret === true;
  const unseenInner = isWriteOnly || isSecret ? [] : unseen.filter((each) => !isSecretWithin(each.path));
  if (unseenInner.length > 0)
    warn(`the drift of ${as} cannot be seen in ${unseenInner.map((each) => each.path.join('.')).join(', ')}`);
  const isOfOther = (other: readonly string[]) =>
    ownFields.some((field) => field.every((step, at) => other[at] === step));
  const innerFields = inLists
    .filter((other) => isWithin(other) && !isOfOther(other))
    .map((other) => innerField(other, path.length, options));
  // With another type, or without a member that its schema requires, the API server would refuse the resource.
  const isRefused =
    unseenInner.some((each) => each.isRefused) || innerFields.some(({ settings: { secret } }) => secret);
  const lateInitialize = own.lateInitialize ?? (isRefused ? false : undefined);
  const field: RestField = {
    ...place,
    ...(innerFields.length + unseenInner.length === 0 ? {} : { inner: innerOf(innerFields, unseenInner) }),
    ...(isNumber ? { sentAs: 'number' as const } : {}),
    ...(isImmutable ? { immutable: true } : {}),
    ...(isWriteOnly && !isSecret ? { writeOnly: true } : {}),
    ...(isSecret ? { secret: true } : {}),
    ...((own.unordered ?? (isList && keywords.uniqueItems === true)) ? { unordered: true } : {}),
    ...(lateInitialize === undefined ? {} : { lateInitialize }),
    ...(route === undefined ? {} : { update: route as Route }),
  };
  // A parameter of the path of create, which the request has too.
  const isInPath = parametersIn(options.operations.create.path).some(
    (other) => camelCase(other) === camelCase(as),
  );
  const isRequired =
    own.required ?? (isInPath || settings.required.includes(name) || isRequiredAt(path, options));
  return [{ name, as, path, schema, settings: own, isRequired, field, inner: innerFields }];
}

const isListAt = (
  path: readonly string[],
  { schemas, document }: Pick<FieldsOptions, 'schemas' | 'document'>,
): boolean => flatSchema(schemaWithin(schemas.requestSchema, path, document), document).type === 'array';

function innerField(path: readonly string[], depth: number, options: FieldsOptions): InnerField {
  const { settings, schemas, document, report } = options;
  const as = path.join('.');
  const own = settings.fields[as] ?? {};
  const { type } = flatSchema(schemaWithin(schemas.requestSchema, path, document), document);
  checkConstant(as, own, type, report);
  if (own.reference !== undefined && (type === 'object' || type === 'array'))
    report(`fields.${as}.reference`, `${as} is of type ${type}; refer by the field that has the ID`);
  if (own.secret === true && type !== 'string')
    report(`fields.${as}.secret`, `${as} is no text, which a secret must be`);
  return { path: path.slice(depth), settings: own, type };
}

function definedBy({ path, settings: { value, reference, secret }, type }: InnerField): RestInnerField {
  const { ref, selector } = referenceNames(path.at(-1) ?? '', { type: 'string' });
  return {
    path: path.join('.'),
    ...(value === undefined ? {} : { value }),
    ...(secret ? { secret } : {}),
    ...(reference === undefined ? {} : { fillers: [ref, selector] }),
    ...(reference !== undefined && type !== 'string' ? { sentAs: 'number' } : {}),
  };
}

/** Fields within that are stated, and those that the response does not have. */
function innerOf(stated: readonly InnerField[], unseen: readonly Unseen[]): readonly RestInnerField[] {
  const isStated = ({ path }: Unseen) =>
    stated.some((each) => each.settings.secret !== false && each.path.every((step, at) => path[at] === step));
  return [
    ...stated
      .filter(({ settings: { secret } }) => secret !== false)
      .map((each) => ({
        ...definedBy(each),
        ...(!each.settings.secret && unseen.some(({ path }) => path.join('.') === each.path.join('.'))
          ? { writeOnly: true }
          : {}),
      })),
    ...unseen
      .filter((each) => !isStated(each))
      .map(({ path }) => ({ path: path.join('.'), writeOnly: true })),
  ];
}

const MAX_UNSEEN = 24;

function checkConstant(
  as: string,
  { value }: FieldSettings,
  type: string | undefined,
  report: FieldsOptions['report'],
): void {
  if (value !== undefined && type !== undefined && typeof value !== (type === 'integer' ? 'number' : type))
    report(
      `fields.${as}.value`,
      `${as} is of type ${type} in the document, its value of type ${typeof value}`,
    );
}

/** The document requires the field, and each object around it. */
const isRequiredAt = (path: readonly string[], { schemas, document }: FieldsOptions): boolean =>
  path.every((step, index) =>
    flatSchema(schemaAt(schemas.requestSchema, path.slice(0, index), document), document).required.has(step),
  );

/** An object without a property at a path. */
function withoutProperty(
  schema: unknown,
  [first = '', ...rest]: readonly string[],
  document: OpenapiDocument,
): unknown {
  const { own, properties, required, nullable } = flatSchema(schema, document);
  const { description } = own;
  const others = [...properties].flatMap(([name, part]): [string, unknown][] => {
    if (name !== first) return [[name, part]];
    return rest.length === 0 ? [] : [[name, withoutProperty(part, rest, document)]];
  });
  return {
    ...(description === undefined ? {} : { description }),
    type: 'object',
    ...(nullable ? { nullable } : {}),
    properties: Object.fromEntries(others),
    required: [...required].filter((name) => name !== first || rest.length > 0),
  };
}

/** The schema of `spec.forProvider`, as sources of kinds have it. */
export function forProviderOf(
  fields: readonly SpecField[],
  { document, noun }: { readonly document: OpenapiDocument; readonly noun: string },
): JsonObject {
  const shown = fields.filter(isOfSpec);
  const required = shown.flatMap(({ isRequired, name, field }) => {
    if (!isRequired) return [];
    return [field?.secret ? `${name}SecretRef` : name];
  });
  return {
    description: `The desired ${noun}.`,
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(shown.map((field) => propertyOf(field, document))),
  };
}

function propertyOf(
  { name, schema, settings, field, inner }: SpecField,
  document: OpenapiDocument,
): [string, JsonObject] {
  const own = inner.reduce<JsonObject>(
    (whole, { path, settings: stated }) => (stated.secret === false ? whole : withInner(whole, path, stated)),
    structuralSchema(schema, document, { use: 'spec', name }) as JsonObject,
  );
  const described = typeof own.description === 'string' ? own.description : sentenceOf(name);
  const description = settings.description ?? described;
  if (field?.secret) return [`${name}SecretRef`, secretRef(description)];
  const { reference } = settings;
  const nulls = settings.nullable ? { nullable: true } : {};
  if (reference === undefined) return [name, { ...own, description, ...nulls }];
  const text = { type: 'string', maxLength: 1024 };
  return own.type === 'array'
    ? [
        name,
        {
          description,
          type: 'array',
          maxItems: own.maxItems ?? 64,
          items: text,
          $reference: reference,
          ...nulls,
        },
      ]
    : [name, { description, ...text, $reference: reference, ...nulls }];
}

/** A schema whose field at a path through lists is a reference, or that of a Secret, or is sent as a constant, so that the spec does not have it. */
function withInner(schema: JsonObject, path: readonly string[], stated: FieldSettings): JsonObject {
  const [first = '', ...rest] = path;
  const { items, properties, required, ...others } = schema;
  const { reference, secret } = stated;
  if (isObject(items)) return { ...schema, items: withInner(items, path, stated) };
  const own = isObject(properties) ? properties[first] : undefined;
  if (!isObject(properties) || !isObject(own)) return schema;
  const inner = rest.length > 0 ? withInner(own, rest, stated) : undefined;
  const { [first]: _, ...besides } = properties;
  if (inner === undefined && secret) {
    const ref = secretRefName(first);
    const description = typeof own.description === 'string' ? own.description : sentenceOf(first);
    const wanted = Array.isArray(required) ? required.map((name) => (name === first ? ref : name)) : [];
    return {
      ...others,
      ...(wanted.length === 0 ? {} : { required: wanted }),
      properties: { ...besides, [ref]: secretRef(description) },
    };
  }
  if (inner === undefined && reference === undefined) {
    const wanted = Array.isArray(required) ? required.filter((name) => name !== first) : [];
    return { ...others, ...(wanted.length === 0 ? {} : { required: wanted }), properties: besides };
  }
  const { description = sentenceOf(first) } = own;
  const text = { description, type: 'string', maxLength: 1024, $reference: reference };
  return { ...schema, properties: { ...properties, [first]: inner ?? text } };
}

const secretRef = (description: string): JsonObject => ({
  description: `${description} The key of a Secret with the value.`,
  type: 'object',
  required: ['name', 'key', 'namespace'],
  properties: {
    name: { description: 'Name of the Secret.', type: 'string', maxLength: 253 },
    key: { description: 'Key within the Secret.', type: 'string', maxLength: 253 },
    namespace: {
      $namespaced: 'absent',
      description: 'Namespace of the Secret.',
      type: 'string',
      maxLength: 63,
    },
  },
});
