/** The functions for regular expressions. */

import { RE2JS } from 're2js';
import { type Budget, ELEMENT_BYTES } from '../budget.ts';
import { GoSlice, strings, type Value } from '../values/value.ts';
import { type Body, chargeText, Failure, fixed, INT, STRING, TextBuilder } from './define.ts';

const NIL_STRINGS = new GoSlice('string', [], true);

/** Characters at a position: 2 code units for those beyond U+FFFF. */
const widthAt = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);

/** Successive matches; an empty one right after another match does not count. @param limit negative: none */
function findAll(pattern: Pattern, text: string, limit: bigint, budget: Budget): Match[] {
  const matches: Match[] = [];
  let lastEnd = -1;
  for (let at = 0; at <= text.length && (limit < 0n || matches.length < limit); ) {
    const match = pattern.find(text, at);
    if (!match) break;
    const isEmpty = match.end === at;
    if (!isEmpty || match.start !== lastEnd) {
      budget.charge(4 * ELEMENT_BYTES);
      matches.push(match);
    }
    at = isEmpty ? at + widthAt(text, at) : match.end;
    lastEnd = match.end;
  }
  return matches;
}

/** Replaces each match, except for an empty one right after another. */
function replaceAll(
  pattern: Pattern,
  text: string,
  replace: (match: Match) => string,
  budget: Budget,
): string {
  const result = new TextBuilder(budget);
  let lastEnd = 0;
  for (let at = 0; at <= text.length; ) {
    const match = pattern.find(text, at);
    if (!match) break;
    result.append(text.slice(lastEnd, match.start));
    if (match.end > lastEnd || match.start === 0) result.append(replace(match));
    lastEnd = match.end;
    at = Math.max(match.end, at + widthAt(text, at));
  }
  result.append(text.slice(lastEnd));
  return result.toString();
}

function split(pattern: Pattern, text: string, limit: bigint, budget: Budget): string[] {
  const parts: string[] = [];
  let start = 0;
  let end = 0;
  for (const match of findAll(pattern, text, limit, budget)) {
    if (limit > 0n && BigInt(parts.length) === limit - 1n) break;
    end = match.start;
    if (match.end !== 0) parts.push(text.slice(start, end));
    start = match.end;
  }
  return end === text.length ? parts : [...parts, text.slice(start)];
}

/** Runs `body` with the compiled expression. @param result beside the error of an expression that is none */
function withPattern(
  expression: string,
  result: Value,
  budget: Budget,
  body: (pattern: Pattern) => Value,
): Value {
  let pattern: Pattern;
  try {
    pattern = compilePattern(expression, budget);
  } catch (error) {
    throw error instanceof Failure ? new Failure(error.message, result) : error;
  }
  return body(pattern);
}

const regexFind = fixed([STRING, STRING], ([expression, text], { budget }) =>
  withPattern(expression, '', budget, (pattern) => pattern.find(text, 0)?.group(0) ?? ''),
);

const regexFindAll = fixed([STRING, STRING, INT], ([expression, text, limit], { budget }) =>
  withPattern(expression, strings([]), budget, (pattern) => {
    const matches = findAll(pattern, text, limit, budget);
    return matches.length === 0 ? NIL_STRINGS : strings(matches.map((match) => match.group(0)));
  }),
);

const regexMatch = fixed([STRING, STRING], ([expression, text], { budget }) =>
  withPattern(expression, false, budget, (pattern) => pattern.find(text, 0) !== undefined),
);

const regexReplaceAll = fixed([STRING, STRING, STRING], ([expression, text, replacement], { budget }) =>
  withPattern(expression, '', budget, (pattern) =>
    replaceAll(
      pattern,
      text,
      (match) => {
        chargeText(budget, replacement.length);
        return expand(replacement, match);
      },
      budget,
    ),
  ),
);

const regexReplaceAllLiteral = fixed(
  [STRING, STRING, STRING],
  ([expression, text, replacement], { budget }) =>
    withPattern(expression, '', budget, (pattern) => replaceAll(pattern, text, () => replacement, budget)),
);

