/**
 * A resource in a namespace refers to objects of that namespace alone, whatever namespace its reference names: else it reads or writes
 * what its author may not. Where both are known, that of the resource counts: `metadata.namespace ?? ref.namespace`.
 */
const OF_REFERENCE_FIRST = /\b\w*[rR]ef(erence)?\??\.namespace\s*\?\?\s*(?!''|undefined)\S+/g;
const CHECKED = /^internal\/.*(?<!\.test|\.fixture)\.ts$/;

/** @param files texts by path @returns a line for each place */
export const checkOwnNamespace = (files: ReadonlyMap<string, string>): string[] =>
  [...files].flatMap(([path, text]) =>
    CHECKED.test(path)
      ? [...text.matchAll(OF_REFERENCE_FIRST)].map(
          ([found]) => `${path}: the namespace of a reference counts before that of its resource: ${found}`,
        )
      : [],
  );
