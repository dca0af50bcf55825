import type pg from 'pg';
import type { Keyring } from '../../../internal/systems/reconciler/mothership/encryption/keyring.ts';
import { COMPONENTS } from '../../../internal/systems/reconciler/mothership/inventory/cluster-states.ts';

/** Ids are as long as those of Kyma clusters. */
const PREFIX = '6f1c9d9e-2f0a-4f8c-8a3e-';

/** The id of a cluster by its number, which begins with 1. */
export const clusterIdOf = (number: number): string => `${PREFIX}${String(number).padStart(12, '0')}`;

const NAMES = ['istio', 'eventing', 'serverless', 'telemetry', 'api-gateway', 'keda', 'btp-operator'];

/**
 * Clusters of the same state each time, without those that a mothership has already. None of them runs within a day.
 *
 * @param keyring that of the mothership
 */
export async function fillClusters(client: pg.Client, count: number, keyring: Keyring): Promise<void> {
  const sealed = (replicas: number) => {
    const components = NAMES.map((component) => ({
      component,
      namespace: 'kyma-system',
      URL: '',
      version: '',
      configuration: [
        { key: 'global.replicas', value: replicas, secret: false },
        { key: 'global.password', value: `secret ${replicas}`, secret: true },
      ],
    }));
    return keyring.encrypt(JSON.stringify(components), COMPONENTS);
  };
  const [earlier, current] = [sealed(1), sealed(2)];
  const values = [count, earlier.text, current.text, current.keyId, JSON.stringify(NAMES)];
  for (const statement of STATEMENTS) {
    const used = values.slice(0, Math.max(...[...statement.matchAll(/\$(\d)/g)].map(([, n]) => Number(n))));
    await client.query(statement, used);
  }
  await alignRuns(client);
}

/** Moves the ends of runs, so that each minute until now has the same ones whenever this is called. */
export async function alignRuns(client: pg.Client): Promise<void> {
  await client.query(
    `update mothership.reconciliations x set finished_at = ended, created = ended - (20 + n % 7 * 9) * interval '1 s'
     from (
       select runtime_id, right(runtime_id, 5)::int as n,
         date_trunc('minute', now()) - right(runtime_id, 5)::int % 59 * interval '1 min' as ended
       from mothership.runtimes where starts_with(runtime_id, '${PREFIX}')
     ) r where r.runtime_id = x.runtime_id and x.finished`,
  );
}

const KIND = `case n % 25 when 3 then 'failing' when 2 then 'working' when 7 then 'held' else 'ready' end`;
const REASON = `(array['deployment istio-system/istiod is not ready: 1 of 2 replicas after 300 s',
  'eventing/templates/nats.yaml:17:22: nil pointer evaluating interface {}.size',
  'GET https://api.cluster-' || n || '.example.org/version: connect ETIMEDOUT 10.0.0.7:443'])[1 + n / 25 % 3]`;

