/** Regular expressions of Go (RE2 syntax), which match in time that grows linearly with the text. */
import { RE2JS } from 're2js';
import type { Budget } from '../../budget.ts';
import { chargeText, Failure } from '../define.ts';

/** Positions of a match, in characters; of each group, -1 if it is not part of it. The first group is the match. */
export interface Match {
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
