import type { ClusterDocument, ClusterState, StatusChange, VersionedStatus } from './cluster.ts';
import type { ClusterStatus } from './cluster-status.ts';

/**
 * The clusters and their history. Versions are immutable; each change appends. Each method is one transaction.
 *
 * All methods that name a cluster throw RefusedError `not-found` if it is not registered.
 */
export interface Inventory {
  /**
   * Registers a cluster or changes it: new versions of what differs (the kubeconfig counts), and the status
   * `reconcile_pending`. A disabled cluster stays disabled. Equal registrations at the same moment make one version.
   *
   * @throws RefusedError `invalid` if runtime id or Kyma version are empty; `foreign` if a tenant names a cluster of another owner
   */
  upsert(document: ClusterDocument, contract: number): Promise<VersionedStatus>;
  /** Sets a status by hand. An equal one adds nothing. */
  setStatus(runtimeId: string, status: ClusterStatus): Promise<VersionedStatus>;
  /** Sets `delete_pending`, also of a disabled cluster. The cluster is removed when its components are deleted. */
  markForDeletion(runtimeId: string): Promise<VersionedStatus>;
  /** The current status, or the newest one of a configuration. */
  status(runtimeId: string, configVersion?: number): Promise<VersionedStatus>;
  /** The current configuration and status. */
  latest(runtimeId: string): Promise<ClusterState>;
  /** A configuration of a registered cluster, with its newest status. */
  at(runtimeId: string, configVersion: number): Promise<ClusterState>;
  /**
   * What a reconciliation or an operation works on; without ids, that of the newest operation. Found for deleted clusters
   * too, as long as their history is kept.
   */
  of(
    run: { readonly schedulingId: string } | { readonly correlationId: string } | undefined,
  ): Promise<ClusterState>;
  /** The statuses since `sinceMs` ago, newest first. @throws RefusedError `not-found` if there is none */
  statusChanges(runtimeId: string, sinceMs: number): Promise<StatusChange[]>;
  /** All registered clusters. */
  all(): Promise<RuntimeSummary[]>;
  /** Registered clusters in the order of their runtime ids. */
  list(selection: ClusterSelection): Promise<ListedCluster[]>;
  /** Clusters that wait for a run, and those whose last run failed or that are deleted. */
  counts(): Promise<{ readonly waiting: number; readonly notReady: number }>;
}

/** Conditions that all hold; those that are undefined hold always. */
export interface ClusterSelection {
  readonly statuses?: readonly ClusterStatus[];
  readonly kymaVersions?: readonly string[];
  /** The runtime id begins with it. */
  readonly prefix?: string;
  /** The runtime id comes after it. */
  readonly after?: string;
  /** At most so many. */
  readonly limit: number;
}

/** A cluster in a list. */
export interface ListedCluster extends RuntimeSummary {
  /** Runs that failed since the last one that did not. */
  readonly errors: number;
  /** When it is scheduled again at the earliest; undefined: at once, or not at all. */
  readonly nextRun: Date | undefined;
}

/** The current state of a cluster in short, for metrics and lists. */
export interface RuntimeSummary {
  readonly runtimeId: string;
  readonly runtimeName: string;
  readonly globalAccountId: string;
  readonly planName: string;
  readonly kymaVersion: string;
  readonly configVersion: number;
  readonly status: ClusterStatus;
  readonly statusSince: Date;
}
