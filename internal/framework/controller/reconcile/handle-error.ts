import { FencedError, PostponedError } from '../../base/concurrency/fence.ts';
import { NotAdmittedError } from '../../base/concurrency/limit-key.ts';
import {
  type ErrorKind,
  findCause,
  kindOf,
  messageOf,
  ProviderError,
  WaitingError,
} from '../../base/errors/errors.ts';
import type { Logger } from '../../base/telemetry/telemetry.ts';
import { type ReconcileResult, requeue, requeueAfter } from '../reconcile-result.ts';
import { GoneError } from './store-status.ts';

/** An error of a reconcile, with its effect on the queue. */
export interface Failure {
  readonly kind: ErrorKind;
  readonly error: unknown;
  /** Its message, in one line. */
  readonly text: string;
  /** The write guard has postponed a write: nothing was attempted. */
  readonly isPostponed: boolean;
  /** When the object is reconciled again. */
  readonly result: ReconcileResult;
}

/** How a reconciler shows errors, in its own vocabulary of conditions. */
export interface ErrorSink {
  /** The next reconcile of an object that only others can change; default: with the backoff. */
  readonly poll?: () => ReconcileResult;
  /** Whether a write conflict is shown like another error. Default: a newer version exists, and is reconciled. */
  readonly showsConflicts?: boolean;
  /**
   * Sets conditions, stores the status and records events.
   *
   * @returns `failure.result`, or another effect on the queue
   * @throws the error, to have it logged and counted by the controller, and retried with backoff
   */
  show(failure: Failure): Promise<ReconcileResult>;
}

/** Lower bound for the retry delay that an external API requests, in ms. */
const MIN_RETRY_AFTER_MS = 1000;

/**
 * Turns an error into the effect on the queue, which depends on its kind only, and what users see, which the sink decides. What
 * is no failure is not shown: another process writes, or the object was changed.
 *
 * @throws NotAdmittedError and GoneError, which the caller of the reconciler handles
 */
export async function handleError(error: unknown, sink: ErrorSink, log: Logger): Promise<ReconcileResult> {
  const passed = findCause(error, NotAdmittedError) ?? findCause(error, GoneError);
  if (passed !== undefined) throw passed;
  const kind = kindOf(error);
  const text = messageOf(error);
  const isFenced = isRefusedByGuard(error);
  const isPostponed = isFenced && (kind === 'waiting' || kind === 'contested');
  if (isFenced && !isPostponed) {
    log.debug('external write refused', { why: text });
    return requeue;
  }
  if (kind === 'conflict' && sink.showsConflicts !== true) {
    log.debug('the object changed meanwhile', { error: text });
    return requeue;
  }
  const result = await sink.show({ kind, error, text, isPostponed, result: resultOf(kind, error, sink) });
  const targets = findCause(error, ProviderError)?.targets ?? [];
  return targets.length === 0 ? result : { ...result, targets };
}

/** Whether the write guard refused the write, which is no failure. */
export const isRefusedByGuard = (error: unknown): boolean => findCause(error, FencedError) !== undefined;

/** Nothing failed, though a step did not end: another process may write, slots are missing, or the object changed or is gone. */
export const isNoFailure = (error: unknown): boolean =>
  isRefusedByGuard(error) ||
  findCause(error, NotAdmittedError) !== undefined ||
  findCause(error, GoneError) !== undefined ||
  kindOf(error) === 'conflict';

function resultOf(kind: ErrorKind, error: unknown, { poll = () => requeue }: ErrorSink): ReconcileResult {
  switch (kind) {
    case 'waiting': {
      if (findCause(error, WaitingError)?.retry) return requeue;
      const delayMs = findCause(error, PostponedError)?.delayMs;
      return delayMs === undefined ? poll() : requeueAfter(delayMs);
    }
    case 'contested':
    case 'terminal':
      return poll();
    case 'throttled': {
      const retryAfterMs = findCause(error, ProviderError)?.retryAfterMs;
      return retryAfterMs === undefined ? requeue : requeueAfter(Math.max(retryAfterMs, MIN_RETRY_AFTER_MS));
    }
    case 'conflict':
    case 'auth':
    case 'not-found':
    case 'transient':
    case 'bug':
      return requeue;
    default:
      return kind satisfies never;
  }
}

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
