import { isMap, isScalar, isSeq, type LineCounter, type ParsedNode } from 'yaml';
import { nearest } from '../text/nearest.ts';
import { parseDuration } from '../time/duration.ts';
import { ConfigurationError, type Location } from './configuration-error.ts';
import { readItems } from './read-fields.ts';

/** A file with the lines of its text. */
export interface SourceFile {
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
