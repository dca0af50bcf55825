import {
  type Budget,
  compilePattern,
  decodeJson,
  Failure,
  fromBytes,
  GoMap,
  GoSlice,
  type Pattern,
  TemplateLimitError,
  type Value,
} from '../../gotemplate/index.ts';
import { HelmError } from '../helm-error.ts';
import { APPLICATORS } from './applicators.ts';
import { ASSERTIONS } from './assertions.ts';
import { checkSchema } from './check-schema.ts';
import type { Evaluation, Instance, KeywordContext, Problem } from './keyword.ts';

const KEYWORDS = Object.entries({ ...ASSERTIONS, ...APPLICATORS });

/** Schemas in schemas, for one value. */
const MAX_DEPTH = 300;
/** A million of them take the steps of a chart: references double them with each level. */
const STEPS_PER_SCHEMA = 50;

/**
 * The problems of a value, by the text of a schema.
 *
 * @param file for messages
 * @throws HelmError if the schema itself is wrong; TemplateLimitError with the line of the reference that it followed last
 */
export function validateSchema(value: Value, text: Uint8Array, file: string, budget: Budget): Problem[] {
  let root: Value;
  try {
    root = decodeJson(fromBytes(text), budget);
  } catch (error) {
    if (error instanceof Failure) throw new HelmError(error.message.replace('json decode error: ', ''));
    throw error;
  }
  const validator = new Validator(root, budget);
  checkSchema(root, (pattern) => validator.compile(pattern));
  try {
    return validator.evaluate(root, { value, path: [] }).problems;
  } catch (error) {
    if (!(error instanceof TemplateLimitError)) throw error;
    const line = lineOf(fromBytes(text), validator.reference);
    throw error.at({ name: file, line, column: 0, executing: file, context: validator.reference, text: '' });
  }
}

/** The line of the reference to a schema; 1 if there is none. */
function lineOf(text: string, reference: string): number {
  const at = text.indexOf(JSON.stringify(reference));
  return at < 0 ? 1 : text.slice(0, at).split('\n').length;
}

/** The draft that a schema names. */
function draftOf(root: Value): number {
  const name = root instanceof GoMap ? root.entries.get('$schema') : undefined;
  if (typeof name !== 'string') return 2020;
  const [, draft] = /json-schema\.org\/(?:draft[-/]|schema)(0\d|20\d\d)?/.exec(name) ?? [];
  if (draft === undefined && !/json-schema\.org\/schema/.test(name)) {
    throw new HelmError(`cannot load the schema of the schema: ${JSON.stringify(name)}`);
  }
  return draft === undefined ? 2020 : Number(draft);
}

class Validator {
  readonly #root: Value;
  readonly #budget: Budget;
  readonly #draft: number;
  readonly #patterns = new Map<string, Pattern>();
  readonly #ids = new Map<string, Value>();
  #depth = 0;
  /** The one that was followed last. */
  reference = '';

  constructor(root: Value, budget: Budget) {
    this.#root = root;
    this.#budget = budget;
    this.#draft = draftOf(root);
    this.#findIds(root, 0);
  }

  /** Schemas with an id or an anchor, wherever they are. */
  #findIds(schema: Value, depth: number): void {
    if (depth > MAX_DEPTH) return;
    this.#budget.step();
    if (schema instanceof GoSlice) for (const item of schema.items) this.#findIds(item, depth + 1);
    if (!(schema instanceof GoMap)) return;
    for (const key of ['$id', 'id', '$anchor', '$dynamicAnchor']) {
      const id = schema.entries.get(key);
      if (typeof id === 'string') this.#ids.set(key.endsWith('nchor') ? `#${id}` : id, schema);
    }
    for (const value of schema.entries.values()) this.#findIds(value, depth + 1);
  }

  compile(pattern: string): Pattern {
    const known = this.#patterns.get(pattern);
    if (known) return known;
    const compiled = compilePattern(pattern, this.#budget);
    this.#patterns.set(pattern, compiled);
    return compiled;
  }

  evaluate(schema: Value, instance: Instance): Evaluation {
    const evaluation: Evaluation = { problems: [], seen: new Set() };
    this.#budget.step(STEPS_PER_SCHEMA);
    if (schema === false) evaluation.problems.push({ path: instance.path, text: 'false schema' });
    if (!(schema instanceof GoMap)) return evaluation;
    if (++this.#depth > MAX_DEPTH) throw new HelmError('the schema refers to itself without end');
    // In early drafts nothing counts beside a reference.
    const isAlone = this.#draft < 2019 && schema.entries.has('$ref');
    const context = this.#context(schema);
    for (const [name, keyword] of KEYWORDS) {
      const argument = schema.entries.get(name);
      if (argument === undefined || (isAlone && name !== '$ref')) continue;
      keyword(argument, instance, context, evaluation);
    }
    this.#depth--;
    return evaluation;
  }

  #context(schema: GoMap): KeywordContext {
    return {
      schema,
      draft: this.#draft,
      evaluate: (other, instance) => this.evaluate(other, instance),
      step: (count) => this.#budget.step(count),
      resolve: (reference) => {
        this.reference = reference;
        return this.#resolve(reference);
      },
      matches: (pattern, text) => this.compile(pattern).find(text, 0) !== undefined,
    };
  }

  #resolve(reference: string): Value {
    const known = this.#ids.get(reference);
    if (known !== undefined) return known;
    const [document = '', fragment = ''] = reference.split('#');
    const base = document === '' ? this.#root : this.#ids.get(document);
    if (base === undefined) throw new HelmError(`cannot load the schema ${JSON.stringify(reference)}`);
    const found = fragment
      .split('/')
      .slice(1)
      .reduce<Value | undefined>((value, key) => stepInto(value, key), base);
    if (found === undefined || (fragment !== '' && !fragment.startsWith('/'))) {
      throw new HelmError(`the schema has no ${JSON.stringify(reference)}`);
    }
    return found;
  }
}

function decoded(escaped: string): string {
  try {
    return decodeURIComponent(escaped);
  } catch {
    throw new HelmError(`cannot load the schema ${JSON.stringify(escaped)}: it is no URL`);
  }
}

function stepInto(value: Value | undefined, escaped: string): Value | undefined {
  const key = decoded(escaped).replaceAll('~1', '/').replaceAll('~0', '~');
  if (value instanceof GoMap) return value.entries.get(key);
  return value instanceof GoSlice ? value.items[Number(key)] : undefined;
}
