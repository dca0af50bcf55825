/** The keywords that apply other schemas to a value or its parts. */
import { GoMap, GoSlice, type Value } from '../../gotemplate/index.ts';
import { listOf, numberOf } from './assertions.ts';
import type { Evaluation, Instance, Keyword, KeywordContext, Problem } from './keyword.ts';

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

const fail = ({ problems }: Evaluation, { path }: Instance, text: string): void => {
  problems.push({ path, text });
};

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
