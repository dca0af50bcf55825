/** The functions for semantic versions, and constraints on them, such as `>=1.2, <3 || ~4.5`, as the library Masterminds/semver checks them. */
import { quote } from '../../format/quote.ts';
import { type Body, chargeText, Failure, fixed, STRING } from '../define.ts';
import {
  comparePrereleases,
  compareVersions,
  nilVersion,
  parseVersion,
  type Version,
  versionValue,
} from './version.ts';

/** Gives `result` beside an error. */
function orElse<T>(body: () => T, result: () => T): T {
  try {
    return body();
  } catch (error) {
    if (error instanceof Failure) return result();
    throw error;
  }
}

export const SEMVER = {
  semver: fixed([STRING], ([text]) => orElse(() => versionValue(parseVersion(text)), nilVersion)),
  semverCompare: fixed([STRING, STRING], ([constraint, version], { budget }) => {
    chargeText(budget, (constraint.length + version.length) * 8);
    return orElse(
      () => meetsConstraint(constraint, version),
      () => false,
    );
  }),
} satisfies Record<string, Body>;

/** Longer texts are no constraints. */
const MAX_LENGTH = 1000;

/** A comparison with a version, of which parts may be left out, or be `x`. */
interface Comparison {
  readonly operator: string;
  readonly version: Version;
  /** Whether some part is left out: `1.x`. */
  readonly isPartial: boolean;
  readonly isMinorOpen: boolean;
  readonly isPatchOpen: boolean;
}

const OPERATOR = /=>|=<|>=|<=|!=|~>|[=><~^]|/y;
const VERSION =
  /v?([0-9xX|*]+)(\.[0-9xX|*]+)?(\.[0-9xX|*]+)?(-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?/y;
const SPACES = /[\t\n\f\r ]*/y;
const HYPHEN = /[\t\n\f\r ]+-[\t\n\f\r ]+/y;

/** Whether a version meets the constraint. @throws Failure if one of them cannot be parsed */
export function meetsConstraint(constraint: string, version: string): boolean {
  if (constraint.length > MAX_LENGTH) throw new Failure('improper constraint', false);
  const alternatives = constraint.split('||').map(parseAlternative);
  const parsed = parseVersion(version);
  return alternatives.some((comparisons) => {
    const allowsPrereleases = comparisons.some((comparison) => comparison.version.prerelease !== '');
    if (parsed.prerelease !== '' && !allowsPrereleases) return false;
    return comparisons.every((comparison) => meets(parsed, comparison));
  });
}

/** Comparisons that all have to be met, with commas or spaces between them. `1 - 2` is `>= 1, <= 2`. */
function parseAlternative(text: string): Comparison[] {
  const comparisons: Comparison[] = [];
  const improper = () => new Failure(`improper constraint: ${quote(text)}`, false);
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) at += match[0].length;
    return match;
  };
  const version = (): RegExpExecArray => {
    take(SPACES);
    const match = take(VERSION);
    if (match) return match;
    throw improper();
  };
  take(SPACES);
  for (let isAfterComma = true; ; ) {
    const operator = take(OPERATOR)?.[0] ?? '';
    const first = version();
    if (take(HYPHEN)) {
      // The library rewrites ranges, and drops the space before them.
      if (operator !== '' || !isAfterComma) throw improper();
      comparisons.push(parseComparison('>=', first), parseComparison('<=', version()));
    } else comparisons.push(parseComparison(operator, first));
    const end = at;
    take(SPACES);
    if (at === text.length) return comparisons;
    isAfterComma = text[at] === ',';
    if (!isAfterComma && at === end) throw improper();
    if (isAfterComma) at++;
    take(SPACES);
  }
}

const isOpen = (part: string | undefined): boolean => part === undefined || /^\.?[xX*]$/.test(part);

