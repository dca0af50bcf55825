import { findForbidden, YamlError } from './cursor.ts';
import type { MappingNode, ScalarNode, SequenceNode, Token, YamlNode } from './nodes.ts';
import { Scanner } from './scanner.ts';

/** Levels of collections. The library of Go allows more, but nothing that Kubernetes takes has so many. */
const MAX_DEPTH = 1000;
/** Keys and values of a document, which are in memory together. An API server takes no object with so many. */
const MAX_NODES = 420_000;

/** The first document of a text; undefined if it has none. @throws YamlError */
export function parseYaml(text: string): YamlNode | undefined {
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
