import { messageOf } from '../../base/errors/errors.ts';
import type { Operation } from '../changelog/change-entry.ts';
import type { ExternalResult, ReconcileContext } from '../kind/external-client.ts';
import type { Managed } from '../resource/managed.ts';
import type { Reconciliation } from './reconciliation.ts';

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
