import type { ReconcileResult } from '../reconcile-result.ts';

/**
 * The error of a step, with how that step's errors are shown.
 *
 * @typeParam Rule what the reconciler's `ErrorSink` needs to know of the step
 */
export class StepFailure<Rule> extends Error {
  readonly rule: Rule;
  constructor(rule: Rule, cause: unknown) {
    super('step failed', { cause });
    this.rule = rule;
  }
}

/** Runs a step; its error is shown by `rule`, unless a step within it has failed. */
export async function step<Rule, T>(rule: Rule, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw cause instanceof StepFailure ? cause : new StepFailure(rule, cause);
  }
}

/** Runs steps; a failed one is turned into the result of the reconcile. */
export async function reportingFailures<Rule, T = ReconcileResult>(
  steps: () => Promise<T>,
  report: (failure: StepFailure<Rule>) => Promise<ReconcileResult>,
): Promise<T | ReconcileResult> {
  try {
    return await steps();
  } catch (failure) {
    if (failure instanceof StepFailure) return await report(failure);
    throw failure;
  }
}
