import { byteLength } from '../values/text.ts';

/** A place in a template, as Go writes it. */
export interface SourcePosition {
  /** From 1. */
  readonly line: number;
  /** In bytes from the start of the line; the first is 0. */
  readonly column: number;
}

/** @param offset in UTF-16 units */
export function positionIn(source: string, offset: number): SourcePosition {
  let line = 1;
  let start = 0;
  for (let at = source.indexOf('\n'); at >= 0 && at < offset; at = source.indexOf('\n', start)) {
    line++;
    start = at + 1;
  }
  return { line, column: byteLength(source.slice(start, offset)) };
}
