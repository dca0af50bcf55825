/** What observers are told after a transaction is committed. */
import { isFinal } from '../model/reconciliation.ts';
import type { ChangeContext } from './context.ts';
import type { Ended } from './finish-reconciliation.ts';
import { type OperationRow, operationOf } from './rows.ts';

export function reportOperation(row: OperationRow, { observers }: ChangeContext): void {
  if (!isFinal(row.state)) return;
  for (const { operationEnded } of observers) operationEnded?.(operationOf(row));
}

export function reportEnded({ runtimeId, result }: Ended, { observers, log }: ChangeContext): void {
  log.info('reconciliation ended', { runtimeId, result });
  for (const { reconciliationEnded } of observers) reconciliationEnded?.(result);
}
