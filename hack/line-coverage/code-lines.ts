import { stripTypeScriptTypes } from 'node:module';
import { parse } from '@babel/parser';

/** Brackets and separators alone: such a line says nothing about what a test ran. */
const PUNCTUATION = new Set([')', ']', '}', ',', ';', '`', '${']);

/**
 * Numbers of the lines with code, from 1. V8 reports each line of a file, also comments, types and empty lines, as covered if
 * the block around it ran; a share of all lines would grow with the comments.
 *
 * @param source TypeScript of which Node can strip the types
 */
export function codeLines(source: string): ReadonlySet<number> {
  const { tokens } = parse(stripTypeScriptTypes(source), { sourceType: 'module', tokens: true });
  const lines = new Set<number>();
  for (const token of (tokens ?? []) as readonly Token[]) {
    const { type, loc } = token;
    const isCode = typeof type !== 'string' && type.label !== 'eof' && !PUNCTUATION.has(type.label);
    if (isCode) lines.add(loc.start.line);
  }
  return lines;
}

/** Babel's tokens: comments have a string as type. */
interface Token {
  readonly type: string | { readonly label: string };
  readonly loc: { readonly start: { readonly line: number } };
}
