import { isObject } from '../../../../framework/base/index.ts';

/** A document inside of a Shoot that an extension of Gardener defines. */
export type RawDocument = Record<string, unknown>;

/**
 * The document with the keys of all objects sorted. Gardener compares such documents as bytes, and server-side apply sorts their
 * keys: in another order, the first patch after the creation would be a change.
 */
export function rawDocument(document: object): RawDocument {
  const members = Object.entries(document).filter(([, value]) => value !== undefined);
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([key, value]) => [key, sorted(value)]));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  return isObject(value) ? rawDocument(value) : value;
}
