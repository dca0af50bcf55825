/**
 * Integration tests share two control planes and two cores. A file that fails there once and passes alone must be
 * fixed, but says nothing about the change under test: failed files run again, alone and only once, and are named in
 * any case.
 */

/** The part of Jest's `--json` output that merges two attempts. */
interface Attempt {
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numRuntimeErrorTestSuites: number;
  readonly testResults: readonly {
    /** The path of the file. */
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

/** More failed files have a common cause, which a second attempt would only hide. */
const MAX_FILES = 3;

/** The files to run again; none where all is well or too much is not. */
export function filesToRepeat(output: string | undefined): string[] {
  const attempt = parse(output);
  const failed = attempt?.testResults.filter(({ status }) => status === 'failed') ?? [];
  return failed.length > MAX_FILES ? [] : failed.map(({ name }) => name);
}

/** Jest's output with the results of the second attempt in place of the failed files. */
export function withSecondAttempt(first: string, second: string | undefined): string {
  const [before, after] = [parse(first), parse(second)];
  if (before === undefined || after === undefined) return first;
  const repeated = new Set(after.testResults.map(({ name }) => name));
  const replaced = before.testResults.filter(({ name }) => repeated.has(name));
  const count = (wanted: string) =>
    replaced.flatMap(({ assertionResults }) => assertionResults).filter(({ status }) => status === wanted)
      .length;
  const broken = replaced.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  ).length;
  const failed = before.numFailedTests - count('failed') + after.numFailedTests;
  const errors = before.numRuntimeErrorTestSuites - broken + after.numRuntimeErrorTestSuites;
  const merged = {
    success: after.success && failed === 0 && errors === 0,
    numPassedTests: before.numPassedTests - count('passed') + after.numPassedTests,
    numFailedTests: failed,
    numRuntimeErrorTestSuites: errors,
  };
  return JSON.stringify(merged);
}

function parse(output: string | undefined): Attempt | undefined {
  try {
    return output === undefined ? undefined : JSON.parse(output);
  } catch {
    return undefined;
  }
}
