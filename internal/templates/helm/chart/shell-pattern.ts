import { type Budget, compilePattern } from '../../gotemplate/index.ts';

/** A pattern of file names as Go's path/filepath has them: `*`, `?`, `[a-z]`, `\x`. Undefined: it is malformed. */
export function compileShellPattern(
  pattern: string,
  budget: Budget,
): ((name: string) => boolean) | undefined {
  let source = '';
  for (let at = 0; at < pattern.length; ) {
    const char = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
    at += char.length;
    if (char === '*') source += '[^/]*';
    else if (char === '?') source += '[^/]';
    else if (char === '\\') {
      const next = pattern.codePointAt(at);
      if (next === undefined) return undefined;
      source += escapeCharacter(next);
      at += String.fromCodePoint(next).length;
    } else if (char === '[') {
      const set = compileSet(pattern, at);
      if (!set) return undefined;
      source += set.source;
      at = set.end;
    } else source += escapeCharacter(char.codePointAt(0) ?? 0);
  }
  // Of RE2, which takes linear time.
  const compiled = compilePattern(`(?s)^(?:${source})$`, budget);
  return (name) => compiled.find(name, 0) !== undefined;
}

const escapeCharacter = (code: number): string => `\\x{${code.toString(16)}}`;

/** Matches no character. */
const NOTHING = '[^\\x{0}-\\x{10ffff}]';

/** @param start behind the `[` */
function compileSet(
  pattern: string,
  start: number,
): { readonly source: string; readonly end: number } | undefined {
  let at = start;
  const isNegated = pattern[at] === '^';
  if (isNegated) at++;
  const next = (): number | undefined => {
    if (pattern[at] === '\\') at++;
    else if (pattern[at] === '-' || pattern[at] === ']') return undefined;
    const code = pattern.codePointAt(at);
    if (code !== undefined) at += String.fromCodePoint(code).length;
    return code;
  };
  const ranges: string[] = [];
  for (;;) {
    if (pattern[at] === ']' && ranges.length > 0) break;
    const low = next();
    if (low === undefined) return undefined;
    let high: number | undefined = low;
    if (pattern[at] === '-') {
      at++;
      high = next();
    }
    if (high === undefined || at >= pattern.length) return undefined;
    // An empty range matches nothing.
    ranges.push(high < low ? '' : `${escapeCharacter(low)}-${escapeCharacter(high)}`);
  }
  const content = ranges.join('');
  if (content === '') return { source: isNegated ? '.' : NOTHING, end: at + 1 };
  return { source: `[${isNegated ? '^' : ''}${content}]`, end: at + 1 };
}
