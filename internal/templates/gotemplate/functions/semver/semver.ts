/** The functions for semantic versions. */
import { type Body, chargeText, Failure, fixed, STRING } from '../define.ts';
import { meetsConstraint } from './constraints.ts';
import { nilVersion, versionValue } from './value.ts';
import { parseVersion } from './version.ts';

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
