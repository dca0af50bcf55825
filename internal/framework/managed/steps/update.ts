import { messageOf } from '../../base/errors/errors.ts';
import { isRefusedByGuard } from '../../controller/reconcile/handle-error.ts';
import type { Operation } from '../changelog/change-entry.ts';
import type { ConnectionDetails } from '../connection/connection-publisher.ts';
import type { ExternalClient, ExternalResult, ReconcileContext } from '../kind/external-client.ts';
import { setConditions, updateFailed, updateRequested } from '../resource/conditions.ts';
import type { Managed } from '../resource/managed.ts';
import { storeSetAnnotations } from './critical-annotations.ts';
import { failures, step } from './messages/failures.ts';
import { messageUpdated, reasonCannotUpdateManaged, reasonUpdated } from './messages/messages.ts';
import type { Reconciliation } from './reconciliation.ts';
import { noteRefusal, recalledRefusal } from './report.ts';

/**
 * Performs an external write. Logs the attempt and sends it to the change log, failed attempts included, since they
 * may have changed something. A write that was refused before its call is not logged.
 */
export async function changeExternal<R extends Managed>(
  { calls, changes, clock, log }: Reconciliation<R>,
  operation: Operation,
  call: (ctx: ReconcileContext) => Promise<ExternalResult>,
): Promise<ExternalResult> {
  let begun = false;
  const startedAt = clock.monotonic();
  const durationMs = () => Math.round(clock.monotonic() - startedAt);
  try {
    const result = await calls.write(operation, (ctx) => {
      begun = true;
      return call(ctx);
    });
    const { additionalDetails } = result;
    log.info('external resource changed', { operation, durationMs: durationMs() });
    changes.attempted(operation, additionalDetails === undefined ? {} : { additionalDetails });
    return result;
  } catch (error) {
    if (begun) {
      const fields = { operation, durationMs: durationMs(), error: messageOf(error) };
      log.info('cannot change the external resource', fields);
      changes.attempted(operation, { error });
    }
    throw error;
  }
}

/** What a failed write leaves to be stored. That it cannot be stored does not hide the failure. */
export async function afterFailure<R extends Managed>(
  { log, events }: Reconciliation<R>,
  store: () => Promise<void>,
): Promise<void> {
  try {
    await store();
  } catch (error) {
    log.info('cannot store the annotations of a failed write', { error: messageOf(error) });
    events.record('Warning', reasonCannotUpdateManaged, messageOf(error));
  }
}

/**
 * Updates the external resource.
 *
 * @param diff the difference, for the condition
 */
export async function updateExternal<R extends Managed>(
  reconciliation: Reconciliation<R>,
  client: ExternalClient<R>,
  diff: string | undefined,
): Promise<void> {
  const { copy, clock, signal, memory, timings } = reconciliation;
  let details: ConnectionDetails | undefined;
  try {
    details = (await step(failures.update, () => attemptUpdate(reconciliation, client))).connectionDetails;
  } catch (failure) {
    if (!isRefusedByGuard(failure)) {
      await afterFailure(reconciliation, () => storeSetAnnotations(copy, reconciliation));
      setConditions(copy.object, clock, updateFailed(diff));
    }
    throw failure;
  }
  // The next Observe compares with what they say was sent.
  await step(failures.recordUpdated, () => storeSetAnnotations(copy, reconciliation));
  timings.updated(memory, copy.object);
  setConditions(copy.object, clock, updateRequested(diff));
  await step(failures.publishUpdated, () =>
    reconciliation.publisher.publish(copy.object, details ?? {}, signal),
  );
  reconciliation.events.record('Normal', reasonUpdated, messageUpdated);
}

async function attemptUpdate<R extends Managed>(
  reconciliation: Reconciliation<R>,
  client: ExternalClient<R>,
): Promise<ExternalResult> {
  const { copy, calls, guard } = reconciliation;
  const refusal = recalledRefusal(reconciliation, 'update');
  if (refusal !== undefined) throw refusal;
  try {
    calls.begin();
    await guard.beforeWrite();
    return await changeExternal(reconciliation, 'update', (ctx) => client.update(copy.object, ctx));
  } catch (error) {
    noteRefusal(reconciliation, 'update', error);
    throw error;
  }
}
