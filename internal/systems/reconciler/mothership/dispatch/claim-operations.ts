import { sql } from 'kysely';
import type { Queries, Store } from '../database/database.ts';
import type { Metadata } from '../model/cluster.ts';
import { componentLimits } from '../model/component-limits.ts';
import type { Operation } from '../model/reconciliation.ts';
import { stateIn } from '../reconciliations/context.ts';

const OPERATION_COLUMNS = [
  'scheduling_id',
  'correlation_id',
  'runtime_id',
  'cluster_version',
  'config_version',
  'component',
  'type',
  'attempts',
  'retries',
  'fencing_token',
  'parameters',
  'debug',
] as const satisfies (keyof Operation)[];

/** An operation that this process has claimed, with what its task needs. */
export interface ClaimedOperation extends Pick<Operation, (typeof OPERATION_COLUMNS)[number]> {
  readonly kyma_version: string;
  readonly kyma_profile: string | null;
  readonly components: string;
  readonly components_key: string;
  readonly kubeconfig: string | null;
  readonly kubeconfig_key: string | null;
  readonly metadata: Metadata;
  /** The name of the registration. */
  readonly runtime_name: string | null;
  readonly cluster_deleted: boolean;
  /** Components of the reconciliation that are done. */
  readonly components_ready: readonly string[];
}

interface ClaimOptions {
  /** Name of this process. */
  readonly claimedBy: string;
  /** At most so many. */
  readonly limit: number;
  /** Time for which the claim holds, in ms: until then nothing else claims the operation. */
  readonly leaseMs: number;
  readonly maxParallelByComponent: Readonly<Record<string, number>>;
  /** Id of the encryption key that signs tokens of callbacks; default: not stored. */
  readonly tokenKey?: string;
}

const isClaimable = sql`released and ${stateIn('new', 'orphan', 'client_error')} and next_attempt_at <= now()`;

/**
 * Claims operations in the order of the queue. Each is claimed once, whatever the number of processes: others skip its row
 * while it is locked, and find it in progress afterwards. The claim has a new fencing token.
 */
export async function claimOperations(store: Store, options: ClaimOptions): Promise<ClaimedOperation[]> {
  const { limit } = options;
  const limits = componentLimits(options.maxParallelByComponent);
  const limited = [...limits.keys()];
  const claimed = await claim(
    store.queries,
    options,
    limit,
    sql`lower(component) <> all(${limited}::text[])`,
  );
  if (limited.length === 0 || claimed.length === limit) return claimed;
  const waiting = await sql<{ component: string }>`
    select distinct lower(component) as component from operations
    where ${isClaimable} and lower(component) = any(${limited}::text[])
  `.execute(store.queries);
  for (const { component } of waiting.rows) {
    const free = limit - claimed.length;
    if (free === 0) break;
    claimed.push(
      ...(await claimLimited(store, {
        ...options,
        component,
        free,
        maxParallel: limits.get(component) ?? free,
      })),
    );
  }
  return claimed;
}

/** Claims of a component with a limit take turns over all processes, so that they count what others claimed. */
async function claimLimited(
  store: Store,
  options: ClaimOptions & {
    /** In lower case. */
    readonly component: string;
    readonly free: number;
    readonly maxParallel: number;
  },
): Promise<ClaimedOperation[]> {
  const { component, free, maxParallel } = options;
  return store.transaction(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${component}, 36))`.execute(tx);
    const { running } = await tx
      .selectFrom('operations')
      .select(({ fn }) => fn.countAll<number>().as('running'))
      .where(sql`lower(component)`, '=', component)
      .where('state', 'in', ['in_progress', 'failed'])
      .executeTakeFirstOrThrow();
    const limit = Math.min(free, maxParallel - running);
    if (limit <= 0) return [];
    return claim(tx, options, limit, sql`lower(component) = ${component}`);
  });
}

async function claim(
  queries: Queries,
  { claimedBy, leaseMs, tokenKey = '' }: ClaimOptions,
  limit: number,
  condition: ReturnType<typeof sql>,
): Promise<ClaimedOperation[]> {
  const { rows } = await sql<ClaimedOperation>`
    with picked as (
      select scheduling_id, correlation_id from operations
      where ${isClaimable} and ${condition}
      order by rank, next_attempt_at limit ${limit} for update skip locked
    ), claimed as (
      update operations o set
        state = 'in_progress', reason = null, released = false, attempts = attempts + 1,
        fencing_token = fencing_token + 1, picked_by = ${claimedBy}, sent = false, token_key = nullif(${tokenKey}, ''), heartbeat_at = null,
        picked_up = coalesce(picked_up, clock_timestamp()),
        lease_until = clock_timestamp() + ${leaseMs}::float8 * interval '1 ms', updated = clock_timestamp()
      from picked
      where o.scheduling_id = picked.scheduling_id and o.correlation_id = picked.correlation_id
      returning o.*
    )
    select ${sql.join(OPERATION_COLUMNS.map((column) => sql.ref(`claimed.${column}`)))}, k.kyma_version, k.kyma_profile, k.components, k.components_key,
      c.kubeconfig, c.kubeconfig_key, c.metadata, c.runtime->>'name' as runtime_name, coalesce(c.deleted, true) as cluster_deleted,
      (
        select coalesce(jsonb_agg(d.component order by d.component), '[]') from operations d
        where d.scheduling_id = claimed.scheduling_id and d.state = 'done'
      ) as components_ready
    from claimed
    left join cluster_configs k on k.version = claimed.config_version
    left join clusters c on c.version = claimed.cluster_version
    order by claimed.rank, claimed.next_attempt_at
  `.execute(queries);
  return rows;
}
