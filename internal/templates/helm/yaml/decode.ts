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
import { YamlError } from './cursor.ts';
import type { AliasNode, MappingNode, ScalarNode, YamlNode } from './nodes.ts';
import { parseYaml } from './parser.ts';
import { resolveScalar } from './resolve.ts';

export interface DecodeOptions {
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
