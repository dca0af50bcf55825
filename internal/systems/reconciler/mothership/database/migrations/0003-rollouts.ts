import type { Migration } from './migration.ts';

/** What scheduling and the pause of rollouts know of a cluster without a look at its history. */
export const rollouts: Migration = {
  version: 3,
  name: 'rollouts',
  statements: [
    "alter table runtimes add column components jsonb not null default '[]'",
    'alter table runtimes add column pending_cause text',
    'alter table runtimes add column last_result_at timestamptz',
    'alter table runtimes add column last_failed boolean not null default false',
    "alter table runtimes add column failed_components jsonb not null default '[]'",
    `create index runtimes_due on runtimes (next_run_at)
      where status in ('ready', 'reconcile_error_retryable', 'delete_error_retryable')`,
    'create index runtimes_results on runtimes (kyma_version, last_result_at)',

    // For the limit of a component over all clusters.
    "create index operations_running on operations (component) where state in ('in_progress', 'failed')",

    `create table rollouts (
      id text primary key,
      kind text not null check (kind in ('version', 'component')),
      name text not null,
      reason text not null,
      clusters integer not null,
      failed_clusters integer not null,
      paused_at timestamptz not null default clock_timestamp(),
      resumed_at timestamptz,
      resumed_by text
    )`,
    'create unique index rollouts_paused on rollouts (kind, name) where resumed_at is null',
    'create index rollouts_by_time on rollouts (kind, name, resumed_at)',
  ],
};
