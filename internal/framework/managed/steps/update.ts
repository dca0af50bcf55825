import { isRefusedByGuard } from '../../controller/reconcile/handle-error.ts';
import type { ConnectionDetails } from '../connection/connection-publisher.ts';
import type { ExternalClient, ExternalResult } from '../kind/external-client.ts';
import { setConditions, updateFailed, updateRequested } from '../resource/conditions.ts';
import type { Managed } from '../resource/managed.ts';
import { changeExternal } from './change-external.ts';
import { failures, step } from './messages/failures.ts';
import { messageUpdated, reasonUpdated } from './messages/messages.ts';
import type { Reconciliation } from './reconciliation.ts';
import { noteRefusal, recalledRefusal } from './refusals.ts';

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
    if (!isRefusedByGuard(failure)) setConditions(copy.object, clock, updateFailed(diff));
    throw failure;
  }
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
