/** Values of YAML, as `sigs.k8s.io/yaml` unmarshals them into an `interface {}`: by way of JSON, so that numbers are float64. */
import {
  type Budget,
  dict,
  ELEMENT_BYTES,
  formatFloat32,
  fromBytes,
  GoInteger,
  type GoMap,
  INTEGER_TYPES,
  list,
  quote,
  type Value,
} from '../../gotemplate/index.ts';
import { findForbidden, YamlError } from './cursor.ts';
import type { AliasNode, MappingNode, ScalarNode, SequenceNode, Token, YamlNode } from './nodes.ts';
import { resolveScalar } from './resolve.ts';
import { Scanner } from './scanner.ts';

interface DecodeOptions {
  /** Integers are `GoInteger`s. Default: float64, as all numbers of JSON. */
  readonly keepsIntegers?: boolean;
}

/** The first document; null if there is none. @throws YamlError */
export function decodeYaml(text: string, budget: Budget, options: DecodeOptions = {}): Value {
  budget.charge(text.length * BYTES_PER_CHARACTER);
  budget.step(Math.ceil(text.length / CHARACTERS_PER_STEP));
  const node = parseYaml(text);
  return node ? new Decoder(budget, options.keepsIntegers ?? false).document(node) : null;
}

/** Of tokens and nodes. */
const BYTES_PER_CHARACTER = 4;
/** Of the text of a value, beside that of its parts. */
const GO_SYNTAX_BYTES = 64;
const CHARACTERS_PER_STEP = 64;

class Decoder {
  readonly #budget: Budget;
  readonly #keepsIntegers: boolean;
  readonly #openAliases = new Set<AliasNode>();
  #count = 0;
  #aliasCount = 0;
  /** The first value that JSON has not: the library finds it when all of the document is decoded. */
  #notJson: string | undefined;

  constructor(budget: Budget, keepsIntegers: boolean) {
    this.#budget = budget;
    this.#keepsIntegers = keepsIntegers;
  }

  document(node: YamlNode): Value {
    const value = this.value(node);
    if (this.#notJson !== undefined) throw new YamlError(this.#notJson, '');
    return value;
  }

  value(node: YamlNode): Value {
    this.#countNode();
    this.#budget.step();
    this.#budget.charge(ELEMENT_BYTES);
    switch (node.kind) {
      case 'scalar':
        return this.#scalar(node);
      case 'sequence':
        return list(node.items.map((item) => this.value(item)));
      case 'mapping': {
        const map = dict();
        this.#fill(map, node);
        return map;
      }
      case 'alias':
        return this.#alias(node, () => this.value(node.target));
    }
  }

  #scalar(node: ScalarNode): Value {
    if (node.tag === '' && !node.isImplicit) return node.value;
    const { tag, value } = resolveScalar(node.tag, node.value);
    if (tag === 'binary') return decodeBinary(node.value);
    if (typeof value === 'bigint') return this.#keepsIntegers ? integer(value) : Number(value);
    if (typeof value === 'number' && !Number.isFinite(value)) {
      const text = Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
      this.#notJson ??= `json: unsupported value: ${text}`;
    }
    return value;
  }

  #alias<T>(node: AliasNode, decode: () => T): T {
    if (this.#openAliases.has(node)) throw new YamlError(`anchor '${node.name}' value contains itself`);
    this.#openAliases.add(node);
    const result = decode();
    this.#openAliases.delete(node);
    return result;
  }

  /** Few aliases can expand to very much. */
  #countNode(): void {
    this.#count++;
    if (this.#openAliases.size > 0) this.#aliasCount++;
    if (this.#aliasCount <= 100 || this.#count <= 1000) return;
    if (this.#aliasCount / this.#count > allowedAliasRatio(this.#count)) {
      throw new YamlError('document contains excessive aliasing');
    }
  }

  #fill(map: GoMap, { entries }: MappingNode): void {
    for (const [key, value] of entries) {
      if (isMerge(key)) this.#merge(map, value);
      else map.entries.set(this.#key(key), this.value(value));
    }
  }

  #key(node: YamlNode): string {
    const target = node.kind === 'alias' ? node.target : node;
    if (target.kind !== 'scalar') throw new YamlError(`invalid map key: ${goSyntax(target, this.#budget)}`);
    this.#countNode();
    if (target.tag === '' && !target.isImplicit) return target.value;
    const { value } = resolveScalar(target.tag, target.value);
    // The library goes on with the value, which may be confidential.
    if (value === null) this.#notJson ??= 'unsupported map key of type: %!s(<nil>)';
    if (typeof value === 'number') return floatKey(value);
    if (typeof value === 'bigint' && value > 2n ** 63n - 1n) {
      this.#notJson ??= 'unsupported map key of type: uint64';
    }
    return String(value);
  }

