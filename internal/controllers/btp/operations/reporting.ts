import { FencedError } from '../../../base/concurrency/fence.ts';
import { NotAdmittedError } from '../../../base/concurrency/limit-key.ts';
import { findCause, kindOf, messageOf, ProviderError, ThrottledError } from '../../../base/errors/errors.ts';
import { createScrubber } from '../../../base/text/redact.ts';
import { ServiceManagerError } from '../../../clients/service-manager/index.ts';
import { type ReconcileResult, requeueInProgress } from '../../../controller/index.ts';
import { LostResponseError } from '../../../http/index.ts';
import { readParameters } from '../parameters/read-parameters.ts';
import type { KnownOperation } from '../status/reasons.ts';
import { deletionRemedy } from './deletion-remedy.ts';
import { noOperation, operationURLOf, setStatus, type UnconnectedRun } from './run.ts';

/**
 * Runs a step. If it fails, the condition Succeeded has the cause, and the error is thrown for a retry with backoff. If
 * Service Manager throttles, the operation counts as in progress, and is tried again when it allows.
 *
 * @returns what the step returns, or the requeue of a throttled step
 */
export async function reporting<T = ReconcileResult>(
  run: UnconnectedRun,
  operation: KnownOperation,
  step: () => Promise<T>,
): Promise<T | ReconcileResult> {
  try {
    return await step();
  } catch (error) {
    if (isNoFailure(error) || run.context.signal.aborted) throw error;
    if (operation === 'create' && !(error instanceof LostResponseError)) {
      // The create has certainly had no effect. An error before it says nothing about an earlier one.
      const isKnown = run.created.sent || !run.mayBeSent;
      if (isKnown && operationURLOf(run.object) === '') setStatus(run.object, noOperation);
    }
    if (error instanceof ThrottledError) {
      run.conditions.inProgress(operation);
      await run.status.store();
      return requeueInProgress(error.retryAfterMs);
    }
    const scrub = await scrubberOf(run);
    run.conditions.requestFailed(operation, scrub(textOf(error)) + deletionRemedy(run.object, error));
    await run.status.store();
    throw withText(error, scrub(messageOf(error)));
  }
}

/** Nothing failed, though the step did not end: another process may write, slots are missing, or the object changed. */
export const isNoFailure = (error: unknown): boolean =>
  error instanceof FencedError || error instanceof NotAdmittedError || kindOf(error) === 'conflict';

/** Whether another operation of the resource is in progress, for which Service Manager refused the call. */
export const isConcurrent = (error: unknown): boolean =>
  findCause(error, ServiceManagerError)?.class === 'concurrent-operation';

/** Service Manager's text for users, where it has one. */
export function textOf(error: unknown): string {
  const text = error instanceof ServiceManagerError ? error.text : '';
  return text === '' ? messageOf(error) : text;
}

/** The error as it may be logged. */
function withText(error: unknown, text: string): unknown {
  if (text === messageOf(error)) return error;
  return new ProviderError(kindOf(error), text, { targets: findCause(error, ProviderError)?.targets ?? [] });
}

/** The text without confidential values. */
export const scrubbed = async (run: UnconnectedRun, text: string): Promise<string> =>
  (await scrubberOf(run))(text);

/** Removes values from the Secrets of the object, and credentials, from texts: a service broker may quote them. */
async function scrubberOf(run: UnconnectedRun): Promise<(text: string) => string> {
  const { object, context, confidential } = run;
  if ((object.spec.parametersFrom ?? []).length === 0) return createScrubber(confidential);
  try {
    const parameters = await readParameters(object, { ...run, ...context });
    return createScrubber([...confidential, ...parameters.confidential]);
  } catch {
    // Without the Secrets, no create or update was sent in this reconcile.
    return createScrubber(confidential);
  }
}
