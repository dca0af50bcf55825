import { readFile } from 'node:fs/promises';
import {
  CST,
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type ParsedNode,
  parseDocument,
} from 'yaml';
import { InvalidConfigurationError, messageOf } from '../errors/errors.ts';
import { nearest } from '../text/nearest.ts';
import { parseDuration } from '../time/formats.ts';

/** Where a value is in a file. Line and column count from 1. */
interface Location {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** What is wrong in configuration. It does not pass until the configuration changes. */
export class ConfigurationError extends InvalidConfigurationError {
  /** Each mistake with its file, line and column; at least one. */
  readonly mistakes: readonly string[];
  /** The page of the documentation that explains the fields; empty: none. */
  readonly page: string;

  constructor(
    mistakes: readonly string[],
    { page = '', ...options }: ErrorOptions & { readonly page?: string } = {},
  ) {
    const see = page === '' ? '' : `; see ${page}`;
    super(
      mistakes.length === 1
        ? `${mistakes[0]}${see}`
        : `${mistakes.length} mistakes in the configuration${see}: ${mistakes.join('; ')}`,
      options,
    );
    this.mistakes = mistakes;
    this.page = page;
  }

  /** A file that cannot be read at all. */
  static unreadable(file: string, problem: string, options?: ErrorOptions): ConfigurationError {
    return new ConfigurationError([`cannot read ${file}: ${problem}`], options);
  }

  /** A value that is wrong or missing. */
  static at({ file, line, column }: Location, problem: string): ConfigurationError {
    return new ConfigurationError([`cannot use ${file}:${line}:${column}: ${problem}`]);
  }
}

/** @throws what `read` throws, with the page that explains the fields */
export async function explainedBy<T>(page: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError(error.mistakes, { page, cause: error.cause });
  }
}

/** Limits of a YAML text, checked before it is parsed. */
export interface YamlLimits {
  readonly maxBytes: number;
  /** Nested collections. */
  readonly maxDepth: number;
  /** Tokens of the lexer: each scalar, indicator, space and line break is one. */
  readonly maxTokens: number;
  /** Anchors and aliases together: each alias is searched for among all nodes. */
  readonly maxAnchors: number;
}

/** The limit that a text exceeds. */
type YamlExcess = 'bytes' | 'depth' | 'tokens' | 'anchors';

/**
 * Checks the limits without parsing. The lexer is linear and stops at the limit; the parser and the composer, which are
 * slow and recursive for deep nesting, get only texts within the limits.
 */
export function yamlExcess(text: string, limits: YamlLimits): YamlExcess | undefined {
  const { maxBytes, maxDepth, maxTokens, maxAnchors } = limits;
  if (text.length > maxBytes || Buffer.byteLength(text) > maxBytes) return 'bytes';
  if (isWithin(text, limits)) return undefined;
  let tokens = 0;
  let depth = 0;
  let anchors = 0;
  let inScalar = false;
  for (const token of new Lexer().lex(text)) {
    if (++tokens > maxTokens) return 'tokens';
    // The marker of a plain scalar precedes it.
    const type = inScalar ? undefined : CST.tokenType(token);
    inScalar = token === CST.SCALAR;
    if ((type === 'anchor' || type === 'alias') && ++anchors > maxAnchors) return 'anchors';
    if (type === 'flow-map-start' || type === 'flow-seq-start') depth++;
    if (type === 'flow-map-end' || type === 'flow-seq-end') depth--;
    if (depth > maxDepth) return 'depth';
  }
  return undefined;
}

/**
 * Whether the characters alone show that the text is within the limits: a token begins or ends at a character that is no part of a word, and a
 * scalar has a marker. Most texts are far from the limits, and the lexer takes as long as the rest of the parser.
 */
