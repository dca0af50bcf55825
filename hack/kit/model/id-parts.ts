/** Where the parameters of the paths of a kind come from. */
import type { RestIdPart } from '../../../internal/framework/rest/definition.ts';
import { parametersIn } from '../../../internal/framework/rest/rest-calls.ts';
import { schemaAt } from '../document/object-properties.ts';
import type { OpenapiDocument } from '../document/openapi-document.ts';
import { wordsOf } from '../document/structural-schema.ts';
import type { KindSettings } from '../format/provider-file.ts';
import { unknownName } from '../format/yaml-shape.ts';
import { type KindOperations, type KindSchemas, type Report, unknownField } from './kind-operations.ts';

export interface IdOptions {
  readonly kind: string;
  readonly settings: KindSettings;
  readonly operations: KindOperations;
  readonly schemas: KindSchemas;
  readonly document: OpenapiDocument;
  readonly report: Report;
}

export interface KindId {
  readonly parts: readonly RestIdPart[];
  /** Fields of the request of create that have the ID from `metadata.name`. */
  readonly inBody: ReadonlySet<string>;
}

/** Undefined after a mistake. */
export function kindId({
  kind,
  settings,
  operations,
  schemas,
  document,
  report,
}: IdOptions): KindId | undefined {
  const { read } = settings;
  const path = 'list' in read ? operations.delete.path : operations.read.path;
  const parameters = parametersIn(path);
  const inCreate = parametersIn(operations.create.path);
  if (parameters.length === 0) {
    report(
      'list' in read ? 'delete' : 'read',
      `${path} has no parameter, so that it cannot name one of several`,
    );
    return undefined;
  }
  const stated = ownSources(settings.id, parameters, inCreate);
  for (const name of Object.keys(stated))
    if (!parameters.includes(name)) report('id', unknownName(`parameter of ${path}:`, name, parameters));
  const result = schemas.created.properties.size > 0 ? schemas.created : schemas.observed;
  const schema = schemas.created.properties.size > 0 ? schemas.createdSchema : schemas.observedSchema;
  const inBody = new Set<string>();
  const fieldInBody = (names: readonly string[]) =>
    names.find((name) => schemas.request.properties.has(name));
  /** Where items of a list have an ID that the response of create, or its operation, has elsewhere. */
  const listedAs = (parameter: string, field: string): { readonly listed?: string } => {
    const { observed, observedSchema } = schemas;
    const isThere = schemaAt(observedSchema, field.split('.'), document) !== undefined;
    if (!('list' in read) || isThere) return {};
    const listed = idFieldIn(observed.properties, { kind, parameter });
    return listed === undefined ? {} : { listed };
  };
  let isComplete = true;

  const partOf = (parameter: string): RestIdPart | undefined => {
    const ofSpec = `spec.${settings.fields[parameter]?.name ?? camelCase(parameter)}`;
    const source = stated[parameter] ?? (inCreate.includes(parameter) ? ofSpec : undefined);
    if (source === 'metadata.name') {
      const { schema: type } = parametersOf(operations).find(({ name }) => name === parameter) ?? {};
      if (type?.type === 'integer' || type?.type === 'number') {
        report('id', `${parameter} is a number in the document, so it cannot be metadata.name`);
        return undefined;
      }
      const field = inCreate.includes(parameter) ? undefined : fieldInBody([parameter, 'name', 'id']);
      if (!inCreate.includes(parameter) && field === undefined) {
        report(
          'id',
          `create sends ${parameter} nowhere: neither its path nor its request has it, so it cannot be metadata.name`,
        );
        return undefined;
      }
      if (field !== undefined) inBody.add(field);
      return { parameter, from: 'name', ...fieldOf(parameter, field) };
    }
    if (source?.startsWith('spec.'))
      return { parameter, from: 'spec', ...fieldOf(parameter, source.slice(5)) };
    if (source !== undefined) {
      if (result.properties.size > 0 && schemaAt(schema, source.split('.'), document) === undefined) {
        report('id', unknownField(schema, source, document, 'the response of create'));
        return undefined;
      }
      return { parameter, from: 'response', ...fieldOf(parameter, source), ...listedAs(parameter, source) };
    }
    const field = idFieldIn(result.properties, { kind, parameter });
    if (field === undefined) {
      const isOfQuery = path.indexOf('?') >= 0 && path.indexOf(`{${parameter}}`) > path.indexOf('?');
      const value = isOfQuery ? `, or its value, after the name of the operation: ?${parameter}=…` : '';
      report(
        'id',
        `the response of create has no field for ${parameter} of ${path}; state id: { ${parameter}: <field> }${value}`,
      );
      return undefined;
    }
    return { parameter, from: 'response', ...fieldOf(parameter, field), ...listedAs(parameter, field) };
  };
  const parts = parameters.flatMap((parameter) => {
    const part = partOf(parameter);
    isComplete &&= part !== undefined;
    return part === undefined ? [] : [part];
  });
  return isComplete ? { parts, inBody } : undefined;
}

const IDS: ReadonlySet<string> = new Set(['id', 'uid', 'uuid']);

/** Whether a field of the request has the ID that the API chooses, though the document does not say that it is read-only. */
export const isOwnId = (name: string, parts: readonly RestIdPart[]): boolean =>
  IDS.has(wordsOf(name).at(-1) ?? '') &&
  parts.some(({ from, parameter, field = parameter }) => from === 'response' && field === name);

/** The field of a response that has the value of a parameter: `folder_id`, `key` for `folderKey`, or another ID. */
export function idFieldIn(
  properties: ReadonlyMap<string, unknown>,
  { kind, parameter }: { readonly kind: string; readonly parameter: string },
): string | undefined {
  const candidates = [
    parameter,
    camelCase(parameter),
    wordsOf(parameter).at(-1) ?? '',
    'id',
    `${camelCase(kind)}Id`,
    `${wordsOf(kind).join('_')}_id`,
    'uid',
    'uuid',
    '_id',
    // Operations that end later name what they are about.
    'resourceId',
    'resource_id',
    // A name is no ID of its own, unless the parameter has it.
    ...(IDS.has(wordsOf(parameter).at(-1) ?? '') ? [] : ['name']),
  ];
  return candidates.find((name) => properties.has(name));
}

const parametersOf = ({ read, delete: remove }: KindOperations) =>
  [...read.parameters, ...remove.parameters].filter(({ in: place }) => place === 'path');

const fieldOf = (parameter: string, field: string | undefined) =>
  field === undefined || field === parameter ? {} : { field };

/** A source without a parameter is that of the last one that create does not have, or else of the last one. */
function ownSources(
  { '': only, ...stated }: KindSettings['id'],
  parameters: readonly string[],
  inCreate: readonly string[],
): Readonly<Record<string, string>> {
  if (only === undefined) return stated;
  const open = parameters.filter((name) => !inCreate.includes(name)).at(-1) ?? parameters.at(-1) ?? '';
  return { ...stated, [open]: only };
}

/** Names of fields of the spec, as Kubernetes has them: `parent_uid` → `parentUid`. */
export function camelCase(name: string): string {
  const [first = '', ...others] = wordsOf(name);
  return [first, ...others.map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`)].join('');
}
