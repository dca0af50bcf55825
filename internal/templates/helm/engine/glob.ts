import { type Budget, compilePattern } from '../../gotemplate/index.ts';

/**
 * Patterns of file names as `.Files.Glob` has them: `*` and `?` within a folder, `**` across folders, `[a-z]`, `[!a]`,
 * `{one,two}`, `\x`. Undefined: the pattern is malformed.
 */
export function compileGlob(pattern: string, budget: Budget): ((name: string) => boolean) | undefined {
  const source = new GlobCompiler(pattern).compile();
  if (source === undefined) return undefined;
  // Of RE2, which takes linear time.
  const compiled = compilePattern(`(?s)^(?:${source})$`, budget);
  return (name) => compiled.find(name, 0) !== undefined;
}

const escapeCharacter = (char: string): string => `\\x{${(char.codePointAt(0) ?? 0).toString(16)}}`;

class GlobCompiler {
  readonly #chars: readonly string[];
  #at = 0;
  /** Open braces. */
  #depth = 0;

  constructor(pattern: string) {
    this.#chars = Array.from(pattern);
  }

  compile(): string | undefined {
    let source = '';
    while (this.#at < this.#chars.length) {
      const part = this.#part(this.#chars[this.#at++] ?? '');
      if (part === undefined) return undefined;
      source += part;
    }
    return this.#depth === 0 ? source : undefined;
  }

  #part(char: string): string | undefined {
    if (char === '*') {
      let stars = 1;
      while (this.#chars[this.#at] === '*') {
        stars++;
        this.#at++;
      }
      return stars > 1 ? '.*' : '[^/]*';
    }
    if (char === '?') return '[^/]';
    if (char === '\\') {
      const next = this.#chars[this.#at++];
      return next === undefined ? undefined : escapeCharacter(next);
    }
    if (char === '[') return this.#set();
    if (char === '{') {
      this.#depth++;
      return '(?:';
    }
    if (char === '}' && this.#depth > 0) {
      this.#depth--;
      return ')';
    }
    if (char === ',' && this.#depth > 0) return '|';
    return escapeCharacter(char);
  }

  #set(): string | undefined {
    const end = this.#chars.indexOf(']', this.#at + 1);
    if (end < 0) return undefined;
    let content = this.#chars.slice(this.#at, end);
    this.#at = end + 1;
    const isNegated = content[0] === '!';
    if (isNegated) content = content.slice(1);
    if (content.length === 0) return undefined;
    const [low = '', dash, high] = content;
    const body =
      content.length === 3 && dash === '-' && high !== undefined
        ? `${escapeCharacter(low)}-${escapeCharacter(high)}`
        : content
            .filter((char) => char !== '\\')
            .map(escapeCharacter)
            .join('');
    if (content.length === 3 && dash === '-' && high !== undefined && low > high) return undefined;
    return `[${isNegated ? '^' : ''}${body}]`;
  }
}
