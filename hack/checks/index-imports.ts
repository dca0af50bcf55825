/**
 * Systems and the program import the framework as its authors do: what an index of a room has is imported from it. What no index has
 * yet may come from its file.
 */
import { posix } from 'node:path';

const ROOM = /^internal\/framework\/([^/]+)\/(?!index\.ts$)/;
const IMPORT = /^(?:import|export) (?:type )?\{([^}]*)\} from '([^']+)';$/gm;

/** @param files texts by path @returns a line for each name that should come from an index */
export function checkIndexImports(files: ReadonlyMap<string, string>): string[] {
  /** Indexes by `file#name`. */
  const indexes = new Map<string, string>();
  for (const [path, text] of files) {
    if (!/^internal\/framework\/[^/]+\/index\.ts$/.test(path)) continue;
    for (const { file, name } of namesIn(path, text)) indexes.set(`${file}#${name}`, path);
  }
  return [...files].flatMap(([path, text]) => {
    if (!/^internal\/(?:systems|program)\/.*(?<!\.test|\.fixture)\.ts$/.test(path)) return [];
    return namesIn(path, text).flatMap(({ file, name }) => {
      const index = ROOM.test(file) ? indexes.get(`${file}#${name}`) : undefined;
      return index === undefined ? [] : [`${path}: import ${name} from ${index}, not from ${file}`];
    });
  });
}

/** The names that a file takes from other files. */
function namesIn(path: string, text: string): { readonly file: string; readonly name: string }[] {
  return [...text.matchAll(IMPORT)].flatMap(([, names = '', from = '']) => {
    if (!from.startsWith('.')) return [];
    const file = posix.join(posix.dirname(path), from);
    return names
      .split(',')
      .map((each) => each.trim().replace(/^type /, ''))
      .filter((name) => name !== '' && !name.includes(' as '))
      .map((name) => ({ file, name }));
  });
}
