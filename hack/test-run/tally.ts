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
  /** Times in ms. */
  readonly testResults?: readonly {
    readonly name: string;
    readonly startTime: number;
    readonly endTime: number;
  }[];
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
