import { ProviderError } from '../../../../base/errors/errors.ts';
import { maxNesting } from '../../../../base/json/clone-json.ts';
import { isObject } from '../../../../base/json/json-field.ts';

/** A document inside of a Shoot that an extension of Gardener defines. */
export type RawDocument = Record<string, unknown>;

/**
 * The document with the keys of all objects sorted. Gardener compares such documents as bytes, and server-side apply sorts their
 * keys: in another order, the first patch after the creation would be a change.
 */
export const rawDocument = (document: object): RawDocument => sortedMembers(document, 1);

function sorted(value: unknown, depth: number): unknown {
  if (depth > maxNesting)
    throw new ProviderError('terminal', `a document is nested deeper than ${maxNesting} levels`);
  if (Array.isArray(value)) return value.map((item) => sorted(item, depth + 1));
  return isObject(value) ? sortedMembers(value, depth) : value;
}

function sortedMembers(object: object, depth: number): RawDocument {
  const members = Object.entries(object).filter(([, value]) => value !== undefined);
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([key, value]) => [key, sorted(value, depth + 1)]));
}
