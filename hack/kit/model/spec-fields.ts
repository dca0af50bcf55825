/** The fields of the spec of a kind: those of the request of create, and the parameters of its path. */
import type { RestField, RestIdPart, Route } from '../../../internal/framework/rest/definition.ts';
import { parametersIn } from '../../../internal/framework/rest/rest-calls.ts';
import { flatSchema, schemaAt } from '../document/object-properties.ts';
import type { JsonObject, OpenapiDocument } from '../document/openapi-document.ts';
import { sentenceOf, structuralSchema } from '../document/structural-schema.ts';
import type { FieldSettings } from '../format/provider-file.ts';
import { unknownName } from '../format/yaml-shape.ts';
import { camelCase, type IdOptions, type KindId } from './id-parts.ts';
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
  const isName = (name: string) =>
    id.parts.some(({ parameter, from }) => parameter === name && from === 'name');
  const ofPath = parametersIn(operations.create.path).filter(
    (name) => !isName(name) && !inRequest.some((other) => camelCase(other) === camelCase(name)),
  );
  const known = [...inRequest, ...ofPath];
  const inner = Object.keys(settings.fields)
    .filter((name) => name.includes('.') && !known.includes(name))
    .map((name) => name.split('.'));
  for (const name of Object.keys(settings.fields))
    if (!name.includes('.') && !known.includes(name))
      report(`fields.${name}`, unknownName('field of the request of create', name, known));
  for (const path of inner) {
    const name = path.join('.');
    const at = (length: number) => schemaAt(schemas.requestSchema, path.slice(0, length), document);
    const list = path.findIndex((_, index) => flatSchema(at(index), document).type === 'array');
    if (list > 0)
      report(
        `fields.${name}`,
        `${path.slice(0, list).join('.')} is a list; only a field of an object can be stated`,
      );
    else if (at(path.length) === undefined)
      report(`fields.${name}`, unknownField(schemas.requestSchema, name, document, 'the request of create'));
  }
  for (const name of settings.omit)
    if (!known.includes(name)) report('omit', unknownName('field of the request of create', name, known));
  const fields = [
    ...ofPath.map((as) => pathField(as, options)),
    ...inRequest
      .filter((as) => !id.inBody.has(as) && !settings.omit.includes(as))
      .flatMap((as) => [
        ...bodyField([as], inner, options),
        ...inner.filter(([first]) => first === as).flatMap((path) => bodyField(path, inner, options)),
      ]),
  ];
  for (const [index, { name, as }] of fields.entries()) {
    const twin = fields.slice(0, index).find((other) => other.name === name);
    if (twin !== undefined)
      report(`fields.${as}`, `${as} and ${twin.as} are both ${name} in the spec; give one another name`);
  }
  const isKnown = (name: string) =>
    known.includes(name) || settings.update?.echo?.includes(name) || isOfId(name, id.parts);
  for (const name of schemas.update?.properties.keys() ?? [])
    if (!isKnown(name)) warn(`${name} is left out: only the request of update has it`);
  return fields;
}

const isOfId = (name: string, parts: readonly RestIdPart[]) =>
  parts.some(({ parameter, field = parameter }) => field === name || parameter === name);

function pathField(as: string, { settings, operations }: FieldsOptions): SpecField {
  const own = settings.fields[as] ?? {};
  const parameter = operations.create.parameters.find(
    ({ name, in: place }) => name === as && place === 'path',
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
  };
}

function bodyField(
  path: readonly string[],
  inner: readonly (readonly string[])[],
  options: FieldsOptions,
): SpecField[] {
  const { settings, schemas, document, report, find, warn, id } = options;
  const as = path.join('.');
  const own = settings.fields[as] ?? {};
  const whole = schemaAt(schemas.requestSchema, path, document);
  if (whole === undefined) return [];
  const ownFields = inner.filter(
    (other) => other.length > path.length && path.every((step, at) => other[at] === step),
  );
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
  const place = {
    ...(path.at(-1) === name ? {} : { as: path.at(-1) ?? as }),
    ...(path.length === 1 ? {} : { within: path.slice(0, -1).join('.') }),
  };
  const isSecret = own.secret ?? keywords.format === 'password';
  const isIn = (of: unknown) => schemaAt(of, path, document) !== undefined;
  const isWriteOnly = own.writeOnly ?? (!isIn(schemas.observedSchema) || keywords.writeOnly === true);
  const route = own.update === undefined ? undefined : find(own.update, `fields.${as}.update`)?.route;
  const isUpdated =
    settings.update !== undefined && (schemas.updateSchema === undefined || isIn(schemas.updateSchema));
  const isOfName = id.parts.some(
    ({ from, parameter, field = parameter }) => from === 'spec' && field === name,
  );
  const isImmutable =
    own.immutable ?? (settings.update !== undefined && route === undefined && (!isUpdated || isOfName));
  if (own.value !== undefined) {
    const actual = typeof own.value;
    if (type !== undefined && actual !== (type === 'integer' ? 'number' : type))
      report(`fields.${as}.value`, `${as} is of type ${type} in the document, its value of type ${actual}`);
    const field = { ...place, value: own.value, ...(isImmutable ? { immutable: true } : {}) };
    return [{ name, as, path, schema, settings: own, isRequired: false, field }];
  }
  const isList = type === 'array';
  const referred = isList ? flatSchema(keywords.items, document).type : type;
  const isNumber = own.reference !== undefined && referred !== 'string';
  if (own.reference !== undefined && (referred === 'object' || referred === 'array'))
    report(
      `fields.${as}.reference`,
      isList
        ? `${as} is a list of objects, which cannot be a reference`
        : `${as} is an object; refer by the field within it that has the ID: ${[...properties.keys()].map((each) => `${as}.${each}`).join(', ')}`,
    );
  if (own.secret === true && type !== 'string')
    report(`fields.${as}.secret`, `${as} is no text, which a secret must be`);
  if (isWriteOnly && !isSecret && own.writeOnly !== true)
    warn(`the drift of ${as} cannot be seen: the response of read lacks it`);
  const field: RestField = {
    ...place,
    ...(isNumber ? { sentAs: 'number' as const } : {}),
    ...(isImmutable ? { immutable: true } : {}),
    ...(isWriteOnly && !isSecret ? { writeOnly: true } : {}),
    ...(isSecret ? { secret: true } : {}),
    ...((own.unordered ?? (isList && keywords.uniqueItems === true)) ? { unordered: true } : {}),
    ...(own.lateInitialize === undefined ? {} : { lateInitialize: own.lateInitialize }),
    ...(route === undefined ? {} : { update: route as Route }),
  };
  const isRequired = own.required ?? (settings.required.includes(name) || isRequiredAt(path, options));
  return [{ name, as, path, schema, settings: own, isRequired, field }];
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
  { name, schema, settings, field }: SpecField,
  document: OpenapiDocument,
): [string, JsonObject] {
  const own = structuralSchema(schema, document, { use: 'spec', name });
  const description = settings.description ?? own.description ?? sentenceOf(name);
  if (field?.secret) return [`${name}SecretRef`, secretRef(description)];
  const { reference } = settings;
  if (reference === undefined) return [name, { ...own, description }];
  const text = { type: 'string', maxLength: 1024 };
  return own.type === 'array'
    ? [name, { description, type: 'array', maxItems: own.maxItems ?? 64, items: text, $reference: reference }]
    : [name, { description, ...text, $reference: reference }];
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
