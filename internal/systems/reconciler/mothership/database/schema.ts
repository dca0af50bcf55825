import type { ColumnType, Generated } from 'kysely';

/** A point in time with its zone (`timestamptz`), so that zones of program and database never matter. */
type Time = ColumnType<Date, Date | string, Date | string>;

/** A point in time that the database sets when the row is inserted. */
type CreatedTime = ColumnType<Date, Date | undefined, never>;

/** A `jsonb` column: read as a value, written as JSON text (drivers would write an array as one of Postgres). */
type Json<T> = ColumnType<T, string, string>;

/** A number from a sequence. It may be given, which the migration from the Go program does. */
type Sequence = Generated<number>;

// The inventory: immutable versions of clusters, of their configurations and of their statuses. Rows are only appended, and
// marked as deleted. `runtimes` has the current state of each registered cluster, and is the only one that is updated.

/** Statuses of a cluster, in the order of their ids in metrics. */
export const CLUSTER_STATUSES = [
  'error',
  'ready',
  'reconcile_pending',
  'reconciling',
  'reconcile_disabled',
  'delete_pending',
  'deleting',
  'delete_error',
  'deleted',
  'reconcile_error_retryable',
  'delete_error_retryable',
] as const;
export type ClusterStatus = (typeof CLUSTER_STATUSES)[number];

/** `upgrade`: a change of a cluster that was ready, which a paused rollout holds back. */
export type PendingCause = 'registration' | 'upgrade' | 'deletion' | 'operator';

/** The current state of a registered cluster: one row for each runtime, removed when the cluster is deleted. */
export interface RuntimesTable {
  readonly runtime_id: string;
  cluster_version: number;
  config_version: number;
  status_id: number;
  status: ClusterStatus;
  /** When the current status was stored. */
  status_since: Time;
  /** Kyma version of the current configuration. */
  kyma_version: string;
  /** Name and plan, for labels of metrics. */
  runtime_name: string;
  global_account_id: string;
  /** Whose share of every limit it takes. */
  tenant: Generated<string>;
  plan_name: string;
  /** Errors since the last `ready` or `deleted` of the current configuration; the limit of retries counts them. */
  error_count: Generated<number>;
  /** Not scheduled before this time: backoff after errors, spread of periodic runs. `null`: at once. */
  next_run_at: Time | null;
  /** Whether the scheduler found it due while a paused rollout held it back; until its status changes, or a rollout is resumed. */
  held: Generated<boolean>;
  /** Names of the components of the current configuration. */
  components: Json<readonly string[]>;
  /** Why the cluster is pending; `null` if it is not. */
  pending_cause: PendingCause | null;
  /** When the last run of the current configuration ended; `null`: none has. */
  last_result_at: Time | null;
  last_failed: Generated<boolean>;
  /** Components that failed in the last run. */
  failed_components: Json<readonly string[]>;
  /** First registration of this runtime. */
  readonly created: CreatedTime;
}

/** A version of a cluster. */
export interface ClustersTable {
  readonly version: Sequence;
  readonly runtime_id: string;
  readonly runtime: Json<Readonly<Record<string, unknown>>>;
  readonly metadata: Json<Readonly<Record<string, unknown>>>;
  /** Encrypted. `null`: it is in the Secret `kubeconfig-<runtime id>`. */
  kubeconfig: string | null;
  /** Id of the key that encrypted `kubeconfig`. */
  kubeconfig_key: string | null;
  readonly contract: number;
  deleted: Generated<boolean>;
  readonly created: CreatedTime;
}

/** A version of the configuration of a cluster version. */
interface ClusterConfigsTable {
  readonly version: Sequence;
  readonly runtime_id: string;
  readonly cluster_version: number;
  readonly kyma_version: string;
  readonly kyma_profile: string | null;
  /** Encrypted JSON: configuration of components may be secret. */
  components: string;
  components_key: string;
  readonly administrators: Json<readonly string[]>;
  readonly contract: number;
  deleted: Generated<boolean>;
  readonly created: CreatedTime;
}

/** A status that a configuration had. */
interface ClusterStatusesTable {
  readonly id: Sequence;
  readonly runtime_id: string;
  readonly cluster_version: number;
  readonly config_version: number;
  readonly status: ClusterStatus;
  deleted: Generated<boolean>;
  readonly created: CreatedTime;
}

// Reconciliations and their operations: the queue of the mothership. Rows change until they are final.

export const OPERATION_STATES = [
  'new',
  'in_progress',
  'failed',
  'client_error',
  'orphan',
  'done',
  'error',
] as const;
export type OperationState = (typeof OPERATION_STATES)[number];

