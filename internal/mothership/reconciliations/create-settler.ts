import { createBatcher } from '../database/create-batcher.ts';
import type { Store } from '../database/store.ts';
import type { OperationChange } from './change-operations.ts';
import type { ChangeContext } from './context.ts';
import type { OperationRow } from './rows.ts';
import { settleOperations } from './settle-operations.ts';

/** Settles one operation, as `settleOperations` does. */
export type Settle = (change: OperationChange) => Promise<OperationRow | undefined>;

/** Settles operations that end at the same time in one transaction. */
export const createSettler = (store: Store, context: ChangeContext): Settle =>
  createBatcher({
    keyOf: ({ correlationId }) => correlationId,
    run: (changes) => settleOperations(store, changes, context),
  });
