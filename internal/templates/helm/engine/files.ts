/** What templates see as `.Files`. */
import { basename } from 'node:path/posix';
import {
  type Budget,
  compilePattern,
  fromBytes,
  GoInteger,
  GoMap,
  type GoMethods,
  GoSlice,
  INTEGER_TYPES,
  stringMap,
  strings,
  typed,
  type Value,
} from '../../gotemplate/index.ts';
import type { NamedFile } from '../chart/chart.ts';
import { encodeYaml } from '../yaml/encode.ts';

/** Files by name. */
type Contents = ReadonlyMap<string, Uint8Array>;

export const filesValue = (files: readonly NamedFile[]): GoMap =>
  filesOf(new Map(files.map(({ name, data }) => [name, data])));

function filesOf(contents: Contents): GoMap {
  const entries = new Map<string, Value>([...contents].map(([name, data]) => [name, bytesValue(data)]));
  return new GoMap('[]uint8', entries, false, { name: 'engine.files', methods: methodsOf(contents) });
}

const bytesValue = (data: Uint8Array): GoSlice =>
  new GoSlice('uint8', () => Array.from(data, (byte) => new GoInteger(INTEGER_TYPES.uint8, BigInt(byte))));

const nameIn = (args: readonly Value[]): string => (typeof args[0] === 'string' ? args[0] : '');

function methodsOf(contents: Contents): GoMethods {
  const text = (file: string, budget: Budget): string => {
    const data = contents.get(file) ?? new Uint8Array();
    budget.charge(data.length);
    return fromBytes(data);
  };
  const configMap = (budget: Budget, encode: (data: Uint8Array) => string): string => {
    const entries = [...contents].map(([file, data]): [string, string] => {
      budget.charge(data.length * 2);
      return [basename(file), encode(data)];
    });
    return encodeYaml(stringMap(entries), budget).replace(/\n$/, '');
  };
  return {
    Get: () => typed(['string'], (args, { budget }) => text(nameIn(args), budget)),
    GetBytes: () => typed(['string'], (args) => bytesValue(contents.get(nameIn(args)) ?? new Uint8Array())),
    Glob: () =>
      typed(['string'], (args, { budget }) => {
        budget.step(contents.size);
        const matches = compileGlob(nameIn(args), budget) ?? (() => true);
        return filesOf(new Map([...contents].filter(([file]) => matches(file))));
      }),
    Lines: () =>
      typed(['string'], (args, { budget }) => {
        const whole = text(nameIn(args), budget);
        return strings(whole === '' ? [] : whole.replace(/\n$/, '').split('\n'));
      }),
    AsConfig: () => typed([], (_, { budget }) => configMap(budget, fromBytes)),
    AsSecrets: () =>
      typed([], (_, { budget }) => configMap(budget, (data) => Buffer.from(data).toString('base64'))),
  };
}

/**
 * Patterns of file names as `.Files.Glob` has them: `*` and `?` within a folder, `**` across folders, `[a-z]`, `[!a]`,
 * `{one,two}`, `\x`. Undefined: the pattern is malformed.
 */
function compileGlob(pattern: string, budget: Budget): ((name: string) => boolean) | undefined {
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
