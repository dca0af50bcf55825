import type { ClusterStatus } from './cluster-status.ts';
import type { Operation } from './reconciliation.ts';

/** What operators look at first, over all clusters. Each method is one statement whose result is bounded. */
export interface Overview {
  /** Registered clusters by status; those without a cluster are left out. */
  statuses(): Promise<{ readonly status: ClusterStatus; readonly clusters: number }[]>;
  /** Registered clusters by version of Kyma, the most frequent first. */
  versions(): Promise<VersionCount[]>;
  /** Operations at component reconcilers, the oldest first, and how many there are. */
  running(): Promise<{ readonly count: number; readonly operations: readonly RunningOperation[] }>;
  /** What failed in the last runs of clusters, the most frequent first. */
  failures(): Promise<FailureGroup[]>;
}

export interface VersionCount {
  readonly kymaVersion: string;
  readonly clusters: number;
  /** Those whose last run failed. */
  readonly failedClusters: number;
}

export type RunningOperation = Pick<
  Operation,
  | 'runtimeId'
  | 'schedulingId'
  | 'correlationId'
  | 'component'
  | 'type'
  | 'state'
  | 'reason'
  | 'attempts'
  | 'retries'
  | 'progress'
> & { readonly since: Date };

/** Failures of one component with one reason on clusters of one version. */
export interface FailureGroup {
  readonly component: string;
  readonly kymaVersion: string;
  readonly reason: string;
  readonly clusters: number;
  /** Some of them. */
  readonly runtimeIds: readonly string[];
  /** When the first of them is scheduled again; undefined: none is. */
  readonly nextRun: Date | undefined;
}
