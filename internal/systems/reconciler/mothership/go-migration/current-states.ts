import { sql, type Transaction } from 'kysely';
import type { Schema } from '../database/schema/schema.ts';
import type { Keyring } from '../encryption/keyring.ts';
import { appendStatus } from '../inventory/append-status.ts';
import { decryptComponents } from '../inventory/cluster-states.ts';

/** Adds the current state of each registered cluster: the newest status of the newest configuration of its newest version. */
export async function addCurrentStates(tx: Transaction<Schema>, keyring: Keyring): Promise<void> {
  await sql`
    insert into runtimes (runtime_id, cluster_version, config_version, status_id, status, status_since, kyma_version,
      runtime_name, global_account_id, tenant, plan_name, error_count, pending_cause, created)
    select c.runtime_id, c.version, k.version, s.id, s.status, s.created, k.kyma_version,
      coalesce(c.runtime ->> 'name', ''), coalesce(c.metadata ->> 'globalAccountID', ''),
      coalesce(
        'account ' || coalesce(nullif(c.metadata ->> 'globalAccountID', ''), nullif(c.metadata ->> 'subAccountID', '')),
        'cluster ' || c.runtime_id
      ),
      coalesce(c.metadata ->> 'servicePlanName', ''),
      (
        select count(*) from cluster_statuses e where e.config_version = k.version and e.status like '%error%' and e.id > coalesce((
          select max(id) from cluster_statuses g where g.config_version = k.version and g.status in ('ready', 'deleted')
        ), 0)
      ),
      case s.status when 'delete_pending' then 'deletion'
        when 'reconcile_pending' then case when exists (
          select 1 from cluster_statuses g where g.runtime_id = c.runtime_id and g.status = 'ready'
        ) then 'upgrade' else 'registration' end
      end,
      (select min(created) from clusters f where f.runtime_id = c.runtime_id)
    from (select distinct on (runtime_id) * from clusters where not deleted order by runtime_id, version desc) c
    join lateral (
      select * from cluster_configs k where k.cluster_version = c.version and not k.deleted order by version desc limit 1
    ) k on true
    join lateral (
      select * from cluster_statuses s where s.config_version = k.version and not s.deleted order by id desc limit 1
    ) s on true
  `.execute(tx);
  const added = await tx
    .selectFrom('runtimes as r')
    .innerJoin('cluster_configs as k', 'k.version', 'r.config_version')
    .selectAll('r')
    .select(['k.components as sealed', 'k.components_key as sealedWith'])
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('reconciliations as x')
          .select('x.scheduling_id')
          .whereRef('x.runtime_id', '=', 'r.runtime_id')
          .where('x.finished', '=', false),
      ).as('runs'),
    )
    .execute();
  for (const runtime of added) {
    const { sealed, sealedWith } = runtime;
    const components = decryptComponents({ components: sealed, components_key: sealedWith }, keyring);
    await tx
      .updateTable('runtimes')
      .set({ components: JSON.stringify(components.map(({ component }) => component)) })
      .where('runtime_id', '=', runtime.runtime_id)
      .execute();
    // Its run was removed in the middle: nothing would end it.
    if (runtime.runs) continue;
    if (runtime.status === 'reconciling') await appendStatus(tx, runtime, 'reconcile_pending');
    if (runtime.status === 'deleting') await appendStatus(tx, runtime, 'delete_pending');
  }
}
