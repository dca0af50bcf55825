import { type Deps, messageOf } from '../../../framework/base/index.ts';
import {
  type ReconcileResult,
  requeue,
  requeueInProgress,
  step,
} from '../../../framework/controller/index.ts';
import { wasDeleted } from '../../../framework/kube/index.ts';
import { type Operation, parseOperationURL, ServiceManagerError } from '../service-manager/index.ts';
import { asyncErrorText } from '../status/messages.ts';
import type { StatusStore } from '../status/status-store.ts';
import { isGoneInServiceManager } from './delete-own.ts';
import { deletionSucceeded, removeFailedResource } from './deletion.ts';
import { scrubbed } from './report-failure.ts';
import { leftOfMoment, noOperation, operationTypeOf, operationURLOf, type Run, setStatus } from './run.ts';

/** What the end of an operation means for the object besides its conditions. */
interface PollOptions<T> {
  /** What follows a create or update that succeeded, when it is stored. */
  readonly afterChange: () => T;
  /** Called when an update failed or its operation is lost, or a deletion of a deleted object. */
  readonly onFailed?: (type: 'update' | 'delete' | undefined) => void;
}

type FailureOptions = Pick<PollOptions<unknown>, 'onFailed'>;

/** Polls the operation in the status. */
export async function poll<T>(run: Run, options: PollOptions<T>): Promise<ReconcileResult | T> {
  const { object, external, conditions, status, settings } = run;
  const type = operationTypeOf(object);
  const result = await step(type, async (): Promise<ReconcileResult | T | typeof ORPHAN> => {
    const operation = await operationAt(run, operationURLOf(object));
    if (operation === undefined) return lostOperation(run, options);
    switch (operation.state) {
      case 'pending':
      case 'in progress':
        if (operation.description) {
          conditions.inProgress(operation.type, await scrubbed(run, operation.description), { polled: true });
          await status.store();
        }
        return requeueInProgress(settings.pollIntervalMs);
      case 'failed':
        return operationFailed(run, operation, options);
      case 'succeeded': {
        if (type === 'delete') return deletionSucceeded(run);
        conditions.succeeded(operation.type, await external.onSucceeded(type));
        setStatus(object, noOperation);
        await status.store();
        return options.afterChange();
      }
      default:
        return operation.state satisfies never;
    }
  });
  // Its failures are not those of the operation, whose text stays in the condition.
  return result === ORPHAN ? removeFailedResource(run) : result;
}

/** Instead of a result: what a failed create left must be removed. */
const ORPHAN = 'orphan';

/** Undefined: Service Manager does not have it any more. */
async function operationAt(run: Run, url: string): Promise<Operation | undefined> {
  const { client, object, external, context } = run;
  if (parseOperationURL(url) === undefined) return undefined;
  const type = operationTypeOf(object);
  try {
    return await client.getOperation(url, context);
  } catch (error) {
    if (!(error instanceof ServiceManagerError)) throw error;
    const isLost = error.class === 'not-found' || error.class === 'gone';
    // Service Manager may fail to report a deletion that has ended, or forget it. The resource itself shows whether it has.
    const mayHaveEnded = type === 'delete' && (isLost || error.class === 'unclear' || error.status === 500);
    if (mayHaveEnded && (await isGoneInServiceManager(run, external.id())))
      return { state: 'succeeded', type };
    if (isLost) return undefined;
    throw error;
  }
}

/** The resource itself shows what became of it. An update is sent again. */
async function lostOperation(run: Run, options: FailureOptions): Promise<ReconcileResult | typeof ORPHAN> {
  const { object, external, conditions, status } = run;
  const type = operationTypeOf(object);
  if (type !== 'create') options.onFailed?.(type);
  else if ((await external.state()) !== 'ready')
    return operationFailed(run, { state: 'failed', type: 'create' }, options);
  else conditions.succeeded('create', await external.onSucceeded('create'));
  setStatus(object, noOperation);
  await status.store();
  return requeue;
}

async function operationFailed(
  run: Run,
  operation: Operation,
  { onFailed }: FailureOptions,
): Promise<ReconcileResult | typeof ORPHAN> {
  const { object, external, conditions, status } = run;
  const text = await scrubbed(run, external.failureText(operation) ?? asyncErrorText);
  conditions.operationFailed(operation.type, text, { polled: true });
  const type = operationTypeOf(object);
  if (type === 'create' || (type === 'delete' && !wasDeleted(object))) {
    await status.store();
    return ORPHAN;
  }
  setStatus(object, noOperation);
  onFailed?.(type);
  await status.store();
  return requeue;
}

/**
 * The first status of a create is of use only if users see it: it is stored while a call of this reconcile is in progress that
 * takes longer than a moment since the returned function was made: most service brokers answer a synchronous request in less, also when many
 * objects are created at once. Not more than once, and never beside another write.
 */
export function showProgress({
  status,
  context: { clock, log },
}: {
  readonly status: Pick<StatusStore, 'store'>;
  readonly context: Pick<Deps, 'clock' | 'log'>;
}): <T>(call: () => Promise<T>) => Promise<T> {
  const begunAt = clock.monotonic();
  let isShown = false;
  return async (call) => {
    if (isShown) return call();
    let storing: Promise<void> | undefined;
    const cancel = clock.after(Math.max(0, leftOfMoment(clock, begunAt)), () => {
      isShown = true;
      // A conflict or a lost object shows in the next write, which stores the result.
      storing = status.store().catch((error: unknown) => {
        log.debug('cannot store the progress', { error: messageOf(error) });
      });
    });
    try {
      return await call();
    } finally {
      cancel();
      await storing;
    }
  };
}