const STATEMENTS = [
  `with new as (
     select n, '${PREFIX}' || lpad(n::text, 12, '0') as id, ${KIND} as kind from generate_series(1, $1::int) n
     where not exists (select 1 from mothership.clusters where runtime_id = '${PREFIX}' || lpad(n::text, 12, '0'))
   ), added as (
     insert into mothership.clusters (runtime_id, runtime, metadata, contract)
     select id, jsonb_build_object('name', 'shop-' || lpad(n::text, 5, '0'), 'description', ''),
       jsonb_build_object('shootName', 'shoot-' || n, 'globalAccountID', 'account-' || n % 40, 'subAccountID', 'subaccount-' || n,
         'instanceID', 'instance-' || n, 'region', 'eu-central-1'), 1 from new
     returning version, runtime_id
   ), configs as (
     insert into mothership.cluster_configs (runtime_id, cluster_version, kyma_version, kyma_profile, components, components_key,
       administrators, contract, created)
     select runtime_id, version, case earlier when true then '2.18.3' else '2.19.0' end, 'production',
       case earlier when true then $2 else $3 end, $4, '[]', 1, now() - case earlier when true then interval '30 days' else interval '3 days' end
     from added, (values (true), (false)) as e (earlier) order by version, earlier desc
     returning version, cluster_version, runtime_id
   ), newest as (
     select max(version) as version, cluster_version, runtime_id from configs group by 2, 3
   ), statuses as (
     insert into mothership.cluster_statuses (runtime_id, cluster_version, config_version, status, created)
     select runtime_id, cluster_version, newest.version, case kind when 'failing' then 'error' when 'working' then 'reconciling' else 'ready' end,
       now() - interval '150 min'
     from newest join new on new.id = runtime_id returning id, cluster_version, config_version, runtime_id
   )
   insert into mothership.runtimes (runtime_id, cluster_version, config_version, status_id, status, status_since, kyma_version,
     runtime_name, global_account_id, plan_name, next_run_at, components, last_failed, failed_components, last_result_at, held)
   select new.id, cluster_version, config_version, s.id, case kind when 'failing' then 'error' when 'working' then 'reconciling' else 'ready' end,
     now() - interval '150 min', case kind when 'held' then '2.19.1' else (array['2.19.1', '2.19.0', '2.18.3'])[1 + n % 3] end, 'shop-' || lpad(n::text, 5, '0'), 'account-' || n % 40, 'aws',
     case kind when 'held' then now() - interval '1 h' when 'ready' then now() + interval '36 h' end, $5::jsonb,
     kind = 'failing', case kind when 'failing' then jsonb_build_array(case n / 25 % 3 when 0 then 'istio' else 'eventing' end) else '[]' end,
     now() - interval '150 min', kind = 'held'
   from new join statuses s on s.runtime_id = new.id`,
  // What the page of a cluster shows of the days before; ids before those that exist.
  `insert into mothership.cluster_statuses (id, runtime_id, cluster_version, config_version, status, created)
   select -10 * right(runtime_id, 5)::int - k, runtime_id, cluster_version, config_version,
     (array['ready', 'reconciling', 'ready', 'reconciling'])[k], now() - (array[2, 2.2, 5, 5.1])[k] * interval '1 day'
   from mothership.runtimes r, generate_series(1, 4) k
   where starts_with(runtime_id, '${PREFIX}') and right(runtime_id, 5)::int <= least($1::int, 200) on conflict do nothing`,
  `with runs as (
     insert into mothership.reconciliations (scheduling_id, runtime_id, cluster_version, config_version, config_status_id, type,
       kyma_version, status, finished, created, finished_at)
     select runtime_id || '--' || md5(runtime_id)::uuid, runtime_id, cluster_version, config_version, status_id, 'reconcile', kyma_version, status,
       status <> 'reconciling', now() - interval '95 min', case when status <> 'reconciling' then now() end
     from mothership.runtimes r
     where starts_with(runtime_id, '${PREFIX}') and $1::int > 0
       and not exists (select 1 from mothership.reconciliations x where x.runtime_id = r.runtime_id)
     returning scheduling_id, runtime_id, cluster_version, config_version, status, finished, right(runtime_id, 5)::int as n
   )
   insert into mothership.operations (scheduling_id, correlation_id, runtime_id, cluster_version, config_version, component, type, priority,
     state, reason, retry_id, finished, processing_duration, sent, lease_until, picked_up, progress, attempts, created, updated)
   select scheduling_id, runtime_id || '--' || md5(runtime_id || component)::uuid, runtime_id, cluster_version, config_version, component, 'reconcile', priority, state,
     case when state = 'error' then ${REASON} end, 'x', finished, case when priority = 0 then 3000 else 40000 end, state <> 'new',
     case when state = 'in_progress' then now() + interval '1 day' end, case when state = 'in_progress' then now() - interval '90 min' end,
     case when state = 'in_progress' then '{"message": "waiting for StatefulSet kyma-system/eventing-nats"}'::jsonb end,
     case when state = 'new' then 0 else 1 end, now() - interval '95 min', now() - case when state = 'error' then interval '93 min' else interval '94 min' end
   from runs cross join lateral (
     values ('CRDs', 0, 'done'),
       (case when finished and n / 25 % 3 = 0 then 'istio' else 'eventing' end, 1, case when finished then 'error' else 'in_progress' end),
       ('serverless', 2, 'new'), ('telemetry', 2, 'new')
   ) o (component, priority, state)
   where status in ('error', 'reconciling')`,
  `insert into mothership.rollouts (id, kind, name, reason, clusters, failed_clusters, paused_at)
   select 'paused', 'version', '2.19.1', '12 of 40 clusters with a result in the last hour failed', 40, 12, now() - interval '150 min'
   where $1::int > 100 on conflict do nothing`,
];
