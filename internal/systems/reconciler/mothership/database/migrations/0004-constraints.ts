import type { Migration } from './migration.ts';

const CLUSTER_STATUSES = `('error', 'ready', 'reconcile_pending', 'reconciling', 'reconcile_disabled', 'delete_pending',
  'deleting', 'delete_error', 'deleted', 'reconcile_error_retryable', 'delete_error_retryable')`;
const OPERATION_STATES = "('new', 'in_progress', 'failed', 'client_error', 'orphan', 'done', 'error')";

/**
 * What the program relies on is held by the database: the values of states, which rows belong together, and that no operation
 * of a run that has ended is open, i.e. can be claimed or is at a component reconciler. Columns for claims, limits and held clusters.
 */
export const constraints: Migration = {
  version: 4,
  name: 'constraints',
  statements: [
    // Nothing has read it.
    'alter table reconciliations drop column current_priority',

    // Rows that exist get the default without being rewritten; those of runs that have not ended are few.
    'alter table operations add column finished boolean not null default true',
    'alter table operations add column sent boolean not null default true',
    'alter table operations add column token_key text',
    `update operations o set finished = false from reconciliations r
      where r.scheduling_id = o.scheduling_id and not r.finished`,
    'alter table operations alter column finished set default false',
    'alter table operations alter column sent set default false',

    // Operations that were sent, or could be, though their run had ended: their callbacks are refused from now on.
    `update operations set released = false, lease_until = null,
        state = case when state in ('in_progress', 'failed', 'client_error') then 'orphan' else state end
      where finished and (released or state in ('in_progress', 'failed', 'client_error'))`,
    // The Go program stores any text.
    `update reconciliations set status = 'error' where status not in ${CLUSTER_STATUSES}`,
    `update operations set state = 'orphan' where state not in ${OPERATION_STATES}`,
    "update operations set type = 'reconcile' where type not in ('reconcile', 'delete')",
    // Runs of a deleted cluster whose removal had begun.
    `delete from reconciliations r
      where not exists (select 1 from cluster_configs k where k.version = r.config_version and k.cluster_version = r.cluster_version)`,

    `alter table cluster_statuses add check (status in ${CLUSTER_STATUSES})`,
    `alter table runtimes
      add check (status in ${CLUSTER_STATUSES}),
      add check (pending_cause in ('registration', 'upgrade', 'deletion', 'operator'))`,
    `alter table reconciliations
      add check (status in ${CLUSTER_STATUSES}),
      add check (type in ('reconcile', 'delete')),
      add constraint reconciliations_finished_pkey unique (scheduling_id, finished)`,
    `alter table operations
      add check (state in ${OPERATION_STATES}),
      add check (type in ('reconcile', 'delete')),
      add constraint operations_of_finished_runs
        check (not finished or state in ('done', 'error') or not released and state in ('new', 'orphan')),
      drop constraint operations_scheduling_id_fkey,
      add foreign key (scheduling_id, finished) references reconciliations (scheduling_id, finished)
        on update cascade on delete cascade`,

    // For limits of components, whose names may be written in any case.
    'drop index operations_running',
    "create index operations_running on operations (lower(component)) where state in ('in_progress', 'failed')",

    // Clusters that a paused rollout holds back are not in the indexes of those that are due.
    'alter table runtimes add column held boolean not null default false',
    'drop index runtimes_due',
    `create index runtimes_due on runtimes (next_run_at)
      where status in ('ready', 'reconcile_error_retryable', 'delete_error_retryable') and not held`,
    `create index runtimes_pending on runtimes (status_since)
      where status in ('reconcile_pending', 'delete_pending') and not held`,

    // A configuration is one of its cluster: rows that name both name a pair that exists.
    'alter table cluster_configs add constraint cluster_configs_pair_pkey unique (version, cluster_version)',
    `alter table cluster_statuses
      drop constraint cluster_statuses_config_version_fkey,
      add foreign key (config_version, cluster_version) references cluster_configs (version, cluster_version) on delete cascade`,
    `alter table runtimes
      drop constraint runtimes_config_version_fkey,
      add foreign key (config_version, cluster_version) references cluster_configs (version, cluster_version)`,
    'create index reconciliations_by_config on reconciliations (config_version)',
    `alter table reconciliations
      add foreign key (config_version, cluster_version) references cluster_configs (version, cluster_version) on delete cascade`,
  ],
};
