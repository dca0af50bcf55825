/** The statuses of a cluster, and what each of them means. */
import { CLUSTER_STATUSES, type ClusterStatus } from '../database/schema.ts';

export { CLUSTER_STATUSES, type ClusterStatus };

/** The value of the metric `reconciler_reconciliation_status`. */
export const statusId = (status: ClusterStatus): number => CLUSTER_STATUSES.indexOf(status);

/** Whether a text of a client is a status. */
export const isClusterStatus = (text: unknown): text is ClusterStatus =>
  CLUSTER_STATUSES.some((status) => status === text);

/** A reconciliation of the cluster runs. */
const isInProgress = (status: ClusterStatus): boolean => status === 'reconciling' || status === 'deleting';

/** The run failed, and the scheduler starts another one. */
const isRetryable = (status: ClusterStatus): boolean =>
  status === 'reconcile_error_retryable' || status === 'delete_error_retryable';

/** The status that clients see: a run that will be repeated is still in progress for them. */
export function shownStatus(status: ClusterStatus): ClusterStatus {
  if (status === 'reconcile_error_retryable') return 'reconciling';
  if (status === 'delete_error_retryable') return 'deleting';
  return status;
}

/** Statuses whose answer lists the failed operations. */
export const hasFailures = (status: ClusterStatus): boolean =>
  status === 'error' || status === 'delete_error' || isInProgress(status) || isRetryable(status);

/** The last run failed. */
export const FAILED = [
  'error',
  'reconcile_error_retryable',
  'delete_error',
  'delete_error_retryable',
] as const satisfies ClusterStatus[];

/** Scheduled at once. */
export const PENDING = ['reconcile_pending', 'delete_pending'] as const satisfies ClusterStatus[];
/** Counted by the metric `reconciler_reconciliation_not_ready_total`. */
export const NOT_READY = [
  'error',
  'reconcile_error_retryable',
  'deleting',
  'delete_error',
  'delete_error_retryable',
] as const satisfies ClusterStatus[];
