/**
 * Every string, list and map of a CRD is bounded: what the API server takes in is what the provider has to work with.
 * A source may state its own limits; these are those of Kubernetes, or generous.
 */

import { innerSchemas } from '../source/inner-schemas.ts';
import type { Schema } from '../source/source.ts';

/** Of objects: a DNS subdomain. */
const nameLength = 253;
/** A DNS label. */
const namespaceLength = 63;
const timeLength = 64;
/** IDs of other systems, tokens, words. */
const textLength = 1024;
/** A list of certificates as PEM, or of keys. An object has a megabyte and a half at most. */
const bundleLength = 2 ** 20;
/** Annotations have so many bytes together. */
const annotationLength = 2 ** 18;
const listItems = 64;
const mapEntries = 256;

/** The schema with a limit wherever it states none. An enum is bounded already. */
export function withLimits(schema: Schema, field = ''): Schema {
  return {
    ...schema,
    ...limitOf(schema, field),
    ...innerSchemas(schema, (inner, name = field) => withLimits(inner, name)),
  };
}

function limitOf(schema: Schema, field: string): Partial<Schema> {
  switch (schema.type) {
    case 'string':
      if (schema.enum !== undefined) return {};
      return { maxLength: schema.maxLength ?? lengthOf(schema, field) };
    case 'array':
      return { maxItems: schema.maxItems ?? listItems };
    case 'object':
      return schema.additionalProperties === undefined
        ? {}
        : { maxProperties: schema.maxProperties ?? mapEntries };
    default:
      return {};
  }
}

function lengthOf({ format }: Schema, field: string): number {
  if (format === 'date-time') return timeLength;
  if (/^(name|.*Name)$/.test(field)) return nameLength;
  if (/^(namespace|.*Namespace)$/.test(field)) return namespaceLength;
  if (field === 'zones') return nameLength;
  if (field === 'annotations') return annotationLength;
  if (field === 'caBundle') return bundleLength;
  return textLength;
}
