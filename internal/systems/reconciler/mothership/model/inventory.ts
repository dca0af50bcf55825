import type {
  ClusterDocument,
  ClusterState,
  ClusterStatus,
  StatusChange,
  VersionedStatus,
} from './cluster.ts';

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
  /** The newest configurations that a cluster had, newest first; values of secret entries are masked. */
  configurations(runtimeId: string): Promise<ConfigurationVersion[]>;
  /** Registered clusters, so many of each tenant and in sum, the oldest first. */
  all(bounds: ClusterBounds): Promise<RuntimeSummary[]>;
  /** Registered clusters, and those of them whose last run failed. */
  totals(): Promise<{ readonly clusters: number; readonly failed: number }>;
  /** A page of registered clusters. */
  list(selection: ClusterSelection): Promise<ClusterPage>;
  /** Clusters that wait for a run, and those whose last run failed or that are deleted. */
  counts(): Promise<{ readonly waiting: number; readonly notReady: number }>;
}

export interface ClusterBounds {
  readonly perTenant: number;
  readonly limit: number;
}

/** Conditions that all hold; those that are undefined hold always. */
export interface ClusterSelection {
  readonly statuses?: readonly ClusterStatus[];
  readonly kymaVersions?: readonly string[];
  /** The runtime id begins with it. */
  readonly prefix?: string;
  /** The runtime id or the name is this text. */
  readonly cluster?: string;
  /** The runtime id, the name, the Shoot or the global account contains it, in any case. */
  readonly search?: string;
  readonly group?: ClusterGroup;
  /** Their configuration has this component. */
  readonly component?: string;
  /** The runtime id comes after it. */
  readonly after?: string;
  /**
   * Ordered by what needs attention, without so many at the beginning: failing clusters, held ones, those that are worked on, and then
   * all others; each by their names. Default: ordered by runtime ids.
   */
  readonly offset?: number;
  /** At most so many. */
  readonly limit: number;
}

/**
 * What an operator has to do about a cluster: `held` by a paused rollout; `disabled` by an operator; `failing`, if its last run failed,
 * also while it is tried again; `working`; or `ready`.
 */
export const CLUSTER_GROUPS = ['ready', 'working', 'failing', 'held', 'disabled'] as const;
export type ClusterGroup = (typeof CLUSTER_GROUPS)[number];

export interface ClusterPage {
  readonly clusters: readonly ListedCluster[];
  /** Of all pages; only with an offset. */
  readonly total?: number;
}

export interface ConfigurationVersion {
  readonly version: number;
  readonly created: Date;
  /** What differs from the version before; empty for the first one. */
  readonly changes: readonly ConfigurationChange[];
}

export interface ConfigurationChange {
  /** `version`, `profile`, `administrators`, a component, one of its fields, or `component: key` of its configuration. */
  readonly field: string;
  /** Empty if it was not there. */
  readonly before: string;
  readonly after: string;
}

/** A cluster in a list. */
export interface ListedCluster extends RuntimeSummary {
  /** Runs that failed since the last one that did not. */
  readonly errors: number;
  /** When it is scheduled again at the earliest; undefined: at once, or not at all. */
  readonly nextRun: Date | undefined;
  /** Whether a paused rollout holds back a run that is due. */
  readonly held: boolean;
  readonly group: ClusterGroup;
  /** Empty if it is not known. */
  readonly shootName: string;
  /** Components that failed in the last run. */
  readonly failedComponents: readonly string[];
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
