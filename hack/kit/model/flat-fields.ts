/** Objects whose members are fields of the spec by themselves, as the attributes of JSON:API. */
import { flatSchema, schemaAt } from '../document/object-properties.ts';
import type { OpenapiDocument } from '../document/openapi-document.ts';
import { isFor } from '../document/structural-schema.ts';
import type { FieldSettings, KindSettings } from '../format/provider-file.ts';
import { camelCase } from './id-parts.ts';
import type { KindSchemas, Report } from './kind-operations.ts';

type Fields = KindSettings['fields'];

/** Dotted paths of the objects that are flat. */
export const flatPaths = (fields: Fields): readonly string[] =>
  Object.entries(fields).flatMap(([as, { flat }]) => (flat ? [as] : []));

/** The fields with one for each member of flat objects, under the name that it has there. */
export function withMembers(
  fields: Fields,
  { requestSchema }: Pick<KindSchemas, 'requestSchema'>,
  { document, report }: { readonly document: OpenapiDocument; readonly report: Report },
): Fields {
  const paths = flatPaths(fields);
  // Names of documents are looked up in it, such as `constructor`.
  const found: Record<string, FieldSettings> = Object.create(null);
  if (paths.length === 0) return Object.assign(found, fields);
  const members = new Set<string>();
  for (const around of paths) {
    const { properties } = flatSchema(schemaAt(requestSchema, around.split('.'), document), document);
    if (properties.size === 0) report(`fields.${around}.flat`, `${around} is no object with members`);
    for (const [name, schema] of properties) {
      if (!isFor('spec', flatSchema(schema, document).own)) continue;
      members.add(camelCase(name));
      found[`${around}.${name}`] = { name: camelCase(name) };
    }
  }
  for (const [as, field] of Object.entries(fields)) {
    const around = paths.find((path) => as.startsWith(`${path}.`));
    const name = around === undefined ? undefined : camelCase(as.slice(around.length + 1));
    // A constant is in no spec, where a member may have its name.
    const isHidden = around === undefined && field.value !== undefined && members.has(camelCase(as));
    found[as] = {
      ...(name === undefined ? {} : { name }),
      ...(isHidden ? { name: `${camelCase(as)}Constant` } : {}),
      ...field,
    };
  }
  return found;
}
