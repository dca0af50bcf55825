import type {
  ClusterConfigsTable,
  ClusterStatusesTable,
  ClustersTable,
  RuntimesTable,
} from './inventory-tables.ts';
import type {
  OperationsTable,
  ReconciliationsTable,
  RolloutsTable,
  WorkerPoolOccupancyTable,
} from './scheduler-tables.ts';

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