  /** The entries of other mappings; a later one replaces an earlier one, as in the library. */
  #merge(map: GoMap, node: YamlNode): void {
    const maps = node.kind === 'sequence' ? node.items.toReversed() : [node];
    for (const each of maps) {
      const target = each.kind === 'alias' ? each.target : each;
      if (target.kind !== 'mapping') {
        throw new YamlError('map merge requires map or sequence of maps as the value');
      }
      this.#countNode();
      if (each.kind === 'alias') this.#alias(each, () => this.#fill(map, target));
      else this.#fill(map, target);
    }
  }
}

const integer = (value: bigint): GoInteger =>
  new GoInteger(value > 2n ** 63n - 1n ? INTEGER_TYPES.uint64 : INTEGER_TYPES.int, value);

/** A value as Go writes it in its own syntax, for errors. Aliases expand here too, and may contain themselves. */
function goSyntax(node: YamlNode, budget: Budget, depth = 0): string {
  budget.checkDepth(depth);
  budget.step();
  budget.charge(GO_SYNTAX_BYTES);
  const syntaxOf = (part: YamlNode) => goSyntax(part, budget, depth + 1);
  if (node.kind === 'alias') return syntaxOf(node.target);
  if (node.kind === 'sequence') return `[]interface {}{${node.items.map(syntaxOf).join(', ')}}`;
  if (node.kind === 'mapping') {
    const entries = node.entries.map(([key, value]) => `${syntaxOf(key)}:${syntaxOf(value)}`);
    return `map[interface {}]interface {}{${entries.join(', ')}}`;
  }
  budget.charge(node.value.length);
  const isText = node.tag === '' && !node.isImplicit;
  const value = isText ? node.value : resolveScalar(node.tag, node.value).value;
  if (value === null) return 'interface {}(nil)';
  return typeof value === 'string' ? quote(value) : String(value);
}

const isMerge = (node: YamlNode): boolean =>
  node.kind === 'scalar' &&
  node.value === '<<' &&
  (node.isImplicit || node.tag === 'tag:yaml.org,2002:merge');

function floatKey(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  if (!Number.isFinite(value)) return value > 0 ? '.inf' : '-.inf';
  return formatFloat32(value);
}

function allowedAliasRatio(count: number): number {
  const low = 400_000;
  const high = 4_000_000;
  if (count <= low) return 0.99;
  return count >= high ? 0.1 : 0.99 - 0.89 * ((count - low) / (high - low));
}

function decodeBinary(text: string): string {
  const encoded = text.replace(/[\r\n]/g, '');
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(encoded)) {
    throw new YamlError('!!binary value contains invalid base64 data');
  }
  return fromBytes(Buffer.from(encoded, 'base64')).replace(/[\ud800-\udfff]/gu, '\ufffd');
}

/** Levels of collections. The library of Go allows more, but nothing that Kubernetes takes has so many. */
const MAX_DEPTH = 1000;
/** Keys and values of a document, which are in memory together. An API server takes no object with so many. */
const MAX_NODES = 420_000;

/** The first document of a text; undefined if it has none. @throws YamlError */
function parseYaml(text: string): YamlNode | undefined {
  const forbidden = findForbidden(text);
  if (forbidden !== undefined) throw new YamlError(forbidden);
  return new Parser(text).document();
}

const EMPTY: ScalarNode = { kind: 'scalar', value: '', tag: '', isImplicit: true };

const DEFAULT_TAGS: readonly (readonly [string, string])[] = [
  ['!', '!'],
  ['!!', 'tag:yaml.org,2002:'],
];

class Parser {
  readonly #scanner: Scanner;
  readonly #anchors = new Map<string, YamlNode>();
  #tags = new Map<string, string>(DEFAULT_TAGS);
  #depth = 0;
  #nodes = 0;

  constructor(text: string) {
    this.#scanner = new Scanner(text);
  }

