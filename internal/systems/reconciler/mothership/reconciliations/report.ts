/** What observers are told after a transaction is committed. */
import { isFinal } from '../model/reconciliation.ts';
import type { ChangedOperation } from './change-operations.ts';
import type { ChangeContext } from './context.ts';
import type { Ended } from './finish-reconciliation.ts';

export function reportOperation(operation: ChangedOperation, { observers }: ChangeContext): void {
  if (!isFinal(operation.state)) return;
  const { reason, claimedMs } = operation;
  const ended = { ...operation, reason: reason ?? undefined, claimedMs: claimedMs ?? undefined };
  for (const { operationEnded } of observers) operationEnded?.(ended);
}

export function reportEnded({ runtimeId, result }: Ended, { observers, log }: ChangeContext): void {
  log.info('reconciliation ended', { runtimeId, result });
  for (const { reconciliationEnded } of observers) reconciliationEnded?.(result);
}
