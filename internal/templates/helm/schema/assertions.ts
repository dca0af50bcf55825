/** The keywords that say something about a value itself. */

import { isIP } from 'node:net';
import {
  GoInteger,
  GoMap,
  GoSlice,
  isValidVersion,
  matchesLayout,
  type Value,
} from '../../gotemplate/index.ts';
import type { Evaluation, Instance, Keyword, KeywordContext } from './keyword.ts';

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

export const listOf = (value: Value | undefined): readonly Value[] =>
  value instanceof GoSlice ? value.items : [];

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
