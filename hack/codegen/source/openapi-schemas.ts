import { posix } from 'node:path';
import { parse } from 'yaml';
import { innerSchemas } from './inner-schemas.ts';
import type { Schema, Source } from './source.ts';
import { SourceError } from './source-error.ts';

/** Kubernetes' quantities, such as 100m or 5Gi, as in the CRDs of controller-gen. */
const QUANTITY =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';

/** Keywords of a recorded document that a CRD has too. Enums are left out: the other system knows its values best. */
const KEPT = ['type', 'format', 'nullable', 'pattern', 'minimum', 'maximum', 'required'] as const;

/** A schema of a document of Kubernetes, in part. */
interface OpenapiSchema extends Omit<Schema, 'items' | 'additionalProperties' | 'properties'> {
  readonly $ref?: string;
  readonly oneOf?: readonly OpenapiSchema[];
  readonly items?: OpenapiSchema;
  readonly additionalProperties?: OpenapiSchema | boolean;
  readonly properties?: Readonly<Record<string, OpenapiSchema>>;
}

/**
 * The source with the schemas that its `$openapi: file#name` name, from the recorded documents of other systems.
 *
 * @param read the text of a file, relative to the project
 * @throws SourceError
 */
export async function insertOpenapiSchemas<T extends Source>(
  source: T,
  read: (path: string) => Promise<string>,
): Promise<T> {
  const parts = source.managed
    ? { forProvider: source.forProvider, atProvider: source.atProvider }
    : { schema: source.schema };
  const documents = new Map<string, Readonly<Record<string, OpenapiSchema>>>();
  for (const reference of Object.values(parts).flatMap(referencesOf)) {
    const [path = ''] = reference.split('#');
    if (documents.has(path)) continue;
    const file = posix.join(posix.dirname(source.file), path);
    const text = await read(file).catch((error: unknown) => {
      throw new SourceError(source.file, start, `$openapi: cannot read ${file}: ${(error as Error).message}`);
    });
    documents.set(path, parse(text)?.components?.schemas ?? {});
  }
  if (documents.size === 0) return source;
  const insert = (schema: Schema): Schema => {
    const { $openapi, ...own } = schema;
    if ($openapi === undefined) return { ...own, ...innerSchemas(schema, insert) };
    const [path = '', name = ''] = $openapi.split('#');
    const schemas = documents.get(path) ?? {};
    return { ...structural({ $ref: name }, { schemas, file: source.file, within: [] }), ...own };
  };
  const inserted = Object.entries(parts).map(([key, schema]) => [key, insert(schema)]);
  return { ...source, ...Object.fromEntries(inserted) };
}

const start = { line: 1, col: 1 };

function referencesOf(schema: Schema): string[] {
  const { $openapi, items, additionalProperties, properties = {} } = schema;
  const inner = [items, additionalProperties, ...Object.values(properties)];
  return [
    ...($openapi === undefined ? [] : [$openapi]),
    ...inner.flatMap((part) => (part === undefined ? [] : referencesOf(part))),
  ];
}

interface Context {
  readonly schemas: Readonly<Record<string, OpenapiSchema>>;
  /** Of the source, for errors. */
  readonly file: string;
  /** The names that led here. */
  readonly within: readonly string[];
}

/** The structural schema of a CRD for a schema of a document, with everything that it refers to. */
function structural(schema: OpenapiSchema, context: Context): Schema {
  const { schemas, file, within } = context;
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
    const referred = schemas[name];
    if (referred === undefined) throw new SourceError(file, start, `$openapi: the document has no ${name}`);
    if (within.includes(name)) throw new SourceError(file, start, `$openapi: ${name} contains itself`);
    const inserted = structural(referred, { ...context, within: [...within, name] });
    const described =
      schema.description === undefined
        ? inserted
        : { ...inserted, description: asSentence(schema.description) };
    return name === 'Quantity' ? { ...described, pattern: QUANTITY } : described;
  }
  const { description, items, additionalProperties, properties } = schema;
  const isOpen = additionalProperties === true;
  const inner = (part: OpenapiSchema) => structural(part, context);
  return {
    ...(description === undefined ? {} : { description: asSentence(description) }),
    ...(schema.oneOf === undefined
      ? Object.fromEntries(KEPT.flatMap((key) => (schema[key] === undefined ? [] : [[key, schema[key]]])))
      : { 'x-kubernetes-int-or-string': true }),
    ...(isOpen ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
    ...(items === undefined ? {} : { items: inner(items) }),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: inner(additionalProperties) }
      : {}),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, property]) => [name, inner(property)]),
          ),
        }),
  };
}

const asSentence = (text: string): string =>
  /[.!?:]$/.test(text) ? text.replace(/[!?:]$/, '.') : `${text}.`;
