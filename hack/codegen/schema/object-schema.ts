import { innerSchemas } from '../source/inner-schemas.ts';
import type { Form, Schema, Source } from '../source/source.ts';
import { SourceError } from '../source/source-error.ts';
import { withLimits } from './limits.ts';
import { withReferences } from './reference-fields.ts';
import { generationOf, managedSpec, managedStatus, standardSchema } from './standard-fields.ts';

/** The whole object of a kind in one of its forms, with everything standard filled in and everything bounded. */
export function objectSchema(source: Source, form: Form): Schema {
  const body = source.managed ? managedBody(source, form) : expand(source.schema, form);
  const { properties } = withLimits(body);
  const schema: Schema = {
    description: source.description,
    type: 'object',
    ...(body.required === undefined ? {} : { required: body.required }),
    properties: { ...rootProperties, ...properties },
    ...(source.rules.length === 0 ? {} : { 'x-kubernetes-validations': source.rules }),
  };
  for (const { name, jsonPath, at } of source.columns) {
    if (!isFieldPath(jsonPath, schema)) {
      throw new SourceError(source.file, at, `column ${name} shows ${jsonPath}, which is no field`);
    }
  }
  return schema;
}

// The API server bounds these itself.
const rootProperties: Readonly<Record<string, Schema>> = {
  apiVersion: {
    description: 'Group and version of the API that this object is written in.',
    type: 'string',
  },
  kind: { description: 'The kind of this object. It cannot be changed.', type: 'string' },
  // The API server knows metadata itself and refuses a description of it.
  metadata: { type: 'object' },
};

function managedBody(source: Source & { managed: true }, form: Form): Schema {
  const generation = generationOf(form);
  return {
    required: ['spec'],
    properties: {
      spec: {
        description: 'What is asked for.',
        type: 'object',
        required: ['forProvider'],
        properties: {
          forProvider: expand(withReferences(source.forProvider, form), form),
          ...managedSpec(generation, source.accepts),
        },
      },
      status: {
        description: 'What the provider found.',
        type: 'object',
        properties: {
          atProvider: expand(source.atProvider, form),
          ...managedStatus,
        },
      },
    },
  };
}

/** Puts the standard schemas in their places, and the fields of the form in those of the source. */
function expand({ $namespaced, ...source }: Schema, form: Form): Schema {
  const schema = form.scope === 'Namespaced' ? inNamespace(source, $namespaced) : source;
  if (schema.$standard !== undefined) {
    const standard = standardSchema(schema.$standard, generationOf(form));
    return schema.description === undefined ? standard : { ...standard, description: schema.description };
  }
  const { required, properties } = schema;
  const here = Object.fromEntries(Object.entries(properties ?? {}).filter(([, field]) => isIn(field, form)));
  return {
    ...schema,
    ...(required === undefined ? {} : { required: requiredIn(schema, form) }),
    ...innerSchemas(properties === undefined ? schema : { ...schema, properties: here }, (inner) =>
      expand(inner, form),
    ),
  };
}

function inNamespace(schema: Schema, field: Schema['$namespaced']): Schema {
  const description = field === 'absent' ? undefined : field?.description;
  return description === undefined ? schema : { ...schema, description };
}

function isIn({ $namespaced }: Schema, form: Form): boolean {
  return form.scope !== 'Namespaced' || $namespaced !== 'absent';
}

function requiredIn({ required = [], properties = {} }: Schema, form: Form): string[] {
  return required.filter((name) => {
    const field = properties[name];
    if (field === undefined || form.scope !== 'Namespaced') return true;
    const { $namespaced } = field;
    return $namespaced !== 'absent' && $namespaced?.optional !== true;
  });
}

/** A column with a mistyped path would stay empty. Only the plain beginning of a path is checked. */
function isFieldPath(jsonPath: string, schema: Schema): boolean {
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
