import { Failure } from '../call/failure.ts';
import { meetsConstraint } from './constraints.ts';
import { parseVersion } from './version.ts';

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
