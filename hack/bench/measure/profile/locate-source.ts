import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Locate, SourcePlace } from './cpu-profile.ts';

/** Maps call frames to sources, through the source map beside a bundle. */
export function createSourceLocator(root: string): Locate {
  const maps = new Map<string, SourceMap | undefined>();
  const mapOf = (file: string): SourceMap | undefined => {
    if (!maps.has(file)) maps.set(file, readSourceMap(`${file}.map`));
    return maps.get(file);
  };
  const inRepository = (path: string) => relative(root, path).split(sep).join('/');
  return ({ url, lineNumber, columnNumber }): SourcePlace | undefined => {
    if (url === '') return undefined;
    if (url.startsWith('node:')) return { file: url, line: lineNumber + 1 };
    const file = url.startsWith('file:') ? fileURLToPath(url) : url;
    const entry = mapOf(file)?.findEntry(lineNumber, columnNumber);
    if (entry === undefined || !('originalSource' in entry)) {
      return { file: inRepository(file), line: lineNumber + 1 };
    }
    const source = resolve(dirname(file), entry.originalSource);
    return { file: inRepository(source), line: entry.originalLine + 1 };
  };
}

function readSourceMap(path: string): SourceMap | undefined {
  try {
    const payload: SourceMapPayload = JSON.parse(readFileSync(path, 'utf8'));
    return new SourceMap(payload);
  } catch {
    // Files that run without a build have none.
    return undefined;
  }
}
