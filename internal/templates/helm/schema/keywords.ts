import { isIP } from 'node:net';
import {
  GoInteger,
  GoMap,
  GoSlice,
  isValidVersion,
  matchesLayout,
  type Value,
} from '../../gotemplate/index.ts';

/** A place where a value does not fit its schema. */
export interface Problem {
  /** Keys and indexes that lead to the value. */
  readonly path: readonly string[];
  readonly text: string;
}

/** What a schema found out about a value. */
export interface Evaluation {
  readonly problems: Problem[];
  /** Keys and indexes that some keyword looked at, for `unevaluatedProperties` and `unevaluatedItems`. */
  readonly seen: Set<string>;
}

/** A value on its way through a schema. */
export interface Instance {
  readonly value: Value;
  readonly path: readonly string[];
}

/** Evaluates one keyword of a schema, and those that belong to it. */
type Keyword = (argument: Value, instance: Instance, context: KeywordContext, evaluation: Evaluation) => void;

export interface KeywordContext {
  /** The schema with the keyword. */
  readonly schema: GoMap;
  /** The draft by year or number: 4, 6, 7, 2019, 2020. */
  readonly draft: number;
  /** Evaluates a value by another schema at the same place of the document. */
  evaluate(schema: Value, instance: Instance): Evaluation;
  /** The schema that a reference means. */
  resolve(reference: string): Value;
  /** Counts work that grows with a value. @throws TemplateLimitError */
  step(count: number): void;
  /** Whether a text has a match of a regular expression. */
  matches(pattern: string, text: string): boolean;
}

/** The drafts with which keywords came. Default: all have it. */
const SINCE: Readonly<Record<string, number>> = {
  const: 6,
  contains: 6,
  propertyNames: 6,
  if: 7,
  dependentRequired: 2019,
  dependentSchemas: 2019,
  unevaluatedItems: 2019,
  unevaluatedProperties: 2019,
  $recursiveRef: 2019,
  prefixItems: 2020,
  $dynamicRef: 2020,
};

/** Whether a draft has a keyword; in an earlier one it has no meaning. */
export const isKeywordOf = (draft: number, name: string): boolean =>
  !Object.hasOwn(SINCE, name) || draft >= (SINCE[name] ?? 0);

/** The keywords that say something about a value itself. */

const fail = ({ problems }: Evaluation, { path }: Instance, text: string): void => {
  problems.push({ path, text });
};

export const numberOf = (value: Value | undefined): number | undefined => {
  if (value instanceof GoInteger) return Number(value.value);
  return typeof value === 'number' ? value : undefined;
};

function typeOfJson(value: Value): string {
  if (value === null) return 'null';
  if (value instanceof GoMap) return 'object';
  if (value instanceof GoSlice) return 'array';
  return numberOf(value) === undefined ? typeof value : 'number';
}

function areEqual(one: Value, other: Value, context: Pick<KeywordContext, 'step'>): boolean {
  context.step(1);
  const number = numberOf(one);
  if (number !== undefined) return number === numberOf(other);
  if (one instanceof GoSlice) {
    if (!(other instanceof GoSlice) || one.items.length !== other.items.length) return false;
    return one.items.every((item, i) => areEqual(item, other.items[i] ?? null, context));
  }
  if (one instanceof GoMap) {
    if (!(other instanceof GoMap) || one.entries.size !== other.entries.size) return false;
    for (const [key, value] of one.entries) {
      if (!other.entries.has(key) || !areEqual(value, other.entries.get(key) ?? null, context)) return false;
    }
    return true;
  }
  return one === other;
}

const isOfType = (value: Value, type: Value): boolean =>
  type === 'integer' ? Number.isInteger(numberOf(value)) : typeOfJson(value) === type;

const show = (value: Value): string =>
  typeof value === 'string' ? `'${value}'` : value instanceof GoInteger ? String(value.value) : String(value);

const listOf = (value: Value | undefined): readonly Value[] => (value instanceof GoSlice ? value.items : []);