function isWithin(text: string, { maxDepth, maxTokens, maxAnchors }: YamlLimits): boolean {
  const marks = text.replace(/[\w+/=.]+/g, '');
  const count = (pattern: RegExp) => marks.match(pattern)?.length ?? 0;
  return 4 * (marks.length + 2) <= maxTokens && count(/[&*]/g) <= maxAnchors && count(/[[{]/g) <= maxDepth;
}

/** Whether collections in block or flow style are nested deeper than `maxDepth`. */
export function isDeeperThan(node: ParsedNode | null, maxDepth: number): boolean {
  if (!isCollection(node)) return false;
  if (maxDepth === 0) return true;
  return node.items.some((item) =>
    isPair<ParsedNode, ParsedNode | null>(item)
      ? isDeeperThan(item.key, maxDepth - 1) || isDeeperThan(item.value, maxDepth - 1)
      : isDeeperThan(item, maxDepth - 1),
  );
}

/** A file with the lines of its text. */
interface SourceFile {
  readonly path: string;
  readonly lines: LineCounter;
  /** Whether names of members are compared without case, as Go does. Default false. */
  readonly ignoresCase?: boolean;
  /** The members that were read of each object, by their known names. */
  readonly known: Map<ParsedNode, Set<string>>;
}

const MAX_TEXT = 4096;

/** A value of a configuration file, which may be absent. An explicit null counts as absent. */
export class ConfigurationNode {
  readonly #file: SourceFile;
  readonly #node: ParsedNode | undefined;
  /** From the root of the file: `converter.dns.secretName`; empty for the root. */
  readonly #path: string;
  readonly #offset: number;

  /** @param offset where an absent value is missing */
  constructor(file: SourceFile, node: ParsedNode | null | undefined, path = '', offset = 0) {
    this.#file = file;
    this.#path = path;
    this.#node = node === null || (isScalar(node) && node.value === null) ? undefined : node;
    this.#offset = node?.range[0] ?? offset;
  }

  get location(): Location {
    const { line, col } = this.#file.lines.linePos(this.#offset);
    return { file: this.#file.path, line, column: col };
  }

  get isAbsent(): boolean {
    return this.#node === undefined;
  }

  get isText(): boolean {
    return isScalar(this.#node) && typeof this.#node.value === 'string';
  }

  /** The member of a mapping. Of several with the same name the last counts, as in JSON. @throws ConfigurationError */
  member(name: string): ConfigurationNode {
    const path = this.#path === '' ? name : `${this.#path}.${name}`;
    const entries = this.mapEntries();
    if (this.#node !== undefined) {
      const { known } = this.#file;
      known.set(this.#node, (known.get(this.#node) ?? new Set()).add(name));
    }
    const wanted = this.#cased(name);
    const found = entries.findLast(([key]) => this.#cased(key) === wanted)?.[1];
    return found ?? new ConfigurationNode(this.#file, undefined, path, this.#offset);
  }

  #cased(name: string): string {
    return this.#file.ignoresCase ? name.toLowerCase() : name;
  }

  /** The members of a mapping; none if it is absent. Names are in lower case if case is ignored. @throws ConfigurationError */
  entries(): readonly (readonly [name: string, value: ConfigurationNode])[] {
    return this.mapEntries().map(([name, value]) => [this.#cased(name), value]);
  }

  /** The entries of a mapping whose names are data: as they are written. None if it is absent. @throws ConfigurationError */
  mapEntries(): readonly (readonly [name: string, value: ConfigurationNode])[] {
    if (this.#node === undefined) return [];
    if (!isMap<ParsedNode, ParsedNode | null>(this.#node)) this.fail('want an object');
    return this.#node.items.map(({ key, value }) => {
      const name = String(isScalar(key) ? key.value : '');
      const path = this.#path === '' ? name : `${this.#path}.${name}`;
      return [name, new ConfigurationNode(this.#file, value, path, key.range[0])] as const;
    });
  }

  /**
   * Fails for a member that nothing has read: it is misspelt, or of another version of the file. Called when all of the value was read.
   * Only objects are checked of which some member was read by its name.
   *
   * @throws ConfigurationError with all of them; each names the nearest member that is known
   */
  refuseUnknown(): void {
    if (isSeq<ParsedNode>(this.#node)) readItems(this.items(), (item) => item.refuseUnknown());
    if (this.#node === undefined || !isMap(this.#node)) return;
    const known = this.#file.known.get(this.#node);
    const names = new Set([...(known ?? [])].map((name) => this.#cased(name)));
    readItems(this.mapEntries(), ([name, value]) => {
      if (known !== undefined && !names.has(this.#cased(name)))
        value.fail(`it is not known; the nearest known member is ${nearest(name, known)}`);
      value.refuseUnknown();
    });
  }

  /** The items of a list; none if it is absent. @throws ConfigurationError */
  items(): readonly ConfigurationNode[] {
    if (this.#node === undefined) return [];
    if (!isSeq<ParsedNode>(this.#node)) this.fail('want a list');
    return this.#node.items.map(
      (item, index) => new ConfigurationNode(this.#file, item, `${this.#path}[${index}]`, this.#offset),
    );
  }

  /** Empty if it is absent. @throws ConfigurationError */
  text(): string {
    if (this.#node === undefined) return '';
    const value = isScalar(this.#node) ? this.#node.value : undefined;
    if (typeof value === 'number' || typeof value === 'boolean') this.fail('want a text: put it in quotes');
    if (typeof value !== 'string') this.fail('want a text');
    if (value.length > MAX_TEXT) this.fail(`want at most ${MAX_TEXT} characters`);
    return value;
  }

  /** @throws ConfigurationError also if it is absent or empty */
  requiredText(): string {
    const text = this.text();
    if (text === '') this.fail(this.#node === undefined ? 'it is missing' : 'want a text that is not empty');
    return text;
  }

  /** @throws ConfigurationError also if it is absent */
  requiredTexts(): readonly string[] {
    if (this.#node === undefined) this.fail('it is missing');
    if (!isSeq<ParsedNode>(this.#node)) this.fail('want a list of texts');
    return this.items().map((item) => item.requiredText());
  }

  /** A text, or a number or boolean as it is written. Empty if it is absent. @throws ConfigurationError */
  scalarText(): string {
    if (!isScalar(this.#node) || typeof this.#node.value === 'string') return this.text();
    return this.#node.source ?? String(this.#node.value);
  }

  /** A whole number, which may be in quotes. Undefined if it is absent. @throws ConfigurationError */
  integer(min: number, max: number): number | undefined {
    const text = this.scalarText();
    if (text === '') return undefined;
    const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) this.fail(`want a whole number, ${min} to ${max}`);
    return value;
  }

  /** A duration as Go writes it, in ms. Undefined if it is absent. @throws ConfigurationError */
  duration(): number | undefined {
    const text = this.scalarText();
    if (text === '') return undefined;
    const value = parseDuration(text) ?? Number.NaN;
    if (!(value >= 0)) this.fail('want a duration such as 90s or 1m30s');
    return value;
  }

  /** False if it is absent. @throws ConfigurationError */
  boolean(): boolean {
    if (this.#node === undefined) return false;
    const value = isScalar(this.#node) ? this.#node.value : undefined;
    if (typeof value !== 'boolean') this.fail('want true or false');
    return value;
  }

  /** @throws ConfigurationError with this value's path and location */
  fail(problem: string): never {
    throw ConfigurationError.at(this.location, this.#path === '' ? problem : `${this.#path}: ${problem}`);
  }
}

/** Functions that read the fields of an object. */
type FieldReaders<T> = { readonly [K in keyof T]: () => T[K] };

/**
 * Reads all fields, so that the mistakes of all of them are reported at once.
 *
 * @throws the only InvalidConfigurationError, or a ConfigurationError with all of them
 */
export function readFields<T extends object>(readers: FieldReaders<T>): T {
  const mistakes: InvalidConfigurationError[] = [];
  const fields = Object.entries<() => unknown>(readers).map(([name, read]) => {
    try {
      return [name, read()];
    } catch (error) {
      mistakes.push(mistakeIn(error));
      return [name, undefined];
    }
  });
  throwAny(mistakes);
  return Object.fromEntries(fields) as T;
}

/** The same for items of a list. */
export const readItems = <I, T>(items: readonly I[], read: (item: I) => T): T[] =>
  Object.values(readFields<T[]>(items.map((item) => () => read(item))));

/** The same for what is read asynchronously, at the same time. */
export async function readAll<T extends readonly unknown[]>(
  values: readonly [...{ [K in keyof T]: Promise<T[K]> }],
): Promise<T> {
  const results = await Promise.allSettled(values);
  throwAny(results.flatMap((result) => (result.status === 'rejected' ? [mistakeIn(result.reason)] : [])));
  return results.map((result) => (result.status === 'fulfilled' ? result.value : undefined)) as unknown as T;
}

function mistakeIn(error: unknown): InvalidConfigurationError {
  if (error instanceof InvalidConfigurationError) return error;
  throw error;
}

function throwAny(errors: readonly InvalidConfigurationError[]): void {
  const [only, ...others] = errors;
  if (only === undefined) return;
  if (others.length === 0) throw only;
  const texts = errors.flatMap((error) =>
    error instanceof ConfigurationError ? error.mistakes : [error.message],
  );
  // What is no object is the mistake of each of its members.
  const [first = '', ...more] = new Set(texts);
  const pages = errors.flatMap((error) => (error instanceof ConfigurationError ? [error.page] : []));
  throw more.length === 0
    ? only
    : new ConfigurationError([first, ...more], { page: pages.find((page) => page !== '') ?? '' });
}

const LIMITS: YamlLimits = { maxBytes: 2 ** 20, maxDepth: 32, maxTokens: 200_000, maxAnchors: 0 };

const EXCESS = {
  bytes: `it has more than ${LIMITS.maxBytes} bytes`,
  depth: `it is nested deeper than ${LIMITS.maxDepth} levels`,
  tokens: `it has more than ${LIMITS.maxTokens} tokens`,
  anchors: 'it has anchors or aliases',
} as const;

interface ConfigurationSyntax {
  /** Whether names of members are compared without case. Default false. */
  readonly ignoresCase?: boolean;
}

/** The value in a file of YAML 1.2, which JSON is a part of. @throws ConfigurationError */
export async function readConfigurationFile(
  path: string,
  syntax: ConfigurationSyntax = {},
): Promise<ConfigurationNode> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw ConfigurationError.unreadable(path, messageOf(error), { cause: error });
  });
  return parseConfiguration(text, path, syntax);
}

/** A file without any value. @param path for errors */
export const emptyConfiguration = (path: string): ConfigurationNode =>
  new ConfigurationNode({ path, lines: new LineCounter(), known: new Map() }, undefined);

/** @param path for errors @throws ConfigurationError */
export function parseConfiguration(
  text: string,
  path: string,
  { ignoresCase = false }: ConfigurationSyntax = {},
): ConfigurationNode {
  const excess = yamlExcess(text, LIMITS);
  if (excess !== undefined) throw ConfigurationError.unreadable(path, EXCESS[excess]);
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    logLevel: 'silent',
    // The texts of errors take quadratic time and may quote a password; the check for repeated keys takes quadratic time too.
    prettyErrors: false,
    uniqueKeys: false,
    // Texts need no quotes, as people write YAML.
    schema: 'core',
  });
  const [mistake] = document.errors;
  if (mistake !== undefined) {
    const { line, col } = lines.linePos(mistake.pos[0]);
    throw ConfigurationError.at(
      { file: path, line, column: col },
      `it is not valid YAML or JSON (${mistake.code})`,
    );
  }
  if (isDeeperThan(document.contents, LIMITS.maxDepth))
    throw ConfigurationError.unreadable(path, EXCESS.depth);
  const root = new ConfigurationNode({ path, lines, ignoresCase, known: new Map() }, document.contents);
  if (root.entries().length === 0) root.fail('it is empty');
  return root;
}
