/**
 * The order in which the components of a cluster are reconciled. Pure functions without a database, for whatever runs a
 * sequence of components.
 */
import type { DeleteStrategy, OperationState, OperationType } from './operation.ts';

/** Installs the custom resource definitions, before everything else. */
const CRDS = 'CRDs';
/** Removes what a deletion would leave. */
const CLEANER = 'cleaner';
/** The namespace of both. */
export const ARTIFICIAL_NAMESPACE = 'default';

export interface PlanInput {
  /** Names of the components. */
  readonly components: readonly string[];
  readonly type: OperationType;
  /** Groups of components that come before all others, in this order. */
  readonly preComponents: readonly (readonly string[])[];
  readonly deleteStrategy: DeleteStrategy;
  /** Components that are left out. */
  readonly skipped?: ReadonlySet<string>;
}

export interface PlannedOperation {
  readonly component: string;
  /** From 1. Operations of the same priority may run at the same time. */
  readonly priority: number;
  /** Configuration of an artificial component; undefined for those of the cluster. */
  readonly parameters?: Readonly<Record<string, unknown>>;
}

/** One operation for each component, by priority. */
export function planOperations({ type, deleteStrategy, ...input }: PlanInput): PlannedOperation[] {
  const groups = componentGroups(input);
  const cleaner = { component: CLEANER, parameters: { delete_strategy: deleteStrategy } };
  const sequence: Omit<PlannedOperation, 'priority'>[][] = [
    [{ component: CRDS, parameters: {} }],
    ...(type === 'delete' ? [[cleaner]] : []),
    ...groups.map((group) => group.map((component) => ({ component }))),
  ];
  return sequence.flatMap((group, index) =>
    group.map((operation) => ({ ...operation, priority: index + 1 })),
  );
}

/** The groups of pre-components that the cluster has, then all other components as one group. */
function componentGroups({
  components,
  preComponents,
  skipped = new Set(),
}: Pick<PlanInput, 'components' | 'preComponents' | 'skipped'>): string[][] {
  const rest = new Set(components.filter((name) => !skipped.has(name)));
  rest.delete(CRDS);
  rest.delete(CLEANER);
  const groups = preComponents.map((group) => group.filter((name) => rest.delete(name)));
  return [...groups, [...rest]].filter((group) => group.length > 0);
}

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
