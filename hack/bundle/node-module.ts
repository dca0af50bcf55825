import type { BuildOptions } from 'esbuild';

/** The esbuild options that make one module for Node 24 of a program and all that it imports. */
export const nodeModule = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  // Dependencies written as CommonJS call `require`, which an ES module does not have. The name of the import is that of no program.
  banner: {
    js: "import { createRequire as requireOfBundle } from 'node:module'; const require = requireOfBundle(import.meta.url);",
  },
} as const satisfies BuildOptions;

/** What `buildInfo` of the framework is in a bundle. */
export const buildDefines = (version: string, revision: string): Record<string, string> => ({
  'process.env.PROGRAM_VERSION': JSON.stringify(version),
  'process.env.PROGRAM_REVISION': JSON.stringify(revision),
});

/** Those of a program that is shipped. */
export const programModule = {
  // ES modules where a package has them: unused code is left out, three quarters of OpenTelemetry's.
  mainFields: ['module', 'main'],
  metafile: true,
  // Not minified: it costs 2 MB of memory, and a stack trace leads to a line one can read without the map.
  legalComments: 'eof',
  sourcemap: 'linked',
  // Positions only; the sources are what the repository holds.
  sourcesContent: false,
  logLevel: 'warning',
} as const satisfies BuildOptions;

/**
 * One character beyond Latin-1 makes V8 hold the whole source with two bytes for each: 4 MB for a few typographic quotes.
 * esbuild escapes them in code, so those that are left stand in comments. The length stays, for the source map.
 */
export function inOneByte(source: string): string {
  return source.replace(/\P{ASCII}/gu, (character) => '?'.repeat(character.length));
}
