import { codeLines } from './code-lines.ts';

/** A file in Jest's `coverage-final.json`, written with V8: one statement for each line. */
export interface FileCoverage {
  readonly path: string;
  readonly statementMap: Readonly<Record<string, { readonly start: { readonly line: number } }>>;
  /** How often each statement ran. */
  readonly s: Readonly<Record<string, number>>;
}

/** Lines with code, and how many of them ran. */
export interface LineCount {
  readonly lines: number;
  readonly covered: number;
}

export function countLines({ statementMap, s }: FileCoverage, source: string): LineCount {
  const code = codeLines(source);
  const ran = new Set<number>();
  for (const [id, { start }] of Object.entries(statementMap)) if ((s[id] ?? 0) > 0) ran.add(start.line);
  return { lines: code.size, covered: [...code].filter((line) => ran.has(line)).length };
}

export const sumLines = (counts: readonly LineCount[]): LineCount => ({
  lines: counts.reduce((sum, count) => sum + count.lines, 0),
  covered: counts.reduce((sum, count) => sum + count.covered, 0),
});

/** 100 without lines: a file of types alone leaves nothing to test. */
export const percentOf = ({ lines, covered }: LineCount): number =>
  lines === 0 ? 100 : (100 * covered) / lines;
