import type { DeleteStrategy } from '../../operations/operation.ts';

export type { DeleteStrategy };

/** Settings of scheduling. Times are in ms. Defaults: `defaultSettings`. */
export interface Settings {
  /** Name of this process in claims; the host name. */
  readonly processName: string;
  /** Calls of component reconcilers at the same moment. */
  readonly workers: number;
  /** Operations of one reconciliation that may be in progress at the same moment. */
  readonly maxParallel: number;
  /** The same for a component over all clusters; components that are not named have no limit. */
  readonly maxParallelByComponent: Readonly<Record<string, number>>;
  /** Attempts of a component reconciler before an operation ends in `error`. */
  readonly maxOperationRetries: number;
  /** Runs that fail before a cluster ends in `error`, and in `delete_error`. */
  readonly maxReconcileErrors: number;
  readonly maxDeleteErrors: number;
  /** Time without a sign of life after which an operation is sent again. */
  readonly orphanTimeoutMs: number;
  /** Time from a result of a cluster to its next run; at most 20 % later. */
  readonly reconcileIntervalMs: number;
  /** Backstops, for notifications that were lost. */
  readonly watchIntervalMs: number;
  readonly dispatchIntervalMs: number;
  readonly bookkeeperIntervalMs: number;
  readonly cleaner: CleanerSettings;
  readonly sequence: SequenceSettings;
  /** URL of the component reconciler by component; `base` serves those that are not named. */
  readonly reconcilers: Readonly<Record<string, string>>;
  /** Time for a component reconciler to answer. */
  readonly callTimeoutMs: number;
  /** Begins callback URLs: `scheme://host:port`. */
  readonly callbackBaseUrl: string;
  readonly rollouts: RolloutSettings;
}

export interface CleanerSettings {
  readonly intervalMs: number;
  /** Reconciliations older than this are removed, if `keepLatest` is 0. */
  readonly purgeOlderThanMs: number;
  /** Reconciliations of a cluster that are kept, besides failed ones; 0: `purgeOlderThanMs` holds. */
  readonly keepLatest: number;
  readonly maxReconciliationAgeDays: number;
  /** Age of statuses and deleted clusters that are removed; 0: none. */
  readonly maxInventoryAgeDays: number;
  /** Statuses that one statement removes. */
  readonly statusBatchSize: number;
  /** Statuses of a cluster that are kept, and their age: what no reconciliation refers to, and a newer one has replaced, is removed. */
  readonly keepStatuses: number;
  readonly maxStatusAgeMs: number;
}

export interface SequenceSettings {
  /** Groups of components that come before all others, in this order. */
  readonly preComponents: readonly (readonly string[])[];
  readonly deleteStrategy: DeleteStrategy;
  /** Components that are never sent, from `SKIP_COMPONENT_…`: in lower case, with hyphens. */
  readonly skippedComponents: readonly string[];
  /** Those of these components of a cluster that something else manages: they are left out. */
  readonly isMigrated?: (runtimeId: string, components: readonly string[]) => Promise<ReadonlySet<string>>;
}

/** When a rollout pauses: both must hold for the clusters of one version or component with a result in the last hour. */
export interface RolloutSettings {
  readonly minClusters: number;
  readonly maxFailedPercent: number;
}

const MINUTE = 60_000;

/** What the flags have as defaults. */
export const defaultSettings = {
  workers: 50,
  maxParallel: 25,
  maxParallelByComponent: {},
  maxOperationRetries: 5,
  maxReconcileErrors: 150,
  maxDeleteErrors: 15,
  orphanTimeoutMs: 10 * MINUTE,
  reconcileIntervalMs: 5 * MINUTE,
  watchIntervalMs: MINUTE,
  dispatchIntervalMs: 30_000,
  bookkeeperIntervalMs: 45_000,
  cleaner: {
    intervalMs: 14 * 60 * MINUTE,
    purgeOlderThanMs: 14 * 24 * 60 * MINUTE,
    keepLatest: 0,
    maxReconciliationAgeDays: 0,
    maxInventoryAgeDays: 0,
    statusBatchSize: 200,
    keepStatuses: 1000,
    maxStatusAgeMs: 14 * 24 * 60 * MINUTE,
  },
  callTimeoutMs: 30_000,
  rollouts: { minClusters: 20, maxFailedPercent: 15 },
} as const satisfies Partial<Settings>;
