/** What a stage adds to the closing line. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
}

/** The part of Jest's `--json` output that counts. */
interface JestResult {
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  /** `test.todo`: tests that say why they cannot run here. */
  readonly numTodoTests: number;
  /** Files that failed outside of their tests; none of their tests is counted elsewhere. */
  readonly numRuntimeErrorTestSuites: number;
  readonly testResults?: readonly FileResult[];
}

/** Of one test file; times in ms. */
interface FileResult {
  readonly name: string;
  readonly status?: string;
  readonly startTime: number;
  readonly endTime: number;
  readonly assertionResults?: readonly { readonly status: string }[];
}

/** A check either holds or fails. */
export const tallyCheck = (exitCode: number): Tally =>
  exitCode === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };

/**
 * Counts a Jest run. Skipped and `todo` tests do not count; a file that cannot run counts as one failure, and so does a run that
 * failed without a failed test: no result, no test found, a set-up that threw.
 *
 * @param output what Jest wrote with `--json`; undefined where it wrote nothing
 */
export function tallyJest(exitCode: number, output: string | undefined): Tally {
  const result = output === undefined ? undefined : parseResult(output);
  if (result === undefined) return { passed: 0, failed: 1 };
  const passed = result.numPassedTests;
  const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
  const unexplained =
    failed === 0 && (exitCode !== 0 || !result.success || passed + result.numTodoTests === 0);
  return { passed, failed: unexplained ? 1 : failed };
}

const failedOf = (output: string): readonly FileResult[] =>
  (parseResult(output)?.testResults ?? []).filter(({ status }) => status === 'failed');

/** The files with a failure, also those that could not run. */
export const failedFiles = (output: string): string[] => failedOf(output).map(({ name }) => name);

/** What a run counts without its failed files, which run again. */
export function tallyOthers(output: string): Tally {
  const passed = failedOf(output).flatMap(({ assertionResults = [] }) =>
    assertionResults.filter(({ status }) => status === 'passed'),
  );
  return { passed: (parseResult(output)?.numPassedTests ?? 0) - passed.length, failed: 0 };
}

export const sum = (tallies: readonly Tally[]): Tally => ({
  passed: tallies.reduce((total, tally) => total + tally.passed, 0),
  failed: tallies.reduce((total, tally) => total + tally.failed, 0),
});

/** The line that closes every run. */
export const closingLine = ({ passed, failed }: Tally): string => `${passed} passed, ${failed} failed`;

/** Undefined: it is no JSON. */
export function parseResult(output: string): JestResult | undefined {
  try {
    return JSON.parse(output);
  } catch {
    return undefined;
  }
}
