import type { Migration } from './migration.ts';

/** Priorities and ranks are small numbers; a fencing token grows with each claim. */
export const scheduler: Migration = {
  version: 2,
  name: 'scheduler',
  statements: [
    `create table reconciliations (
      scheduling_id text primary key,
      runtime_id text not null,
      cluster_version bigint not null,
      config_version bigint not null,
      config_status_id bigint not null references cluster_statuses on delete cascade,
      type text not null,
      kyma_version text not null,
      rank integer not null default 0,
      status text not null,
      finished boolean not null default false,
      current_priority integer not null default 1,
      max_parallel integer,
      reason text,
      created timestamptz not null default clock_timestamp(),
      updated timestamptz not null default clock_timestamp(),
      finished_at timestamptz
    )`,
    // At most one run of a cluster at a time, whatever the processes do.
    'create unique index reconciliations_running on reconciliations (runtime_id) where not finished',
    'create index reconciliations_by_runtime on reconciliations (runtime_id, created)',
    'create index reconciliations_by_status on reconciliations (status, created)',
    'create index reconciliations_by_time on reconciliations (created)',
    'create index reconciliations_by_status_id on reconciliations (config_status_id)',
    'create index reconciliations_finished on reconciliations (finished_at) where finished',

    `create table operations (
      scheduling_id text not null references reconciliations on delete cascade,
      correlation_id text not null,
      runtime_id text not null,
      cluster_version bigint not null,
      config_version bigint not null,
      component text not null,
      type text not null,
      priority integer not null,
      rank integer not null default 0,
      state text not null default 'new',
      reason text,
      released boolean not null default false,
      attempts integer not null default 0,
      next_attempt_at timestamptz not null default clock_timestamp(),
      picked_by text,
      picked_up timestamptz,
      lease_until timestamptz,
      fencing_token bigint not null default 0,
      retries integer not null default 0,
      retry_id text not null,
      heartbeat_at timestamptz,
      progress jsonb,
      processing_duration integer not null default 0,
      parameters jsonb,
      debug boolean not null default false,
      created timestamptz not null default clock_timestamp(),
      updated timestamptz not null default clock_timestamp(),
      primary key (scheduling_id, correlation_id)
    )`,
    'create index operations_by_correlation on operations (correlation_id)',
    'create index operations_by_time on operations (created)',
    // The queue: what may be claimed, in its order.
    `create index operations_claimable on operations (rank, next_attempt_at)
      where released and state in ('new', 'orphan', 'client_error')`,
    // What is at a component reconciler, by the end of its lease.
    `create index operations_leased on operations (lease_until)
      where state in ('in_progress', 'failed', 'client_error')`,
    "create index operations_ended on operations (component, updated) where state in ('done', 'error')",

    `create table worker_pool_occupancy (
      worker_pool_id text primary key,
      component text not null,
      running_workers integer not null check (running_workers >= 0),
      worker_pool_capacity integer not null check (worker_pool_capacity >= running_workers),
      created timestamptz not null default clock_timestamp(),
      updated timestamptz not null default clock_timestamp()
    )`,
  ],
};
