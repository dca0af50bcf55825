/**
 * The inventory: immutable versions of clusters, of their configurations and of their statuses. Rows are only appended, and
 * marked as deleted. `runtimes` has the current state of each registered cluster, and is the only one that is updated.
 */
import type { Generated } from 'kysely';
import type { CreatedTime, Json, Sequence, Time } from './columns.ts';

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
export interface ClusterConfigsTable {
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
export interface ClusterStatusesTable {
  readonly id: Sequence;
  readonly runtime_id: string;
  readonly cluster_version: number;
  readonly config_version: number;
  readonly status: ClusterStatus;
  deleted: Generated<boolean>;
  readonly created: CreatedTime;
}
