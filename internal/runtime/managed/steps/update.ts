import type { ConnectionDetails } from '../../connection/connection-publisher.ts';
import { setConditions, updateFailed, updateRequested } from '../../resource/conditions.ts';
import type { Managed } from '../../resource/managed.ts';
import type { ExternalClient, Result } from '../kind/external-client.ts';
import { changeExternal } from './change-external.ts';
import { failures, step } from './failures.ts';
import type { Pass } from './pass.ts';
import { isRefusedByGuard } from './report.ts';
import { messageUpdated, reasonUpdated } from './words.ts';

/**
 * Brings the external resource to what is asked.
 *
 * @param diff what is asked for and not there
 */
export async function updateExternal<R extends Managed>(
  pass: Pass<R>,
  client: ExternalClient<R>,
  diff: string | undefined,
): Promise<void> {
  const { copy, clock, signal, key, timings } = pass;
  let details: ConnectionDetails | undefined;
  try {
    details = (await step(failures.update, () => attemptUpdate(pass, client))).connectionDetails;
  } catch (failure) {
    if (!isRefusedByGuard(failure)) setConditions(copy.object, clock, updateFailed(diff));
    throw failure;
  }
  timings.updated(key, copy.object);
  setConditions(copy.object, clock, updateRequested(diff));
  await step(failures.publishUpdated, () => pass.publisher.publish(copy.object, details ?? {}, signal));
  pass.events.record('Normal', reasonUpdated, messageUpdated);
}

async function attemptUpdate<R extends Managed>(pass: Pass<R>, client: ExternalClient<R>): Promise<Result> {
  const { copy, key, refusals } = pass;
  const refusal = refusals.recall(key, 'update', copy.object);
  if (refusal !== undefined) throw refusal;
  try {
    await pass.guard.beforeWrite();
    return await changeExternal(pass, 'update', (ctx) => client.update(copy.object, ctx));
  } catch (error) {
    refusals.note(key, 'update', copy.object, error);
    throw error;
  }
}
