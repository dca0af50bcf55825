import {
  createScrubber,
  findCause,
  kindOf,
  messageOf,
  ProviderError,
  ThrottledError,
} from '../../../framework/base/index.ts';
import {
  type Failure,
  handleError,
  type ReconcileResult,
  requeueInProgress,
  type StepFailure,
} from '../../../framework/controller/index.ts';
import { LostResponseError } from '../../../framework/http/index.ts';
import { keyString, wasDeleted } from '../../../framework/kube/index.ts';
import { nameProblem } from '../../../framework/kube/object/object.ts';
import { MissingCredentialsError } from '../credentials/errors.ts';
import { deletionPolicyAnnotation } from '../metadata.ts';
import { readParameters } from '../parameters/read-parameters.ts';
import { ServiceManagerError } from '../service-manager/index.ts';
import { observedGenerationOf, succeededOf } from '../status/conditions.ts';
import { type KnownOperation, nounOf, reasonOf } from '../status/messages.ts';
import { externalNameOf, type ServiceResource } from '../status/service-resource.ts';
import { OtherCredentialsError } from './maker.ts';
import { mayHaveBeenSent, noOperation, operationURLOf, setStatus, type UnconnectedRun } from './run.ts';

/**
 * Shows the error of a step in the condition Succeeded, and throws it for a retry with backoff. If Service Manager
 * throttles, the operation counts as in progress, unless it failed before, and is tried again when it allows.
 */
export async function reportFailure(
  run: UnconnectedRun,
  { rule: operation, cause }: StepFailure<KnownOperation>,
): Promise<ReconcileResult> {
  const { signal, log } = run.context;
  if (signal.aborted) throw cause;
  return handleError(cause, { show: (failure) => showFailure(run, operation, failure) }, log);
}

async function showFailure(
  run: UnconnectedRun,
  operation: KnownOperation,
  { error, isPostponed, result }: Failure,
): Promise<ReconcileResult> {
  if (isPostponed) return result;
  const { object, conditions, status } = run;
  if (operation === 'create' && operationURLOf(object) === '' && isWithoutEffect(run, error))
    setStatus(object, noOperation);
  if (error instanceof ThrottledError) {
    if (!isShownAsFailed(object, operation)) conditions.inProgress(operation);
    await status.store();
    return requeueInProgress(error.retryAfterMs);
  }
  const scrub = await scrubberOf(run);
  const remedy = deletionRemedy(object, error) + nameRemedy(object, error);
  conditions.requestFailed(operation, scrub(textOf(error)) + remedy);
  await status.store();
  throw withText(error, scrub(messageOf(error)));
}

/** A repetition that was not admitted is no news: users still need the cause. An edit begins anew. */
function isShownAsFailed(object: ServiceResource, operation: KnownOperation): boolean {
  const isOfGeneration = observedGenerationOf(object) === object.metadata.generation;
  return isOfGeneration && succeededOf(object)?.reason === reasonOf(operation, 'failed');
}

/**
 * Whether the create that failed has certainly had no effect. An error before it says nothing about one that an earlier
 * reconcile sent, or may have sent.
 */
function isWithoutEffect(run: UnconnectedRun, error: unknown): boolean {
  if (error instanceof LostResponseError) return false;
  return run.context.guard.createSent() || !mayHaveBeenSent(run);
}

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

/** What users can do if the name in Service Manager is taken: text that follows the cause. Empty for other errors. */
function nameRemedy(object: ServiceResource, error: unknown): string {
  if (wasDeleted(object) || findCause(error, ServiceManagerError)?.class !== 'conflict') return '';
  const name = JSON.stringify(externalNameOf(object));
  return `. Set spec.externalName to another name: the subaccount has another ${nounOf(object.kind)} ${name}`;
}

/**
 * What users can do about a deletion that fails because credentials are missing or refused: text that follows the cause.
 * Empty for other objects and errors.
 */
function deletionRemedy(object: ServiceResource, error: unknown): string {
  if (!wasDeleted(object)) return '';
  const missing = findCause(error, MissingCredentialsError);
  if (missing === undefined && kindOf(error) !== 'auth') return '';
  const { kind, status } = object;
  const subaccount = status?.subaccountID ? `subaccount ${status.subaccountID}` : 'its subaccount';
  const isOfOthers = findCause(error, OtherCredentialsError) !== undefined;
  const repair =
    missing === undefined
      ? isOfOthers
        ? `Restore the credentials of ${subaccount}`
        : 'Correct the credentials'
      : nameProblem(missing.proposed.name, 'a Secret') !== undefined
        ? 'Correct spec.btpAccessCredentialsSecret'
        : `Create the Secret ${keyString(missing.proposed)} with credentials of ${subaccount}`;
  return `. ${repair}, or annotate the ${kind} with ${deletionPolicyAnnotation}=Orphan to leave the ${nounOf(kind)} in Service Manager`;
}
