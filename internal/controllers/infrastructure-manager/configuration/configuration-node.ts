import { isMap, isScalar, isSeq, type LineCounter, type ParsedNode } from 'yaml';
import { ConfigurationError, type Location } from './configuration-error.ts';

/** A file with the lines of its text. */
export interface SourceFile {
  readonly path: string;
  readonly lines: LineCounter;
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

  /** The member of a mapping. Of several with the same name the last counts, as in JSON. @throws ConfigurationError */
  member(name: string): ConfigurationNode {
    const path = this.#path === '' ? name : `${this.#path}.${name}`;
    const found = this.entries().findLast(([key]) => key === name)?.[1];
    return found ?? new ConfigurationNode(this.#file, undefined, path, this.#offset);
  }

  /** The members of a mapping; none if it is absent. @throws ConfigurationError */
  entries(): readonly (readonly [name: string, value: ConfigurationNode])[] {
    if (this.#node === undefined) return [];
    if (!isMap<ParsedNode, ParsedNode | null>(this.#node)) this.fail('want an object');
    return this.#node.items.map(({ key, value }) => {
      const name = String(isScalar(key) ? key.value : '');
      const path = this.#path === '' ? name : `${this.#path}.${name}`;
      return [name, new ConfigurationNode(this.#file, value, path, key.range[0])] as const;
    });
  }

  /** Empty if it is absent. @throws ConfigurationError */
  text(): string {
    if (this.#node === undefined) return '';
    const value = isScalar(this.#node) ? this.#node.value : undefined;
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
    return this.#node.items.map((item, index) =>
      new ConfigurationNode(this.#file, item, `${this.#path}[${index}]`, this.#offset).requiredText(),
    );
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
    throw new ConfigurationError(this.location, this.#path === '' ? problem : `${this.#path}: ${problem}`);
  }
}
