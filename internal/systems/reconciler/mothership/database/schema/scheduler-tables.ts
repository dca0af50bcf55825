/** Reconciliations and their operations: the queue of the mothership. Rows change until they are final. */
import type { Generated } from 'kysely';
import type { CreatedTime, Json, Time } from './columns.ts';
import type { ClusterStatus } from './inventory-tables.ts';

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
export interface WorkerPoolOccupancyTable {
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