  document(): YamlNode | undefined {
    this.#directives();
    const { type } = this.#scanner.peek();
    if (type === 'streamEnd') return undefined;
    let node: YamlNode;
    if (type === 'documentStart') {
      this.#scanner.take();
      node = this.#nextIs('versionDirective', 'tagDirective', 'documentStart', 'documentEnd', 'streamEnd')
        ? EMPTY
        : this.#node(true, false);
    } else node = this.#node(true, false);
    // The token behind the document is read, and may be an error.
    this.#scanner.peek();
    return node;
  }

  #directives(): void {
    let hasVersion = false;
    const tags = new Map<string, string>();
    for (;;) {
      const token = this.#scanner.peek();
      if (token.type === 'versionDirective') {
        if (hasVersion) this.#fail('found duplicate %YAML directive', token);
        if (token.version !== '1.1') this.#fail('found incompatible YAML document', token);
        hasVersion = true;
      } else if (token.type === 'tagDirective') {
        if (tags.has(token.handle)) this.#fail('found duplicate %TAG directive', token);
        tags.set(token.handle, token.prefix);
      } else {
        this.#tags = new Map([...DEFAULT_TAGS, ...tags]);
        if ((hasVersion || tags.size > 0) && token.type !== 'documentStart') {
          this.#fail('did not find expected <document start>', token);
        }
        return;
      }
      this.#scanner.take();
    }
  }

  #nextIs(...types: readonly Token['type'][]): boolean {
    return types.includes(this.#scanner.peek().type);
  }

  #fail(problem: string, token: Token): never {
    throw new YamlError(token.line === 0 ? problem : `line ${token.line}: ${problem}`);
  }

  #node(isBlock: boolean, mayBeIndentless: boolean): YamlNode {
    if (++this.#depth > MAX_DEPTH) throw new YamlError(`exceeded max depth of ${MAX_DEPTH}`);
    const node = this.#nodeAtDepth(isBlock, mayBeIndentless);
    this.#depth--;
    return node;
  }

  #nodeAtDepth(isBlock: boolean, mayBeIndentless: boolean): YamlNode {
    let token = this.#scanner.peek();
    if (++this.#nodes > MAX_NODES)
      this.#fail(`the document has more than ${MAX_NODES} keys and values`, token);
    if (token.type === 'alias') {
      this.#scanner.take();
      const target = this.#anchors.get(token.value);
      if (!target) throw new YamlError(`unknown anchor '${token.value}' referenced`);
      return { kind: 'alias', name: token.value, target };
    }
    let anchor: string | undefined;
    let tag = '';
    for (; token.type === 'anchor' || token.type === 'tag'; token = this.#scanner.peek()) {
      if (token.type === 'anchor') {
        if (anchor !== undefined) break;
        anchor = token.value;
      } else {
        if (tag !== '') break;
        tag = this.#tag(token);
      }
      this.#scanner.take();
    }
    const node = this.#content(token, tag, anchor, isBlock, mayBeIndentless);
    if (anchor !== undefined) this.#anchors.set(anchor, node);
    return node;
  }

  #tag(token: Token & { type: 'tag' }): string {
    if (token.handle === '') return token.suffix;
    const prefix = this.#tags.get(token.handle);
    if (prefix === undefined) return this.#fail('found undefined tag handle', token);
    return prefix + token.suffix;
  }

  #content(
    token: Token,
    tag: string,
    anchor: string | undefined,
    isBlock: boolean,
    mayBeIndentless: boolean,
  ): YamlNode {
    if (mayBeIndentless && token.type === 'blockEntry')
      return this.#collect(anchor, () => this.#indentless());
    switch (token.type) {
      case 'scalar':
        this.#scanner.take();
        return {
          kind: 'scalar',
          value: token.value,
          tag,
          isImplicit: (tag === '' && token.isPlain) || tag === '!',
        };
      case 'flowSequenceStart':
        return this.#collect(anchor, () => this.#flowSequence());
      case 'flowMappingStart':
        return this.#collect(anchor, () => this.#flowMapping());
      case 'blockSequenceStart':
        if (isBlock) return this.#collect(anchor, () => this.#blockSequence());
        break;
      case 'blockMappingStart':
        if (isBlock) return this.#collect(anchor, () => this.#blockMapping());
        break;
    }
    if (anchor !== undefined || tag !== '') return { kind: 'scalar', value: '', tag, isImplicit: tag === '' };
    return this.#fail('did not find expected node content', token);
  }

  /** A collection may have aliases of itself, which are an error only when it is decoded. */
  #collect(anchor: string | undefined, read: () => SequenceNode | MappingNode): YamlNode {
    if (anchor === undefined) return read();
    const node = { kind: 'sequence', items: [] } satisfies SequenceNode;
    this.#anchors.set(anchor, node);
    return Object.assign(node, read());
  }

  #blockSequence(): SequenceNode {
    this.#scanner.take();
    const items: YamlNode[] = [];
    while (this.#nextIs('blockEntry')) {
      this.#scanner.take();
      items.push(this.#nextIs('blockEntry', 'blockEnd') ? EMPTY : this.#node(true, false));
    }
    const end = this.#scanner.take();
    if (end.type !== 'blockEnd') this.#fail("did not find expected '-' indicator", end);
    return { kind: 'sequence', items };
  }

  #indentless(): SequenceNode {
    const items: YamlNode[] = [];
    while (this.#nextIs('blockEntry')) {
      this.#scanner.take();
      items.push(this.#nextIs('blockEntry', 'key', 'value', 'blockEnd') ? EMPTY : this.#node(true, false));
    }
    return { kind: 'sequence', items };
  }

  #blockMapping(): MappingNode {
    this.#scanner.take();
    const entries: [YamlNode, YamlNode][] = [];
    while (this.#nextIs('key')) {
      this.#scanner.take();
      const key = this.#blockPart();
      let value: YamlNode = EMPTY;
      if (this.#nextIs('value')) {
        this.#scanner.take();
        value = this.#blockPart();
      }
      entries.push([key, value]);
    }
    const end = this.#scanner.take();
    if (end.type !== 'blockEnd') this.#fail('did not find expected key', end);
    return { kind: 'mapping', entries };
  }

  #blockPart(): YamlNode {
    return this.#nextIs('key', 'value', 'blockEnd') ? EMPTY : this.#node(true, true);
  }

  #flowSequence(): SequenceNode {
    this.#scanner.take();
    const items: YamlNode[] = [];
    for (let isFirst = true; !this.#nextIs('flowSequenceEnd'); isFirst = false) {
      if (!isFirst) this.#separator("did not find expected ',' or ']'");
      if (this.#nextIs('flowSequenceEnd')) break;
      if (this.#nextIs('key')) {
        this.#scanner.take();
        items.push({ kind: 'mapping', entries: [this.#flowPair('flowSequenceEnd')] });
      } else items.push(this.#node(false, false));
    }
    this.#scanner.take();
    return { kind: 'sequence', items };
  }

  #flowMapping(): MappingNode {
    this.#scanner.take();
    const entries: [YamlNode, YamlNode][] = [];
    for (let isFirst = true; !this.#nextIs('flowMappingEnd'); isFirst = false) {
      if (!isFirst) this.#separator("did not find expected ',' or '}'");
      if (this.#nextIs('flowMappingEnd')) break;
      if (this.#nextIs('key')) {
        this.#scanner.take();
        entries.push(this.#flowPair('flowMappingEnd'));
      } else entries.push([this.#node(false, false), EMPTY]);
    }
    this.#scanner.take();
    return { kind: 'mapping', entries };
  }

  #separator(problem: string): void {
    const token = this.#scanner.peek();
    if (token.type !== 'flowEntry') this.#fail(problem, token);
    this.#scanner.take();
  }

  /** Behind the token of a key. */
  #flowPair(end: 'flowSequenceEnd' | 'flowMappingEnd'): [YamlNode, YamlNode] {
    const key = this.#nextIs('value', 'flowEntry', end) ? EMPTY : this.#node(false, false);
    if (!this.#nextIs('value')) return [key, EMPTY];
    this.#scanner.take();
    return [key, this.#nextIs('flowEntry', end) ? EMPTY : this.#node(false, false)];
  }
}

/** The documents of a stream, as the reader of Kubernetes splits it: at lines that begin with `---` and end in white space. */
export function splitDocuments(text: string): string[] {
  const documents: string[] = [];
  let current: string[] = [];
  for (const line of text.split(/(?<=\n)/)) {
    if (line.startsWith('---') && line.slice(3).trim() === '') {
      if (current.length > 0) documents.push(current.join(''));
      current = [];
    } else current.push(line);
  }
  if (current.length > 0) documents.push(current.join(''));
  return documents;
}
