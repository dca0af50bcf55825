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
  typeOf,
  type Value,
} from '../../gotemplate/index.ts';
import type { Chart } from '../chart/chart.ts';
import { HelmError } from '../render-request.ts';
import {
  APPLICATORS,
  ASSERTIONS,
  type Evaluation,
  type Instance,
  isKeywordOf,
  type KeywordContext,
  numberOf,
  type Problem,
} from './keywords.ts';

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
function validateSchema(value: Value, text: Uint8Array, file: string, budget: Budget): Problem[] {
  let root: Value;
  try {
    root = decodeJson(fromBytes(text), budget);
  } catch (error) {
    if (error instanceof Failure) throw new HelmError(error.message.replace('json decode error: ', ''));
    throw error;
  }
  const validator = new Validator(root, budget);
  checkSchema(root, { draft: validator.draft, compile: (pattern) => validator.compile(pattern) });
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

const DRAFTS: ReadonlySet<number> = new Set([4, 6, 7, 2019, 2020]);

/** The draft that a schema names. */
function draftOf(root: Value): number {
  const name = root instanceof GoMap ? root.entries.get('$schema') : undefined;
  if (typeof name !== 'string') return 2020;
  const [, draft] = /json-schema\.org\/(?:draft[-/]|schema)(0\d|20\d\d)?/.exec(name) ?? [];
  const isKnown = draft === undefined ? /json-schema\.org\/schema/.test(name) : DRAFTS.has(Number(draft));
  if (!isKnown) {
    throw new HelmError(`cannot load the schema of the schema: ${JSON.stringify(name)}`);
  }
  return draft === undefined ? 2020 : Number(draft);
}

class Validator {
  readonly #root: Value;
  readonly #budget: Budget;
  readonly draft: number;
  readonly #keywords: typeof KEYWORDS;
  readonly #patterns = new Map<string, Pattern>();
  readonly #ids = new Map<string, Value>();
  #depth = 0;
  /** The one that was followed last. */
  reference = '';

  constructor(root: Value, budget: Budget) {
    this.#root = root;
    this.#budget = budget;
    this.draft = draftOf(root);
    this.#keywords = KEYWORDS.filter(([name]) => isKeywordOf(this.draft, name));
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
    const isAlone = this.draft < 2019 && schema.entries.has('$ref');
    const context = this.#context(schema);
    for (const [name, keyword] of this.#keywords) {
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
      draft: this.draft,
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

const TYPES = new Set<Value>(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);

const isCount = (value: Value): boolean => {
  const number = numberOf(value);
  return number !== undefined && Number.isInteger(number) && number >= 0;
};
const isTexts = (value: Value): boolean =>
  value instanceof GoSlice && value.items.every((item) => typeof item === 'string');
const isSchema = (value: Value): boolean => value instanceof GoMap || typeof value === 'boolean';
const isSchemas = (value: Value): boolean =>
  value instanceof GoSlice && value.items.length > 0 && value.items.every(isSchema);
const isSchemaMap = (value: Value): boolean =>
  value instanceof GoMap && [...value.entries.values()].every(isSchema);

/** What the argument of a keyword must be. */
const CHECKS: Readonly<Record<string, (value: Value) => boolean>> = {
  type: (value) =>
    TYPES.has(value) ||
    (value instanceof GoSlice && value.items.length > 0 && value.items.every((item) => TYPES.has(item))),
  enum: (value) => value instanceof GoSlice,
  required: isTexts,
  properties: isSchemaMap,
  patternProperties: isSchemaMap,
  definitions: isSchemaMap,
  $defs: isSchemaMap,
  allOf: isSchemas,
  anyOf: isSchemas,
  oneOf: isSchemas,
  not: isSchema,
  if: isSchema,
  // biome-ignore lint/suspicious/noThenProperty: the name of a keyword
  then: isSchema,
  else: isSchema,
  items: (value) => isSchema(value) || value instanceof GoSlice,
  additionalProperties: isSchema,
  additionalItems: isSchema,
  contains: isSchema,
  propertyNames: isSchema,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  minimum: (value) => numberOf(value) !== undefined,
  maximum: (value) => numberOf(value) !== undefined,
  multipleOf: (value) => (numberOf(value) ?? 0) > 0,
  uniqueItems: (value) => typeof value === 'boolean',
  pattern: (value) => typeof value === 'string',
  format: (value) => typeof value === 'string',
  $ref: (value) => typeof value === 'string',
  title: (value) => typeof value === 'string',
  description: (value) => typeof value === 'string',
};

const IN_MAPS = ['properties', 'patternProperties', 'definitions', '$defs', 'dependentSchemas'];
const IN_PLACE = [
  'not',
  'if',
  'then',
  'else',
  'items',
  'additionalProperties',
  'additionalItems',
  'contains',
  'propertyNames',
];
const IN_LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'];

interface SchemaCheck {
  readonly draft: number;
  readonly compile: (pattern: string) => unknown;
}

/** Checks what a schema is made of. @throws HelmError */
function checkSchema(schema: Value, check: SchemaCheck, path = ''): void {
  if (!(schema instanceof GoMap)) {
    if (typeof schema === 'boolean') return;
    throw wrong(path);
  }
  const entries = new Map([...schema.entries].filter(([key]) => isKeywordOf(check.draft, key)));
  for (const [key, value] of entries) {
    if (Object.hasOwn(CHECKS, key) && CHECKS[key]?.(value) === false) throw wrong(`${path}/${key}`);
  }
  const patterns = [entries.get('pattern'), ...keysOf(entries.get('patternProperties'))];
  for (const pattern of patterns) if (typeof pattern === 'string') checkPattern(pattern, check.compile, path);
  for (const key of IN_PLACE) {
    const inner = entries.get(key);
    if (inner !== undefined && isSchema(inner)) checkSchema(inner, check, `${path}/${key}`);
  }
  for (const key of IN_LISTS) {
    const inner = entries.get(key);
    if (!(inner instanceof GoSlice)) continue;
    for (const [i, item] of inner.items.entries()) checkSchema(item, check, `${path}/${key}/${i}`);
  }
  for (const key of IN_MAPS) {
    const inner = entries.get(key);
    if (!(inner instanceof GoMap)) continue;
    for (const [name, item] of inner.entries) checkSchema(item, check, `${path}/${key}/${name}`);
  }
}

const keysOf = (value: Value | undefined): string[] =>
  value instanceof GoMap ? [...value.entries.keys()] : [];

const wrong = (path: string): HelmError =>
  new HelmError(`"file:///values.schema.json#" is not valid against metaschema: at '${path}'`);

function checkPattern(pattern: string, compile: (pattern: string) => unknown, path: string): void {
  try {
    compile(pattern);
  } catch (error) {
    if (error instanceof Failure) throw new HelmError(`${wrong(path).message}: ${error.message}`);
    throw error;
  }
}

/** Checks the values of a chart and of its dependencies by their `values.schema.json`. @throws HelmError */
export function validateValues(chart: Chart, values: GoMap, budget: Budget): void {
  const text = describe(chart, values, budget);
  if (text === '') return;
  throw new HelmError(
    `values don't meet the specifications of the schema(s) in the following chart(s):\n${text}`,
  );
}

function describe(chart: Chart, values: GoMap, budget: Budget): string {
  let text = '';
  if (chart.schema) {
    try {
      const problems = validateSchema(values, chart.schema, `${chart.fullPath}/values.schema.json`, budget);
      if (problems.length > 0) text += `${chart.name}:\n${problems.map(line).join('\n')}\n`;
    } catch (error) {
      if (!(error instanceof HelmError)) throw error;
      text += `${chart.name}:\n${error.message}\n`;
    }
  }
  for (const dependency of chart.dependencies) {
    const own = values.entries.get(dependency.name);
    if (own === undefined || own === null) continue;
    if (own instanceof GoMap) text += describe(dependency, own, budget);
    else text += `${dependency.name}:\ninvalid type for values: expected object (map), got ${typeOf(own)}\n`;
  }
  return text;
}

const line = ({ path, text }: Problem): string =>
  `- at '${path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')}': ${text}`;