const type: Keyword = (argument, instance, _, evaluation) => {
  const types = argument instanceof GoSlice ? argument.items : [argument];
  if (types.some((wanted) => isOfType(instance.value, wanted))) return;
  fail(evaluation, instance, `got ${typeOfJson(instance.value)}, want ${types.join(' or ')}`);
};

const enumeration: Keyword = (argument, instance, context, evaluation) => {
  const values = listOf(argument);
  if (values.some((value) => areEqual(value, instance.value, context))) return;
  const isSimple = values.every((value) => !(value instanceof GoMap || value instanceof GoSlice));
  fail(
    evaluation,
    instance,
    isSimple ? `value must be one of ${values.map(show).join(', ')}` : 'value must be one of the enum values',
  );
};

const onNumber =
  (isWrong: (value: number, limit: number, isExclusive: boolean) => boolean, text: string): Keyword =>
  (argument, instance, { schema }, evaluation) => {
    const value = numberOf(instance.value);
    const limit = numberOf(argument);
    if (value === undefined || limit === undefined) return;
    // In draft 4 a boolean beside the limit makes it exclusive.
    const exclusive = schema.entries.get(
      text.startsWith('minimum') ? 'exclusiveMinimum' : 'exclusiveMaximum',
    );
    if (isWrong(value, limit, exclusive === true))
      fail(evaluation, instance, `${text}: got ${value}, want ${limit}`);
  };

const onLength =
  (
    kind: 'string' | 'array' | 'object',
    isWrong: (length: number, limit: number) => boolean,
    name: string,
  ): Keyword =>
  (argument, instance, _, evaluation) => {
    const length = lengthOf(instance.value, kind);
    const limit = numberOf(argument);
    if (length === undefined || limit === undefined || !isWrong(length, limit)) return;
    fail(evaluation, instance, `${name}: got ${length}, want ${limit}`);
  };

function lengthOf(value: Value, kind: 'string' | 'array' | 'object'): number | undefined {
  if (kind === 'string') return typeof value === 'string' ? Array.from(value).length : undefined;
  if (kind === 'array') return value instanceof GoSlice ? value.items.length : undefined;
  return value instanceof GoMap ? value.entries.size : undefined;
}

const isLess = (one: number, other: number) => one < other;
const isMore = (one: number, other: number) => one > other;

export const ASSERTIONS: Readonly<Record<string, Keyword>> = {
  type,
  enum: enumeration,
  const: (argument, instance, context, evaluation) => {
    if (!areEqual(argument, instance.value, context))
      fail(evaluation, instance, `value must be ${show(argument)}`);
  },
  minimum: onNumber((value, limit, isExclusive) => (isExclusive ? value <= limit : value < limit), 'minimum'),
  maximum: onNumber((value, limit, isExclusive) => (isExclusive ? value >= limit : value > limit), 'maximum'),
  exclusiveMinimum: onNumber((value, limit) => value <= limit, 'exclusiveMinimum'),
  exclusiveMaximum: onNumber((value, limit) => value >= limit, 'exclusiveMaximum'),
  multipleOf: onNumber((value, limit) => !isMultiple(value, limit), 'multipleOf'),
  minLength: onLength('string', isLess, 'minLength'),
  maxLength: onLength('string', isMore, 'maxLength'),
  minItems: onLength('array', isLess, 'minItems'),
  maxItems: onLength('array', isMore, 'maxItems'),
  minProperties: onLength('object', isLess, 'minProperties'),
  maxProperties: onLength('object', isMore, 'maxProperties'),
  pattern: (argument, instance, context, evaluation) => {
    if (typeof argument !== 'string' || typeof instance.value !== 'string') return;
    if (!context.matches(argument, instance.value)) {
      fail(evaluation, instance, `'${instance.value}' does not match pattern '${argument}'`);
    }
  },
  format: (argument, instance, { draft }, evaluation) => {
    // Later drafts only describe by it.
    if (draft >= 2019 || typeof argument !== 'string' || typeof instance.value !== 'string') return;
    if (hasFormat(argument, instance.value)) return;
    fail(evaluation, instance, `'${instance.value}' is not valid ${argument}`);
  },
  required: (argument, instance, _, evaluation) => {
    const { value } = instance;
    if (!(value instanceof GoMap)) return;
    const missing = listOf(argument).filter((name) => typeof name === 'string' && !value.entries.has(name));
    if (missing.length === 0) return;
    const names = missing.map((name) => `'${String(name)}'`).join(', ');
    fail(evaluation, instance, `missing propert${missing.length === 1 ? 'y' : 'ies'} ${names}`);
  },
  uniqueItems: (argument, instance, context, evaluation) => {
    if (argument !== true) return;
    const items = listOf(instance.value);
    for (const [at, item] of items.entries()) {
      const first = items.findIndex((other, i) => i === at || areEqual(item, other, context));
      if (first < at) return fail(evaluation, instance, `items at ${first} and ${at} are equal`);
    }
  },
};

