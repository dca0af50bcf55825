import type { OperationState, OperationType } from './operation.ts';

/** What decides whether an operation has its turn. */
export interface SequencedOperation {
  readonly priority: number;
  readonly state: OperationState;
  readonly type: OperationType;
}

/** The status that a run gives its cluster. */
export type RunStatus = 'ready' | 'reconciling' | 'error' | 'deleted' | 'deleting' | 'delete_error';

/** Not at a component reconciler. */
const WAITING: ReadonlySet<OperationState> = new Set(['new', 'orphan']);
/** At a component reconciler, or expected to be. */
const RUNNING: ReadonlySet<OperationState> = new Set(['in_progress', 'failed', 'client_error']);
/** May be sent. */
const SENDABLE: ReadonlySet<OperationState> = new Set(['new', 'orphan', 'client_error']);

/**
 * The operations of one reconciliation that may be sent now. Groups run one after the other: by ascending priority, or by
 * descending priority in a deletion. A group with an error sends nothing more.
 *
 * @param maxParallel operations of the reconciliation that may run at the same time
 */
export function processable<T extends SequencedOperation>(
  operations: readonly T[],
  maxParallel: number,
): T[] {
  const group = currentGroup(operations);
  if (group.some(({ state }) => state === 'error')) return [];
  const running = group.filter(({ state }) => state === 'in_progress' || state === 'failed').length;
  return group.filter(({ state }) => SENDABLE.has(state)).slice(0, Math.max(0, maxParallel - running));
}

/** The first group that is not done; empty if all are. */
export function currentGroup<T extends SequencedOperation>(operations: readonly T[]): T[] {
  const open = operations.filter(({ state }) => state !== 'done').map(({ priority }) => priority);
  if (open.length === 0) return [];
  const turn = isDeletion(operations) ? Math.max(...open) : Math.min(...open);
  return operations.filter(({ priority, state }) => priority === turn && state !== 'done');
}

/** The status of the cluster that these operations of one reconciliation give. Without operations: `error`. */
export function resultOf(operations: readonly Omit<SequencedOperation, 'priority'>[]): RunStatus {
  const has = (states: ReadonlySet<OperationState>) => operations.some(({ state }) => states.has(state));
  const [failed, active, succeeded] = isDeletion(operations)
    ? (['delete_error', 'deleting', 'deleted'] as const)
    : (['error', 'reconciling', 'ready'] as const);
  if (has(new Set(['error'])) && !has(RUNNING)) return failed;
  if (has(RUNNING) || has(WAITING)) return active;
  return operations.length > 0 ? succeeded : failed;
}

/** Operations of a reconciliation all have the same type; a mixture is none of a deletion. */
function isDeletion(operations: readonly { readonly type: OperationType }[]): boolean {
  return operations.length > 0 && operations.every(({ type }) => type === 'delete');
}
