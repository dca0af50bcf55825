import type { ClusterStatus } from './cluster-status.ts';
import type { EndedOperation } from './reconciliation.ts';

/** Is told what this process did, after it was committed; for metrics. Must not throw. */
export interface Observer {
  /** An operation ended as `done` or `error`. */
  operationEnded?(operation: EndedOperation): void;
  /** A reconciliation ended with this status. */
  reconciliationEnded?(result: ClusterStatus): void;
  /** Workers of this process that are busy. */
  workersChanged?(running: number, size: number): void;
}
