import { stringify } from 'yaml';
import { generatedHeader } from './generated-header.ts';
import { objectSchema } from './object-schema.ts';
import type { Form, Json, Schema, Source } from './source.ts';

/** `package/crds/<group>_<plural>.yaml` */
export function crdPath(form: Form): string {
  return `package/crds/${form.group}_${form.plural}.yaml`;
}

/** The CustomResourceDefinition of one form, as YAML. */
export function crdYaml(source: Source, form: Form): string {
  const yaml = stringify(crd(source, form), { lineWidth: 110, aliasDuplicateObjects: false });
  return `${generatedHeader(source.file, '#')}---\n${yaml}`;
}

/** The CustomResourceDefinition of one form, with its keys always in the same order. */
export function crd(source: Source, form: Form): Json {
  const schema = objectSchema(source, form);
  const { shortNames, categories, columns, version } = source;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${form.plural}.${form.group}` },
    spec: {
      group: form.group,
      names: {
        kind: form.kind,
        listKind: `${form.kind}List`,
        plural: form.plural,
        singular: form.singular,
        ...(shortNames.length === 0 ? {} : { shortNames }),
        ...(categories.length === 0 ? {} : { categories }),
      },
      scope: form.scope,
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          ...(columns.length === 0
            ? {}
            : { additionalPrinterColumns: columns.map(({ at: _, ...column }) => column) }),
          ...(schema.properties?.status === undefined ? {} : { subresources: { status: {} } }),
          schema: { openAPIV3Schema: ordered(schema) },
        },
      ],
    },
  };
}

/** What a reader looks for first comes first; a field's own fields come last. */
const order: readonly (keyof Schema)[] = [
  'description',
  'type',
  'format',
  'nullable',
  'default',
  'enum',
  'pattern',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-int-or-string',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
  'required',
];

function ordered(schema: Schema): { readonly [key: string]: Json } {
  const { items, additionalProperties, properties } = schema;
  const result: Record<string, Json> = {};
  for (const key of order) {
    const value = schema[key];
    if (value !== undefined) result[key] = value as Json;
  }
  if (items !== undefined) result.items = ordered(items);
  if (additionalProperties !== undefined) result.additionalProperties = ordered(additionalProperties);
  if (properties !== undefined) {
    result.properties = Object.fromEntries(
      Object.entries(properties).map(([name, value]) => [name, ordered(value)]),
    );
  }
  return result;
}
