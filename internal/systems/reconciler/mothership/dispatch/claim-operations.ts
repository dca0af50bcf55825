import { sql } from 'kysely';
import { type Deps, messageOf } from '../../../../framework/base/index.ts';
import { createBatcher } from '../database/create-batcher.ts';
import type { Database, Queries, Store } from '../database/database.ts';
import type { Metadata } from '../model/cluster.ts';
import { componentLimits, type Operation } from '../model/reconciliation.ts';
import { type ChangeContext, stateIn } from '../reconciliations/continue-reconciliations.ts';
import { markOrphans } from '../reconciliations/end-attempts.ts';

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

/** Time that a claim holds without renewal, in ms. */
const CLAIM_LEASE_MS = 10_000;
/** Renewals within one lease. */
const RENEWALS = 3;

type Claim = Pick<ClaimedOperation, 'scheduling_id' | 'correlation_id' | 'fencing_token'>;

/** The claims of this process, from the claim until the task was sent. */
export interface ClaimKeeper {
  /** The lease of a new claim, in ms. */
  readonly leaseMs: number;
  /** @param claimedAt when the claim was asked for, by the monotonic clock */
  add(operation: Claim, claimedAt: number): void;
  /** Whether no other process can have taken the operation: it may be sent. */
  holds(operation: Claim): boolean;
  /**
   * Stores that the task was sent, or may have been: only a component reconciler that gives no sign of life until the orphan
   * timeout loses it then. Repeated until it is stored.
   */
  markSent(operation: Claim): Promise<void>;
  /** Forgets a claim at the end of its dispatch, unless it has to be stored that its task was sent. */
  release(operation: Claim): void;
  /** Renews the claims, and takes back those of processes that have ended. Returns the function that stops it. */
  start(): () => void;
}

interface ClaimKeeperOptions extends ChangeContext, Pick<Deps, 'clock'> {
  readonly database: Database;
}

interface Held {
  readonly claim: Claim;
  renewedAt: number;
  isSent: boolean;
}

/**
 * A claim is a short lease of the process that prepares and sends the task: the operations of a process that was killed are sent by
 * another one within seconds.
 *
 * After an outage of the database nothing is taken back until this process has used it for a whole interval: others renew their
 * claims meanwhile.
 */
export function createClaimKeeper(options: ClaimKeeperOptions): ClaimKeeper {
  const { database, clock, log, settings } = options;
  const leaseMs = Math.min(CLAIM_LEASE_MS, settings.orphanTimeoutMs);
  const intervalMs = leaseMs / RENEWALS;
  const held = new Map<string, Held>();
  const storeSent = createBatcher({
    keyOf: ({ correlation_id }: Claim) => correlation_id,
    run: async (claims) => {
      await extend(database, claims, { sent: true, leaseMs: settings.orphanTimeoutMs });
      return claims;
    },
  });
  let usableSince = clock.monotonic();

  const markSent = async (claim: Claim) => {
    const entry = held.get(claim.correlation_id);
    if (entry !== undefined) entry.isSent = true;
    await storeSent(claim);
    held.delete(claim.correlation_id);
  };

  const renew = async () => {
    const entries = [...held.values()].filter(({ isSent }) => !isSent);
    if (entries.length === 0) return;
    const renewedAt = clock.monotonic();
    const renewed = await extend(
      database,
      entries.map(({ claim }) => claim),
      { sent: false, leaseMs },
    );
    for (const entry of entries) if (renewed.has(entry.claim.correlation_id)) entry.renewedAt = renewedAt;
  };

  const round = async () => {
    const wasUsable = clock.monotonic() - usableSince < leaseMs;
    await renew();
    await Promise.all([...held.values()].filter(({ isSent }) => isSent).map(({ claim }) => markSent(claim)));
    if (wasUsable) await markOrphans(database, options, 'claimed');
    usableSince = clock.monotonic();
  };

  return {
    leaseMs,
    add: (claim, claimedAt) => held.set(claim.correlation_id, { claim, renewedAt: claimedAt, isSent: false }),
    holds: ({ correlation_id }) => {
      const { renewedAt = Number.NEGATIVE_INFINITY } = held.get(correlation_id) ?? {};
      return clock.monotonic() - renewedAt < leaseMs;
    },
    markSent,
    release: ({ correlation_id }) => {
      if (held.get(correlation_id)?.isSent === false) held.delete(correlation_id);
    },
    start: () => {
      let isStopped = false;
      let cancel = () => {};
      const next = () => {
        if (isStopped) return;
        cancel = clock.after(intervalMs, () => {
          round()
            .catch((error: unknown) => log.info('cannot renew claims', { error: messageOf(error) }))
            .finally(next);
        });
      };
      usableSince = clock.monotonic();
      next();
      return () => {
        isStopped = true;
        cancel();
      };
    },
  };
}

/**
 * Extends the leases of claims that nothing else has taken. One that was taken back, but not claimed again, is in progress when its
 * task was sent. Returns the correlation ids of those that were extended.
 */
async function extend(
  { queries }: Pick<Database, 'queries'>,
  claims: readonly Claim[],
  { sent, leaseMs }: { readonly sent: boolean; readonly leaseMs: number },
): Promise<ReadonlySet<string>> {
  const states = sent ? ['in_progress', 'orphan'] : ['in_progress'];
  const keys = claims.map(({ scheduling_id, correlation_id, fencing_token }) => ({
    scheduling_id,
    correlation_id,
    fencing_token,
  }));
  const { rows } = await sql<{ correlation_id: string }>`
    update operations o set state = 'in_progress', released = false, sent = ${sent},
      lease_until = clock_timestamp() + ${leaseMs}::float8 * interval '1 ms', updated = clock_timestamp()
    from jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) as c(scheduling_id text, correlation_id text, fencing_token bigint)
    where o.scheduling_id = c.scheduling_id and o.correlation_id = c.correlation_id and o.fencing_token = c.fencing_token
      and o.state = any(${states}::text[]) and not o.sent and not o.finished
    returning o.correlation_id
  `.execute(queries);
  return new Set(rows.map(({ correlation_id }) => correlation_id));
}
