import { sql } from 'kysely';
import { type Deps, messageOf } from '../../../../framework/base/index.ts';

import { createBatcher } from '../database/create-batcher.ts';
import type { Database } from '../database/database.ts';
import type { ChangeContext } from '../reconciliations/context.ts';
import { markOrphans } from '../reconciliations/end-attempts.ts';
import type { ClaimedOperation } from './claim-operations.ts';

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

export interface ClaimKeeperOptions extends ChangeContext, Pick<Deps, 'clock'> {
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