export type OperationType = 'reconcile' | 'delete';

/** One run over the components of a cluster. A runtime has at most one that is not finished. */
export interface ReconciliationsTable {
  readonly scheduling_id: string;
  readonly runtime_id: string;
  readonly cluster_version: number;
  readonly config_version: number;
  /** The status that the run set: first `reconciling` or `deleting`, at the end its result. */
  config_status_id: number;
  readonly type: OperationType;
  readonly kyma_version: string;
  /** Rank in the queue, small first: new and deleted clusters before periodic runs. */
  readonly rank: Generated<number>;
  status: ClusterStatus;
  finished: Generated<boolean>;
  /** Operations of this run that may be in progress at the same time; `null`: as configured. */
  readonly max_parallel: number | null;
  /** Why it ended as it did, in one line. */
  reason: string | null;
  readonly created: CreatedTime;
  updated: Generated<Date>;
  finished_at: Time | null;
}

/** One component in a reconciliation. */
export interface OperationsTable {
  readonly scheduling_id: string;
  readonly correlation_id: string;
  readonly runtime_id: string;
  /** That of the cluster when the run began; empty: it began before tenants were stored. */
  readonly tenant: Generated<string>;
  readonly cluster_version: number;
  readonly config_version: number;
  readonly component: string;
  readonly type: OperationType;
  /** Group in the sequence, from 1. Operations of one group may run at the same time. */
  readonly priority: number;
  /** Rank of its reconciliation, or a higher one if the tenant has very many: the queue is one index. */
  readonly rank: Generated<number>;
  state: OperationState;
  reason: string | null;
  /** Whether its group has its turn: only then it may be claimed. */
  released: Generated<boolean>;
  /** Whether its run has ended, which the database keeps equal to the run: an operation of such a run is never open. */
  readonly finished: Generated<boolean>;
  /**
   * Of one in progress: whether its task was sent, or may have been. Until then it is claimed: its lease is a short one of the
   * process that claimed it, which renews it.
   */
  sent: Generated<boolean>;
  /** Times it was sent to a component reconciler. */
  attempts: Generated<number>;
  /** Not sent before this time. */
  next_attempt_at: Generated<Date>;
  /** Name of the process that claimed it. */
  picked_by: string | null;
  /** First claim. */
  picked_up: Time | null;
  /** Until then nothing else may send it: renewed by its process, then by each callback. `null`: nothing has claimed it. */
  lease_until: Time | null;
  /** Grows with each claim. A callback must carry the current one. */
  fencing_token: Generated<number>;
  /** Id of the encryption key that signed the token of the current attempt; `null`: not known. */
  token_key: string | null;
  /** Attempts of the component reconciler: the number of different retry ids. */
  retries: Generated<number>;
  retry_id: string;
  /** Last call back. */
  heartbeat_at: Time | null;
  /** What the component reconciler reported last, bounded. */
  progress: Json<unknown> | null;
  /** In ms, as the component reconciler reported it. */
  processing_duration: Generated<number>;
  /** Configuration of artificial components, e.g. the strategy of the deletion. */
  parameters: Json<Readonly<Record<string, unknown>>> | null;
  debug: Generated<boolean>;
  readonly created: CreatedTime;
  updated: Generated<Date>;
}

/** How many workers a pool has, and how many of them are busy. */
interface WorkerPoolOccupancyTable {
  readonly worker_pool_id: string;
  readonly component: string;
  running_workers: number;
  readonly worker_pool_capacity: number;
  readonly created: CreatedTime;
  updated: Generated<Date>;
}

/** A rollout that was paused, of a Kyma version or of a component. */
export interface RolloutsTable {
  readonly id: string;
  readonly kind: 'version' | 'component';
  readonly name: string;
  /** Whose clusters it holds back; empty: those of all. */
  readonly tenant: Generated<string>;
  readonly reason: string;
  readonly clusters: number;
  readonly failed_clusters: number;
  readonly paused_at: CreatedTime;
  resumed_at: Time | null;
  resumed_by: string | null;
}

/** The Postgres schema that has all tables of the mothership; those of the Go program are in `public`. */
export const SCHEMA = 'mothership';

/** Tables of the mothership, as `migrations/` makes them. */
export interface Schema {
  readonly runtimes: RuntimesTable;
  readonly clusters: ClustersTable;
  readonly cluster_configs: ClusterConfigsTable;
  readonly cluster_statuses: ClusterStatusesTable;
  readonly reconciliations: ReconciliationsTable;
  readonly operations: OperationsTable;
  readonly rollouts: RolloutsTable;
  readonly worker_pool_occupancy: WorkerPoolOccupancyTable;
}
