import { objectSchema } from '../schema/object-schema.ts';
import { innerSchemas } from '../source/inner-schemas.ts';
import type { Form, Schema, Source } from '../source/source.ts';

/** The file with the schemas of all managed kinds as data. */
export const schemasPath = 'apis/schemas.gen.ts';

/**
 * A module with fields, types and defaults of CRDs, for programs that validate manifests without a cluster. It is
 * one module, so a new kind needs no further list.
 */
export function schemasModule(managed: readonly { readonly source: Source; readonly form: Form }[]): string {
  const entries = managed.map(({ source, form }) => [
    `${form.kind}.${source.version}.${form.group}`,
    fieldsOf(objectSchema(source, form)),
  ]);
  const sorted = entries.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  return `
/** The part of a CRD's schema that says which fields there are. */
export interface FieldSchema {
    readonly type?: string;
    readonly properties?: Readonly<Record<string, FieldSchema>>;
    readonly items?: FieldSchema;
    readonly additionalProperties?: FieldSchema;
    readonly required?: readonly string[];
    readonly enum?: readonly unknown[];
    readonly default?: unknown;
    readonly nullable?: boolean;
}

/** The schemas of managed kinds by kind, version and group: \`Bucket.v1.storage.example.org\`. */
export const schemas: Readonly<Record<string, FieldSchema>> = ${JSON.stringify(Object.fromEntries(sorted), undefined, 4)};
`;
}

const kept = ['type', 'required', 'enum', 'default', 'nullable'] as const;

function fieldsOf(schema: Schema): object {
  const plain = kept.flatMap((name) => (schema[name] === undefined ? [] : [[name, schema[name]] as const]));
  return { ...Object.fromEntries(plain), ...innerSchemas(schema, fieldsOf) };
}
