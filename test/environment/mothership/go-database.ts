/** A database as the 17 migrations of the Go program leave it, with clusters in every state. */
import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from '../../../internal/systems/reconciler/mothership/database/database.ts';
import { CLUSTER_STATUSES } from '../../../internal/systems/reconciler/mothership/model/cluster.ts';
import { clusterDocument } from './test-mothership.ts';

/** Content of the key file of the Go program. */
export const goKey = 'ab'.repeat(32);

const time = "timestamp without time zone default (now() at time zone 'utc')";

const SCHEMA = `
  create table public.schema_migrations (version bigint primary key, dirty boolean not null);
  insert into public.schema_migrations values (17, false);
  create table public.inventory_clusters (
    version serial unique, runtime_id text not null, runtime text not null, metadata text not null,
    kubeconfig text not null, contract integer not null, deleted boolean default false, created ${time},
    primary key (runtime_id, version)
  );
  create table public.inventory_cluster_configs (
    version serial unique, runtime_id text not null, cluster_version integer not null, kyma_version text not null,
    kyma_profile text, components text, administrators text, contract integer not null, deleted boolean default false,
    created ${time}, primary key (runtime_id, cluster_version, version),
    foreign key (runtime_id, cluster_version) references public.inventory_clusters (runtime_id, version)
      on update cascade on delete cascade
  );
  create table public.inventory_cluster_config_statuses (
    id serial primary key, runtime_id text not null, cluster_version integer not null, config_version integer not null,
    status text not null, deleted boolean default false, created ${time},
    foreign key (runtime_id, cluster_version, config_version)
      references public.inventory_cluster_configs (runtime_id, cluster_version, version)
      on update cascade on delete cascade
  );
  create table public.scheduler_reconciliations (
    scheduling_id varchar(255) primary key, lock varchar(255) unique, runtime_id varchar(255) not null,
    cluster_config integer not null, cluster_config_status integer, finished boolean default false, created ${time},
    updated ${time}, status text not null,
    foreign key (cluster_config_status) references public.inventory_cluster_config_statuses (id)
      on update cascade on delete cascade
  );
  create table public.scheduler_operations (
    priority integer not null, scheduling_id varchar(255) not null, correlation_id varchar(255) not null,
    runtime_id varchar(255) not null, cluster_config integer not null, component varchar(255) not null,
    state varchar(255) not null, reason text, created ${time}, updated ${time}, type varchar(255) not null,
    retry_id varchar(255) not null, retries integer not null, picked_up ${time},
    processing_duration integer default 0, debug boolean default false, primary key (scheduling_id, correlation_id),
    foreign key (scheduling_id) references public.scheduler_reconciliations (scheduling_id)
      on update cascade on delete cascade
  );
  create table public.config_keys (
    version serial unique, key text not null, data_type varchar(255) not null, encrypted boolean default false,
    username varchar(255) not null, trigger text, validator text, created ${time}, primary key (key, version)
  );
  insert into public.config_keys (key, data_type, username) values ('a', 'string', 'b');
`;

/** One component in the Go program's JSON: lists without elements are `null`. */
const component = { URL: '', component: 'a', configuration: null, namespace: 'kyma-system', version: '' };

/** Makes the schema and the rows. Runtimes are named after their status; `gone` was deleted, `stuck` lost its run. */
export async function fillGoDatabase({ queries }: Pick<Database, 'queries'>): Promise<void> {
  await sql.raw(SCHEMA).execute(queries);
  for (const status of CLUSTER_STATUSES) await addCluster(queries, status, status);
  await addCluster(queries, 'unknown', 'some text of a client');
  const gone = await addCluster(queries, 'gone', 'deleted');
  await sql`
    update public.inventory_clusters set runtime_id = 'deleted_1_gone', deleted = true where version = ${gone.version}
  `.execute(queries);
  await addCluster(queries, 'stuck', 'reconciling');
  const running = await addCluster(queries, 'running', 'reconciling');
  await addReconciliation(queries, { runtimeId: 'running', ...running, finished: false }, [
    ['CRDs', 1, 'done'],
    ['a', 2, 'in_progress'],
    ['b', 2, 'failed'],
    ['c', 2, 'client_error'],
    ['d', 2, 'orphan'],
    ['e', 2, 'new'],
    ['f', 3, 'new'],
  ]);
  const ended = await addCluster(queries, 'ended', 'error');
  await addReconciliation(queries, { runtimeId: 'ended', ...ended, finished: true }, [
    ['CRDs', 1, 'done'],
    ['a', 2, 'error'],
  ]);
}

type Queries = Database['queries'];
interface Versions {
  readonly version: number;
  readonly config: number;
  readonly status: number;
}

async function addCluster(queries: Queries, runtimeId: string, status: string): Promise<Versions> {
  const { runtimeInput, metadata, kymaConfig } = clusterDocument(runtimeId);
  const cluster = await sql<{ version: number }>`
    insert into public.inventory_clusters (runtime_id, runtime, metadata, kubeconfig, contract)
    values (${runtimeId}, ${JSON.stringify(runtimeInput)}, ${JSON.stringify(metadata)},
      ${encrypt(`kubeconfig of ${runtimeId}`)}, 1) returning version
  `.execute(queries);
  const version = cluster.rows[0]?.version ?? 0;
  const configs = await sql<{ version: number }>`
    insert into public.inventory_cluster_configs (runtime_id, cluster_version, kyma_version, kyma_profile, components,
      administrators, contract)
    values (${runtimeId}, ${version}, ${kymaConfig.version}, ${kymaConfig.profile},
      ${encrypt(JSON.stringify([component]))}, ${JSON.stringify(kymaConfig.administrators)}, 1) returning version
  `.execute(queries);
  const config = configs.rows[0]?.version ?? 0;
  const statuses = await sql<{ id: number }>`
    insert into public.inventory_cluster_config_statuses (runtime_id, cluster_version, config_version, status)
    values (${runtimeId}, ${version}, ${config}, 'reconcile_pending'), (${runtimeId}, ${version}, ${config}, ${status})
    returning id
  `.execute(queries);
  return { version, config, status: statuses.rows[1]?.id ?? 0 };
}

async function addReconciliation(
  queries: Queries,
  input: Versions & { readonly runtimeId: string; readonly finished: boolean },
  operations: readonly (readonly [component: string, priority: number, state: string])[],
): Promise<void> {
  const { runtimeId, config, status, finished } = input;
  const id = `${runtimeId}--1`;
  await sql`
    insert into public.scheduler_reconciliations (scheduling_id, lock, runtime_id, cluster_config, cluster_config_status,
      finished, status)
    values (${id}, ${finished ? `unlock-${id}` : runtimeId}, ${runtimeId}, ${config}, ${status}, ${finished},
      ${finished ? 'error' : 'reconciling'})
  `.execute(queries);
  for (const [name, priority, state] of operations) {
    await sql`
      insert into public.scheduler_operations (priority, scheduling_id, correlation_id, runtime_id, cluster_config,
        component, state, reason, type, retry_id, retries)
      values (${priority}, ${id}, ${`${runtimeId}--${name}`}, ${runtimeId}, ${config}, ${name}, ${state},
        ${state === 'error' ? 'broken' : null}, 'reconcile', 'r', 0)
    `.execute(queries);
  }
}

/** As the Go program encrypts. */
function encrypt(plain: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(goKey, 'hex'), nonce);
  const sealed = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return createHash('md5').update(goKey).digest('hex').slice(0, 15) + sealed.toString('hex');
}
