/**
 * The order in which the components of a cluster are reconciled. Pure functions without a database, for whatever runs a
 * sequence of components.
 */
import type { DeleteStrategy, OperationType } from './operation.ts';

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
