import type { Form, Schema, Source } from './source.ts';
import { SourceError } from './source-error.ts';
import type { Generation } from './standard-fields.ts';
import { generationOf, managedSpec, managedStatus, standardSchema } from './standard-fields.ts';

/** The whole object of a kind in one of its forms, with everything standard filled in. */
export function objectSchema(source: Source, form: Form): Schema {
  const generation = generationOf(form);
  const body = source.managed ? managedBody(source, generation) : expand(source.schema, generation);
  const schema: Schema = {
    description: source.description,
    type: 'object',
    ...(body.required === undefined ? {} : { required: body.required }),
    properties: { ...rootProperties, ...body.properties },
    ...(source.rules.length === 0 ? {} : { 'x-kubernetes-validations': source.rules }),
  };
  for (const { name, jsonPath, at } of source.columns) {
    if (!leadsSomewhere(jsonPath, schema)) {
      throw new SourceError(source.file, at, `column ${name} shows ${jsonPath}, which is no field`);
    }
  }
  return schema;
}

const rootProperties: Readonly<Record<string, Schema>> = {
  apiVersion: {
    description: 'Group and version of the API that this object is written in.',
    type: 'string',
  },
  kind: { description: 'The kind of this object. It cannot be changed.', type: 'string' },
  // The API server knows metadata itself and refuses a description of it.
  metadata: { type: 'object' },
};

function managedBody(source: Source & { managed: true }, generation: Generation): Schema {
  return {
    required: ['spec'],
    properties: {
      spec: {
        description: 'What is asked for.',
        type: 'object',
        required: ['forProvider'],
        properties: {
          forProvider: expand(source.forProvider, generation),
          ...managedSpec(generation, source.accepts),
        },
      },
      status: {
        description: 'What the provider found.',
        type: 'object',
        properties: {
          atProvider: expand(source.atProvider, generation),
          ...managedStatus(generation),
        },
      },
    },
  };
}

/** Puts the standard schemas in their places. */
function expand(schema: Schema, generation: Generation): Schema {
  if (schema.$standard !== undefined) {
    const standard = standardSchema(schema.$standard, generation);
    return schema.description === undefined ? standard : { ...standard, description: schema.description };
  }
  return {
    ...schema,
    ...(schema.items === undefined ? {} : { items: expand(schema.items, generation) }),
    ...(schema.additionalProperties === undefined
      ? {}
      : { additionalProperties: expand(schema.additionalProperties, generation) }),
    ...(schema.properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(schema.properties).map(([name, value]) => [name, expand(value, generation)]),
          ),
        }),
  };
}

/** A column whose path is mistyped would stay empty for ever. Only the plain beginning of a path is followed. */
function leadsSomewhere(jsonPath: string, schema: Schema): boolean {
  const plain = /^(\.[A-Za-z]+)+/.exec(jsonPath)?.[0];
  if (plain === undefined) return false;
  let at: Schema = schema;
  for (const name of plain.slice(1).split('.')) {
    if (at === rootProperties.metadata) return true;
    const next: Schema | undefined = at.properties?.[name] ?? at.additionalProperties;
    if (next === undefined) return at['x-kubernetes-preserve-unknown-fields'] === true;
    at = next;
  }
  return true;
}
