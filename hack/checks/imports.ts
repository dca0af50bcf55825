/** One import, export-from or dynamic import of a source file. */
export interface Import {
  /** As written: `./x.ts`, `undici`, `node:fs`. */
  readonly specifier: string;
  /** Gone once the types are stripped. */
  readonly typeOnly: boolean;
  /** One-based. */
  readonly line: number;
}

/**
 * Statements begin their line, as the formatter has it. Between keyword and specifier stands anything but a
 * quote or semicolon, so that a match never runs into the next statement.
 */
const STATEMENT =
  /^[ \t]*(?:import|export)(?<type>\s+type\b)?(?:[^'"`;]*?\bfrom)?\s*(['"])(?<name>[^'"\n]+)\2/gm;
const DYNAMIC = /\bimport\(\s*(['"])(?<name>[^'"\n]+)\1\s*\)/g;

/** Every import of TypeScript source that is formatted as this repository is. */
export function findImports(source: string): Import[] {
  const found = [...source.matchAll(STATEMENT), ...source.matchAll(DYNAMIC)].map((match) => ({
    specifier: match.groups?.name ?? '',
    // A type queried by `import('x').T` cannot be told from a call here; dynamic imports count as run time.
    typeOnly: match.groups?.type !== undefined,
    line: source.slice(0, match.index).split('\n').length,
  }));
  return found.sort((a, b) => a.line - b.line);
}
