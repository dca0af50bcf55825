import type { Migration } from './migration.ts';

/** Whose share of every limit a cluster takes, and who a paused rollout is for: one tenant, or all (an empty text). */
export const tenants: Migration = {
  version: 5,
  name: 'tenants',
  statements: [
    "alter table runtimes add column tenant text not null default ''",
    `update runtimes r set tenant = case
        when r.runtime_name ~ '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?/' and split_part(r.runtime_name, '/', 1) <> 'kcp-system'
          then 'namespace ' || split_part(r.runtime_name, '/', 1)
        when coalesce(c.metadata ->> 'globalAccountID', '') <> '' then 'account ' || (c.metadata ->> 'globalAccountID')
        when coalesce(c.metadata ->> 'subAccountID', '') <> '' then 'account ' || (c.metadata ->> 'subAccountID')
        else 'cluster ' || r.runtime_id end
      from clusters c where c.version = r.cluster_version`,

    "alter table operations add column tenant text not null default ''",
    // How many operations of a tenant have not ended.
    `create index operations_open on operations (tenant)
      where state in ('new', 'in_progress', 'failed', 'client_error', 'orphan') and not finished`,

    "alter table rollouts add column tenant text not null default ''",
    'drop index rollouts_paused',
    'create unique index rollouts_paused on rollouts (kind, name, tenant) where resumed_at is null',
  ],
};
