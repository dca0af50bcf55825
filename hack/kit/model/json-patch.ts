import { flatSchema } from '../document/object-properties.ts';
import type { OpenapiDocument } from '../document/openapi-document.ts';

/** Whether a schema is a list of operations, as JSON Patch (RFC 6902) has them. */
export function isPatchList(schema: unknown, document: Pick<OpenapiDocument, 'resolve'>): boolean {
  const { type, own } = flatSchema(schema, document);
  if (type !== 'array') return false;
  const { properties } = flatSchema(own.items ?? {}, document);
  return properties.has('op') && properties.has('path');
}