/** Exactly: a float64 is the shortest decimal that identifies it. */
function isMultiple(value: number, divisor: number): boolean {
  const decimals = (number: number) => {
    const [mantissa = '', exponent = '0'] = String(number).split('e');
    return Math.max(0, (mantissa.split('.')[1]?.length ?? 0) - Number(exponent));
  };
  const digits = Math.max(decimals(value), decimals(divisor));
  const scale = (number: number) => BigInt(Math.round(Number(`${number}e${digits}`)));
  const by = scale(divisor);
  return by !== 0n && scale(value) % by === 0n;
}

const isDate = (text: string): boolean => matchesLayout('2006-01-02', text);

const isTime = (text: string): boolean => {
  const match = /^(\d{2}):(\d{2}):(\d{2})(\.\d+)?(?:[zZ]|[+-]([01]\d|2[0-3]):[0-5]\d)$/.exec(text);
  return match !== null && Number(match[1]) < 24 && Number(match[2]) < 60 && Number(match[3]) <= 60;
};

function isHostname(text: string): boolean {
  const name = text.replace(/\.$/, '');
  return (
    name.length <= 253 &&
    name.split('.').every((label) => /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/.test(label))
  );
}

const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  date: isDate,
  time: isTime,
  'date-time': (text) => /^.{10}[tT]/.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11)),
  ipv4: (text) => isIP(text) === 4,
  ipv6: (text) => isIP(text) === 6 && !text.includes('%'),
  email: (text) => {
    const at = text.lastIndexOf('@');
    return at > 0 && at <= 64 && text.length <= 254 && isHostname(text.slice(at + 1));
  },
  hostname: isHostname,
  uuid: (text) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text),
  uri: (text) => /^[a-zA-Z][a-zA-Z0-9+.-]*:[^\s\\]*$/.test(text),
  'uri-reference': (text) => !/[\s\\]/.test(text),
  'json-pointer': (text) => text === '' || (text.startsWith('/') && !/~(?![01])/.test(text)),
  semver: isValidVersion,
};

/** Whether a text has a format; one that is not known fits all. */
const hasFormat = (format: string, text: string): boolean =>
  Object.hasOwn(FORMATS, format) ? (FORMATS[format]?.(text) ?? true) : true;

/** The keywords that apply other schemas to a value or its parts. */

const isValid = ({ problems }: Evaluation): boolean => problems.length === 0;

/** References double what schemas find with each level: more than these are left out. */
const MAX_PROBLEMS = 1000;

function report(into: Evaluation, problems: readonly Problem[]): void {
  for (const problem of problems) {
    if (into.problems.length === MAX_PROBLEMS) return;
    into.problems.push(problem);
  }
}

/** Takes what another schema found of the same value. */
function include(into: Evaluation, from: Evaluation): void {
  report(into, from.problems);
  if (isValid(from)) for (const key of from.seen) into.seen.add(key);
}

const part = ({ path }: Instance, key: string, value: Value): Instance => ({ value, path: [...path, key] });

/** Applies a schema to a part of the value. */
function applyTo(
  key: string,
  value: Value,
  schema: Value,
  instance: Instance,
  context: KeywordContext,
  evaluation: Evaluation,
): void {
  evaluation.seen.add(key);
  report(evaluation, context.evaluate(schema, part(instance, key, value)).problems);
}

