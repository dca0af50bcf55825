/** A pattern of file names as Go's path/filepath has them: `*`, `?`, `[a-z]`, `\x`. Undefined: it is malformed. */
export function compileShellPattern(pattern: string): ((name: string) => boolean) | undefined {
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
  const expression = new RegExp(`^${source}$`, 'su');
  return (name) => expression.test(name);
}

const escapeCharacter = (code: number): string => `\\u{${code.toString(16)}}`;

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
  return { source: `[${isNegated ? '^' : ''}${ranges.join('')}]`, end: at + 1 };
}
