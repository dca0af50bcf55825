import type pg from 'pg';

/** Clusters of the same state each time, without those that a mothership has already. None of them runs within a day. */
export async function fillClusters(client: pg.Client, count: number): Promise<void> {
  for (const statement of STATEMENTS) await client.query(statement, [count]);
}

const KIND = `case n % 25 when 3 then 'failing' when 2 then 'working' when 7 then 'held' else 'ready' end`;
const REASON = `(array['deployment istio-system/istiod is not ready: 1 of 2 replicas after 300 s',
  'eventing/templates/nats.yaml:17:22: nil pointer evaluating interface {}.size',
  'GET https://api.cluster-' || n || '.example.org/version: connect ETIMEDOUT 10.0.0.7:443'])[1 + n / 25 % 3]`;

const STATEMENTS = [
  `with new as (
     select n, 'cluster-' || lpad(n::text, 5, '0') as id, ${KIND} as kind from generate_series(1, $1::int) n
     where not exists (select 1 from mothership.clusters where runtime_id = 'cluster-' || lpad(n::text, 5, '0'))
   ), added as (
     insert into mothership.clusters (runtime_id, runtime, metadata, contract)
     select id, '{}', jsonb_build_object('shootName', 'shoot-' || n), 1 from new returning version, runtime_id
   ), configs as (
     insert into mothership.cluster_configs (runtime_id, cluster_version, kyma_version, components, components_key, administrators, contract)
     select runtime_id, version, '2.19.0', 'x', 'x', '[]', 1 from added returning version, cluster_version, runtime_id
   ), statuses as (
     insert into mothership.cluster_statuses (runtime_id, cluster_version, config_version, status)
     select runtime_id, cluster_version, version, 'ready' from configs returning id, cluster_version, config_version, runtime_id
   )
   insert into mothership.runtimes (runtime_id, cluster_version, config_version, status_id, status, status_since, kyma_version,
     runtime_name, global_account_id, plan_name, next_run_at, components, last_failed, failed_components, last_result_at, held)
   select new.id, cluster_version, config_version, s.id, case kind when 'failing' then 'error' when 'working' then 'reconciling' else 'ready' end,
     now() - interval '150 min', case kind when 'held' then '2.19.1' else (array['2.19.1', '2.19.0', '2.18.3'])[1 + n % 3] end, 'shop-' || lpad(n::text, 5, '0'), 'account-' || n % 40, 'aws',
     case kind when 'held' then now() - interval '1 h' else now() + interval '36 h' end, '["istio", "eventing", "serverless", "telemetry", "api-gateway", "keda", "btp-operator"]',
     kind = 'failing', case kind when 'failing' then jsonb_build_array(case n / 25 % 3 when 0 then 'istio' else 'eventing' end) else '[]' end,
     now() - interval '150 min', kind = 'held'
   from new join statuses s on s.runtime_id = new.id`,
  `with runs as (
     insert into mothership.reconciliations (scheduling_id, runtime_id, cluster_version, config_version, config_status_id, type,
       kyma_version, status, finished, created, finished_at)
     select 'run-' || runtime_id, runtime_id, cluster_version, config_version, status_id, 'reconcile', kyma_version, status,
       status <> 'reconciling', ended - (20 + n % 7 * 9) * interval '1 s', case when status <> 'reconciling' then ended end
     from (select r.*, right(runtime_id, 5)::int as n, now() - right(runtime_id, 5)::int % 59 * interval '1 min' as ended
       from mothership.runtimes r where runtime_id ~ '^cluster-') r
     where not exists (select 1 from mothership.reconciliations x where x.runtime_id = r.runtime_id) and $1::int > 0
     returning scheduling_id, runtime_id, cluster_version, config_version, status, finished, right(runtime_id, 5)::int as n
   )
   insert into mothership.operations (scheduling_id, correlation_id, runtime_id, cluster_version, config_version, component, type, priority,
     state, reason, retry_id, finished, processing_duration, sent, lease_until, picked_up, progress, attempts)
   select scheduling_id, 'only', runtime_id, cluster_version, config_version,
     case when finished and n / 25 % 3 = 0 then 'istio' else 'eventing' end, 'reconcile', 1,
     case when finished then 'error' else 'in_progress' end, case when finished then ${REASON} end, 'x', finished, 40000, not finished,
     case when not finished then now() + interval '1 day' end, case when not finished then now() - interval '90 min' end,
     case when not finished then '{"message": "waiting for StatefulSet kyma-system/eventing-nats"}'::jsonb end, 1
   from runs where status in ('error', 'reconciling')`,
  `insert into mothership.rollouts (id, kind, name, reason, clusters, failed_clusters, paused_at)
   select 'paused', 'version', '2.19.1', '12 of 40 clusters with a result in the last hour failed', 40, 12, now() - interval '150 min'
   where $1::int > 100 on conflict do nothing`,
];