const regexSplit = fixed([STRING, STRING, INT], ([expression, text, limit], { budget }) =>
  withPattern(expression, strings([]), budget, (pattern) => {
    if (limit === 0n) return NIL_STRINGS;
    if (expression !== '' && text === '') return strings(['']);
    return strings(split(pattern, text, limit, budget));
  }),
);

export const REGEX = {
  mustRegexFind: regexFind,
  mustRegexFindAll: regexFindAll,
  mustRegexMatch: regexMatch,
  mustRegexReplaceAll: regexReplaceAll,
  mustRegexReplaceAllLiteral: regexReplaceAllLiteral,
  mustRegexSplit: regexSplit,
  regexFind,
  regexFindAll,
  regexMatch,
  regexQuoteMeta: fixed([STRING], ([text], { budget }) => {
    chargeText(budget, text.length * 2);
    return text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&');
  }),
  regexReplaceAll,
  regexReplaceAllLiteral,
  regexSplit,
} satisfies Record<string, Body>;

/** A reference in a replacement: `$1`, `$name` or `${name}`. Names are letters, digits and underscores. */
const REFERENCE = /\$(?:\$|([\p{L}\p{Nd}_]+)|\{([\p{L}\p{Nd}_]+)\})/gu;

/** Go reads no larger number. */
const MAX_GROUP = 1e9;

/** Replaces references by groups of the match. What is no reference stays; groups that are none are empty. */
function expand(replacement: string, match: Match): string {
  return replacement.replace(REFERENCE, (reference, plain?: string, braced?: string) => {
    const name = plain ?? braced;
    if (name === undefined) return reference === '$$' ? '$' : reference;
    const isNumber = /^(?:0|[1-9][0-9]*)$/.test(name) && Number(name) < MAX_GROUP;
    return isNumber ? match.group(Number(name)) : match.named(name);
  });
}

/* Regular expressions of Go (RE2 syntax), which match in time that grows linearly with the text. */

/** Positions of a match, in characters; of each group, -1 if it is not part of it. The first group is the match. */
interface Match {
  readonly start: number;
  readonly end: number;
  group(index: number): string;
  /** Empty: there is no group of this name. */
  named(name: string): string;
}

export interface Pattern {
  /** The first match at or after a position. */
  find(text: string, from: number): Match | undefined;
}

/** Bytes that a compiled pattern takes for each character; repetitions are limited by the library. */
const BYTES_PER_CHARACTER = 1000;
/** Instructions that take the time of one step. */
const INSTRUCTIONS_PER_STEP = 4;
/** Makes the budget check the time now and then, since matches that are far apart take long. */
const STEPS_PER_MATCH = 32;

/** Charges the search in each text, whether it has one match or many. @throws Failure for what is no regular expression */
export function compilePattern(expression: string, budget: Budget): Pattern {
  chargeText(budget, expression.length * BYTES_PER_CHARACTER);
  const compiled = compile(expression);
  let charged = '';
  return {
    find: (searched, from) => {
      budget.step(STEPS_PER_MATCH);
      if (from === 0 || searched !== charged) {
        budget.step(Math.ceil((compiled.programSize() * searched.length) / INSTRUCTIONS_PER_STEP));
        charged = searched;
      }
      const matcher = compiled.matcher(searched);
      if (!matcher.find(from)) return undefined;
      return {
        start: matcher.start(),
        end: matcher.end(),
        group: (index) => (index <= matcher.groupCount() ? (matcher.group(index) ?? '') : ''),
        named: (name) => (Object.hasOwn(compiled.namedGroups(), name) ? (matcher.group(name) ?? '') : ''),
      };
    },
  };
}

function compile(expression: string): RE2JS {
  if (!expression.isWellFormed()) {
    throw new Failure(`error parsing regexp: invalid UTF-8: \`${expression.toWellFormed()}\``);
  }
  try {
    return RE2JS.compile(expression);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Failure(
      message.endsWith('trailing backslash at end of expression') ? `${message}: \`\`` : message,
    );
  }
}
