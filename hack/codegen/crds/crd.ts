import { objectSchema } from '../schema/object-schema.ts';
import { innerSchemas } from '../source/inner-schemas.ts';
import type { Kind } from '../source/kinds.ts';
import { keywords } from '../source/read-schema.ts';
import type { Conversion, Form, Json, Schema, Source } from '../source/source.ts';
import { clientConfig } from '../source/webhook-service.ts';
import { yamlDocuments } from './yaml-documents.ts';

/** `package/crds/<group>_<plural>.yaml`, or in the folder that the group states */
export function crdPath({ folder }: Kind, form: Form): string {
  return `${folder}/${form.group}_${form.plural}.yaml`;
}

/** The CustomResourceDefinition of one form, as YAML. */
export const crdYaml = (kind: Kind, form: Form): string => yamlDocuments([crd(kind, form)]);

/** The CustomResourceDefinition of one form, with its keys always in the same order. */
export function crd({ stored, versions }: Kind, form: Form): Json {
  const { shortNames, categories, conversion } = stored;
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
      ...(conversion.strategy === 'None' ? {} : { conversion: webhookConversion(conversion) }),
      versions: versions.map((source) => version(source, form)),
    },
  };
}

function version(source: Source, form: Form): Json {
  const schema = objectSchema(source, form);
  const { columns, deprecationWarning } = source;
  return {
    name: source.version,
    served: source.served,
    storage: source.storage,
    ...(source.deprecated ? { deprecated: true } : {}),
    ...(deprecationWarning === undefined ? {} : { deprecationWarning }),
    ...(columns.length === 0
      ? {}
      : { additionalPrinterColumns: columns.map(({ at: _, ...column }) => column) }),
    ...(schema.properties?.status === undefined ? {} : { subresources: { status: {} } }),
    schema: { openAPIV3Schema: ordered(schema) },
  };
}

function webhookConversion(conversion: Conversion & { strategy: 'Webhook' }): Json {
  const { strategy, service, path, conversionReviewVersions } = conversion;
  return { strategy, webhook: { clientConfig: clientConfig(service, path), conversionReviewVersions } };
}

/** Keys are in the order of `keywords`; a field's own fields come last. */
function ordered(schema: Schema): { readonly [key: string]: Json } {
  const inner = innerSchemas(schema, ordered);
  const own = Object.keys(keywords).flatMap((key) => {
    const value = schema[key as keyof Schema];
    return value === undefined || key in inner ? [] : [[key, value as Json] as const];
  });
  return { ...Object.fromEntries(own), ...inner };
}
