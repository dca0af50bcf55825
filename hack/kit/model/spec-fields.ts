/** The fields of the spec of a kind: those of the request of create, and the parameters of its path. */
import type { RestField, RestIdPart, Route } from '../../../internal/framework/rest/definition.ts';
import { parametersIn } from '../../../internal/framework/rest/route.ts';
import { flatSchema } from '../document/object-properties.ts';
import type { JsonObject, OpenapiDocument } from '../document/openapi-document.ts';
import { sentenceOf, structuralSchema } from '../document/structural-schema.ts';
import type { FieldSettings } from '../format/provider-file.ts';
import { unknownName } from '../format/yaml-shape.ts';
import { camelCase, type IdOptions, type KindId } from './id-parts.ts';
import type { FindOperation } from './kind-operations.ts';

export interface SpecField {
  /** In the spec. */
  readonly name: string;
  /** In the document. */
  readonly as: string;
  readonly schema: unknown;
  readonly settings: FieldSettings;
  readonly isRequired: boolean;
  /** Undefined for a parameter of a path that no request has. */
  readonly field: RestField | undefined;
}

interface FieldsOptions extends IdOptions {
  readonly id: KindId;
  readonly find: FindOperation;
  readonly warn: (text: string) => void;
}

export function specFields(options: FieldsOptions): SpecField[] {
  const { settings, operations, schemas, id, report, warn } = options;
  const inRequest = [...schemas.request.properties.keys()];
  const isName = (name: string) =>
    id.parts.some(({ parameter, from }) => parameter === name && from === 'name');
  const ofPath = parametersIn(operations.create.path).filter(
    (name) => !isName(name) && !inRequest.some((other) => camelCase(other) === camelCase(name)),
  );
  const known = [...inRequest, ...ofPath];
  for (const name of Object.keys(settings.fields))
    if (!known.includes(name))
      report(`fields.${name}`, unknownName('field of the request of create', name, known));
  for (const name of settings.omit)
    if (!known.includes(name)) report('omit', unknownName('field of the request of create', name, known));
  const fields = [
    ...ofPath.map((as) => pathField(as, options)),
    ...inRequest
      .filter((as) => !id.inBody.has(as) && !settings.omit.includes(as))
      .flatMap((as) => bodyField(as, options)),
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
    schema: { type: 'string', ...(description === undefined ? {} : { description }) },
    settings: own,
    isRequired: true,
    field: undefined,
  };
}

function bodyField(as: string, options: FieldsOptions): SpecField[] {
  const { settings, schemas, document, report, find, warn, id } = options;
  const own = settings.fields[as] ?? {};
  const schema = schemas.request.properties.get(as);
  const { own: keywords, type } = flatSchema(schema, document);
  if (keywords.readOnly === true && settings.fields[as] === undefined) return [];
  const name = own.name ?? camelCase(as);
  const isSecret = own.secret ?? keywords.format === 'password';
  const isWriteOnly = own.writeOnly ?? (!schemas.observed.properties.has(as) || keywords.writeOnly === true);
  const route = own.update === undefined ? undefined : find(own.update, `fields.${as}.update`)?.route;
  const isUpdated = settings.update !== undefined && (schemas.update?.properties.has(as) ?? true);
  const isOfName = id.parts.some(
    ({ from, parameter, field = parameter }) => from === 'spec' && field === name,
  );
  const isImmutable =
    own.immutable ?? (settings.update !== undefined && route === undefined && (!isUpdated || isOfName));
  const isList = type === 'array';
  const isNumber =
    own.reference !== undefined && (isList ? flatSchema(keywords.items, document).type : type) !== 'string';
  if (own.secret === true && type !== 'string')
    report(`fields.${as}.secret`, `${as} is no text, which a secret must be`);
  if (isWriteOnly && !isSecret && own.writeOnly !== true)
    warn(`the drift of ${as} cannot be seen: the response of read lacks it`);
  const field: RestField = {
    ...(name === as ? {} : { as }),
    ...(isNumber ? { sentAs: 'number' as const } : {}),
    ...(isImmutable ? { immutable: true } : {}),
    ...(isWriteOnly && !isSecret ? { writeOnly: true } : {}),
    ...(isSecret ? { secret: true } : {}),
    ...((own.unordered ?? (isList && keywords.uniqueItems === true)) ? { unordered: true } : {}),
    ...(own.lateInitialize === undefined ? {} : { lateInitialize: own.lateInitialize }),
    ...(route === undefined ? {} : { update: route as Route }),
  };
  const isRequired = own.required ?? (settings.required.includes(name) || schemas.request.required.has(as));
  return [{ name, as, schema, settings: own, isRequired, field }];
}

/** The schema of `spec.forProvider`, as sources of kinds have it. */
export function forProviderOf(
  fields: readonly SpecField[],
  { document, noun }: { readonly document: OpenapiDocument; readonly noun: string },
): JsonObject {
  const required = fields.flatMap(({ isRequired, name, field }) => {
    if (!isRequired) return [];
    return [field?.secret ? `${name}SecretRef` : name];
  });
  return {
    description: `The desired ${noun}.`,
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(fields.map((field) => propertyOf(field, document))),
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
