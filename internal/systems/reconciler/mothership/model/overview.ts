import type { ClusterStatus } from './cluster.ts';
import type { ClusterGroup } from './inventory.ts';
import type { Operation } from './reconciliation.ts';

/** What operators look at first, over all clusters. Each method is one statement whose result is bounded. */
export interface Overview {
  /** Registered clusters by status, group, version and component. */
  counts(): Promise<ClusterCounts>;
  /** Operations at component reconcilers, the oldest first, and how many there are. */
  running(): Promise<{ readonly count: number; readonly operations: readonly RunningOperation[] }>;
  /** What failed in the last runs of clusters, and attempts that fail now; causes of the most clusters first. */
  failures(): Promise<FailureGroup[]>;
  /** Runs that ended in a time until now. */
  history(window: HistoryWindow): Promise<HistoryBucket[]>;
  /** Work of component reconcilers. */
  load(): Promise<ComponentLoad[]>;
  /** A text that differs after any change of clusters, runs, operations in progress, rollouts and busy workers. */
  state(): Promise<string>;
}

/** Statuses, groups, versions and components without a cluster are left out. */
export interface ClusterCounts {
  readonly statuses: readonly { readonly status: ClusterStatus; readonly clusters: number }[];
  /** By what needs attention. */
  readonly groups: readonly { readonly group: ClusterGroup; readonly clusters: number }[];
  /** The most frequent first. */
  readonly versions: readonly VersionCount[];
  /** Those with the most failures first. */
  readonly components: readonly ComponentCount[];
}

export interface VersionCount {
  readonly kymaVersion: string;
  readonly clusters: number;
  /** Those whose last run failed. */
  readonly failedClusters: number;
}

export type RunningOperation = Pick<
  Operation,
  | 'runtime_id'
  | 'scheduling_id'
  | 'correlation_id'
  | 'component'
  | 'type'
  | 'state'
  | 'reason'
  | 'attempts'
  | 'retries'
  | 'progress'
> & { readonly runtimeName: string; readonly since: Date };

export interface ComponentCount {
  readonly component: string;
  readonly clusters: number;
  /** Those on which it failed in the last run. */
  readonly failedClusters: number;
}

/** Failures of one component for one cause, on clusters of one version. */
export interface FailureGroup {
  readonly component: string;
  readonly kymaVersion: string;
  /** Of one of the clusters. Reasons that differ in numbers and ids only are one cause. */
  readonly reason: string;
  readonly clusters: number;
  /** Those whose run is in progress, and whose attempt failed just now. */
  readonly retrying: number;
  /** Some of them, by their names. */
  readonly named: readonly { readonly runtimeId: string; readonly runtimeName: string }[];
  /** When the first of these runs began; undefined: it is not known. */
  readonly since: Date | undefined;
  /** When the first of them is tried again; undefined: none is. */
  readonly nextRun: Date | undefined;
}

export const HISTORY_WINDOWS = ['hour', 'day', 'week'] as const;
export type HistoryWindow = (typeof HISTORY_WINDOWS)[number];

/** Runs that ended within an interval. */
export interface HistoryBucket {
  readonly start: Date;
  /** How many ended in `ready`, with an error, and with the deletion of the cluster. */
  readonly ready: number;
  readonly failed: number;
  readonly deleted: number;
  /** Time of the runs that ended in `ready`, in ms; undefined if there are none. */
  readonly p50Ms: number | undefined;
  readonly p95Ms: number | undefined;
}

/** What a component reconciler has to do. */
export interface ComponentLoad {
  readonly component: string;
  /** Operations that may be sent now, and those that are in progress. */
  readonly waiting: number;
  readonly running: number;
  /** Time of its last operations, in ms; undefined if there are none. */
  readonly p50Ms: number | undefined;
  readonly p95Ms: number | undefined;
  /** Workers of its pools, and those that are busy; undefined: they report none. */
  readonly workers: number | undefined;
  readonly busyWorkers: number | undefined;
}