const entriesOf = (value: Value | undefined): ReadonlyMap<string, Value> =>
  value instanceof GoMap ? value.entries : new Map();

const properties: Keyword = (argument, instance, context, evaluation) => {
  const own = entriesOf(instance.value);
  for (const [key, schema] of entriesOf(argument)) {
    const value = own.get(key);
    if (value !== undefined) applyTo(key, value, schema, instance, context, evaluation);
  }
};

const patternProperties: Keyword = (argument, instance, context, evaluation) => {
  for (const [pattern, schema] of entriesOf(argument)) {
    for (const [key, value] of entriesOf(instance.value)) {
      if (context.matches(pattern, key)) applyTo(key, value, schema, instance, context, evaluation);
    }
  }
};

/** Keys that neither `properties` nor `patternProperties` name. */
function additionalKeys({ value }: Instance, { schema, matches }: KeywordContext): string[] {
  const named = entriesOf(schema.entries.get('properties'));
  const patterns = [...entriesOf(schema.entries.get('patternProperties')).keys()];
  return [...entriesOf(value).keys()].filter(
    (key) => !named.has(key) && !patterns.some((pattern) => matches(pattern, key)),
  );
}

const quoted = (keys: readonly string[]): string => keys.map((key) => `'${key}'`).join(', ');

const additionalProperties: Keyword = (argument, instance, context, evaluation) => {
  const keys = additionalKeys(instance, context);
  if (argument === false && keys.length > 0) {
    return fail(evaluation, instance, `additional properties ${quoted(keys)} not allowed`);
  }
  for (const key of keys) {
    applyTo(key, entriesOf(instance.value).get(key) ?? null, argument, instance, context, evaluation);
  }
};

const propertyNames: Keyword = (argument, instance, context, evaluation) => {
  for (const key of entriesOf(instance.value).keys()) {
    const { problems } = context.evaluate(argument, part(instance, key, key));
    if (problems.length > 0) fail(evaluation, instance, `invalid propertyName '${key}'`);
  }
};

/** Applies a schema to the items from an index. */
function applyToItems(
  from: number,
  schema: Value,
  instance: Instance,
  context: KeywordContext,
  evaluation: Evaluation,
): void {
  for (const [i, item] of listOf(instance.value).entries()) {
    if (i >= from) applyTo(String(i), item, schema, instance, context, evaluation);
  }
}

const prefixItems: Keyword = (argument, instance, context, evaluation) => {
  const items = listOf(instance.value);
  for (const [i, schema] of listOf(argument).entries()) {
    const item = items[i];
    if (item !== undefined) applyTo(String(i), item, schema, instance, context, evaluation);
  }
};

const items: Keyword = (argument, instance, context, evaluation) => {
  if (argument instanceof GoSlice) return prefixItems(argument, instance, context, evaluation);
  const from = context.draft >= 2020 ? listOf(context.schema.entries.get('prefixItems')).length : 0;
  applyToItems(from, argument, instance, context, evaluation);
};

const additionalItems: Keyword = (argument, instance, context, evaluation) => {
  const prefix = context.schema.entries.get('items');
  if (context.draft >= 2020 || !(prefix instanceof GoSlice)) return;
  applyToItems(prefix.items.length, argument, instance, context, evaluation);
};

const contains: Keyword = (argument, instance, context, evaluation) => {
  if (!(instance.value instanceof GoSlice)) return;
  const found = instance.value.items.flatMap((item, i) =>
    isValid(context.evaluate(argument, part(instance, String(i), item))) ? [String(i)] : [],
  );
  if (context.draft >= 2020) for (const index of found) evaluation.seen.add(index);
  const isCounted = context.draft >= 2019;
  const least = (isCounted ? numberOf(context.schema.entries.get('minContains')) : undefined) ?? 1;
  const most = (isCounted ? numberOf(context.schema.entries.get('maxContains')) : undefined) ?? Infinity;
  if (found.length < least)
    fail(evaluation, instance, `min ${least} items required to match contains schema`);
  if (found.length > most) fail(evaluation, instance, `max ${most} items required to match contains schema`);
};