function parseComparison(
  operator: string,
  [, major, minor, patch, prerelease = '']: RegExpExecArray,
): Comparison {
  const open = { operator, isPartial: true, isMinorOpen: false, isPatchOpen: false };
  const parse = (digits: string) => parseVersionOfConstraint(digits + prerelease);
  if (isOpen(major)) return { ...open, version: parse('0.0.0') };
  if (isOpen(minor)) return { ...open, isMinorOpen: true, version: parse(`${major}.0.0`) };
  if (isOpen(patch)) return { ...open, isPatchOpen: true, version: parse(`${major}${minor}.0`) };
  return { ...open, isPartial: false, version: parse(`${major}${minor}${patch}`) };
}

function parseVersionOfConstraint(text: string): Version {
  try {
    return parseVersion(text);
  } catch (error) {
    if (error instanceof Failure) throw new Failure('constraint parser error', false);
    throw error;
  }
}

function meets(version: Version, comparison: Comparison): boolean {
  const order = compareVersions(version, comparison.version);
  switch (comparison.operator) {
    case '!=':
      return comparison.isPartial ? differs(version, comparison) : order !== 0;
    case '>':
      return comparison.isPartial ? isAbove(version, comparison) : order > 0;
    case '<':
      return order < 0;
    case '>=':
    case '=>':
      return order >= 0;
    case '<=':
    case '=<':
      return comparison.isPartial ? !isBeyond(version, comparison) : order <= 0;
    case '~':
    case '~>':
      return order >= 0 && isInTildeRange(version, comparison);
    case '^':
      return order >= 0 && isInCaretRange(version, comparison);
    default:
      return comparison.isPartial ? order >= 0 && isInTildeRange(version, comparison) : order === 0;
  }
}

function differs(version: Version, { version: bound, isMinorOpen, isPatchOpen }: Comparison): boolean {
  if (bound.major !== version.major) return true;
  if (isMinorOpen) return false;
  if (bound.minor !== version.minor) return true;
  if (!isPatchOpen) return bound.patch !== version.patch || compareVersions(version, bound) !== 0;
  const hasPrerelease = version.prerelease !== '' || bound.prerelease !== '';
  return hasPrerelease && comparePrereleases(version.prerelease, bound.prerelease) !== 0;
}

function isAbove(version: Version, { version: bound, isMinorOpen, isPatchOpen }: Comparison): boolean {
  if (version.major !== bound.major) return version.major > bound.major;
  if (isMinorOpen) return false;
  return isPatchOpen ? version.minor > bound.minor : compareVersions(version, bound) > 0;
}

const isBeyond = (version: Version, { version: bound, isMinorOpen }: Comparison): boolean =>
  version.major > bound.major ||
  (version.major === bound.major && version.minor > bound.minor && !isMinorOpen);

/** ~1.2.3 stays within 1.2; ~1 within 1; ~0.0.0 and ~x allow all. */
function isInTildeRange(version: Version, { version: bound, isMinorOpen, isPatchOpen }: Comparison): boolean {
  const isZero = bound.major === 0n && bound.minor === 0n && bound.patch === 0n;
  if (isZero && !isMinorOpen && !isPatchOpen) return true;
  return version.major === bound.major && (version.minor === bound.minor || isMinorOpen);
}

/** ^1.2.3 stays within 1; ^0.2.3 within 0.2; ^0.0.3 is that version only. */
function isInCaretRange(version: Version, { version: bound, isMinorOpen, isPatchOpen }: Comparison): boolean {
  if (version.major !== bound.major) return false;
  if (bound.major > 0n || isMinorOpen) return true;
  if (version.minor !== bound.minor) return false;
  return bound.minor > 0n || isPatchOpen || version.patch === bound.patch;
}

const succeeds = (check: () => boolean): boolean => {
  try {
    return check();
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
};

/** Whether a text is a semantic version; parts may be left out. */
export const isValidVersion = (text: string): boolean =>
  succeeds(() => {
    parseVersion(text);
    return true;
  });

/** Whether a version meets a constraint; false if one of them is none. */
export const isCompatible = (constraint: string, version: string): boolean =>
  succeeds(() => meetsConstraint(constraint, version));