const allOf: Keyword = (argument, instance, context, evaluation) => {
  const found = listOf(argument).map((schema) => context.evaluate(schema, instance));
  if (!found.every(isValid)) fail(evaluation, instance, "'allOf' failed");
  for (const each of found) include(evaluation, each);
};

const anyOf: Keyword = (argument, instance, context, evaluation) => {
  const found = listOf(argument).map((schema) => context.evaluate(schema, instance));
  if (!found.some(isValid)) {
    fail(evaluation, instance, "'anyOf' failed");
    for (const { problems } of found) report(evaluation, problems);
  }
  for (const each of found) if (isValid(each)) include(evaluation, each);
};

const oneOf: Keyword = (argument, instance, context, evaluation) => {
  const found = listOf(argument).map((schema) => context.evaluate(schema, instance));
  const valid = found.flatMap((each, i) => (isValid(each) ? [i] : []));
  if (valid.length === 0) {
    fail(evaluation, instance, "'oneOf' failed, none matched");
    for (const { problems } of found) report(evaluation, problems);
  }
  if (valid.length > 1) {
    fail(evaluation, instance, `'oneOf' failed, subschemas ${valid.slice(0, 2).join(', ')} matched`);
  }
  for (const each of found) if (isValid(each)) include(evaluation, each);
};

const condition: Keyword = (argument, instance, context, evaluation) => {
  const tested = context.evaluate(argument, instance);
  if (isValid(tested)) include(evaluation, tested);
  const branch = context.schema.entries.get(isValid(tested) ? 'then' : 'else');
  if (branch !== undefined) include(evaluation, context.evaluate(branch, instance));
};

const dependent: Keyword = (argument, instance, context, evaluation) => {
  for (const [key, dependency] of entriesOf(argument)) {
    if (!entriesOf(instance.value).has(key)) continue;
    if (!(dependency instanceof GoSlice)) {
      include(evaluation, context.evaluate(dependency, instance));
      continue;
    }
    const missing = dependency.items.filter(
      (name) => typeof name === 'string' && !entriesOf(instance.value).has(name),
    );
    if (missing.length > 0) {
      fail(evaluation, instance, `properties ${quoted(missing.map(String))} required, if '${key}' exists`);
    }
  }
};

const reference: Keyword = (argument, instance, context, evaluation) => {
  if (typeof argument !== 'string') return;
  include(evaluation, context.evaluate(context.resolve(argument), instance));
};

const unevaluatedProperties: Keyword = (argument, instance, context, evaluation) => {
  const keys = [...entriesOf(instance.value).keys()].filter((key) => !evaluation.seen.has(key));
  if (argument === false && keys.length > 0) {
    return fail(evaluation, instance, `unevaluated properties ${quoted(keys)} not allowed`);
  }
  for (const key of keys) {
    applyTo(key, entriesOf(instance.value).get(key) ?? null, argument, instance, context, evaluation);
  }
};

const unevaluatedItems: Keyword = (argument, instance, context, evaluation) => {
  for (const [i, item] of listOf(instance.value).entries()) {
    if (evaluation.seen.has(String(i))) continue;
    applyTo(String(i), item, argument, instance, context, evaluation);
  }
};

/** In the order in which they are evaluated: the last two need what the others have seen. */
export const APPLICATORS: Readonly<Record<string, Keyword>> = {
  $ref: reference,
  $dynamicRef: reference,
  $recursiveRef: reference,
  allOf,
  anyOf,
  oneOf,
  not: (argument, instance, context, evaluation) => {
    if (isValid(context.evaluate(argument, instance))) fail(evaluation, instance, "'not' failed");
  },
  if: condition,
  properties,
  patternProperties,
  additionalProperties,
  propertyNames,
  dependencies: dependent,
  dependentRequired: dependent,
  dependentSchemas: dependent,
  prefixItems,
  items,
  additionalItems,
  contains,
  unevaluatedProperties,
  unevaluatedItems,
};
