import type { Deps } from '../../base/deps.ts';

/**
 * Resources with a recorded claim that the external API has not confirmed since the process started. Confirmations are in
 * memory, so after a start or failover every claim is unconfirmed. Others wait for it only once, for a limited time.
 */
export interface UnconfirmedClaims {
  /**
   * For every change of a resource whose claim is recorded and not confirmed. On a standby replica all of them count,
   * since the leader may have confirmed any. After `begin` only those of a first list count: later ones never had a
   * confirmation to lose.
   *
   * @param initial whether the event is part of the first list
   */
  add(uid: string, initial: boolean): void;
  /** The claim is confirmed, refused or removed. */
  settle(uid: string): void;
  /** Starts the timeout. Called at the first reconcile, since a standby replica confirms nothing. */
  begin(): void;
  /** The uids of claims that can still be confirmed in time. */
  awaited(): readonly string[];
  /** Calls `onChange` when a claim is settled. The returned function ends the subscription. */
  subscribe(onChange: () => void): () => void;
}

/** How long a recorded claim is waited for, in ms. The first reconciles of thousands of resources take that long. */
const CONFIRMATION_TIMEOUT_MS = 120_000;

export function createUnconfirmedClaims({ clock }: Pick<Deps, 'clock'>): UnconfirmedClaims {
  /** uid → monotonic time when the claim was last added. */
  const claims = new Map<string, number>();
  const listeners = new Set<() => void>();
  let beganAt: number | undefined;
  return {
    add: (uid, initial) => {
      if (initial || beganAt === undefined) claims.set(uid, clock.monotonic());
    },
    settle: (uid) => {
      if (!claims.delete(uid)) return;
      for (const listener of [...listeners]) listener();
    },
    begin: () => {
      beganAt ??= clock.monotonic();
    },
    awaited: () => {
      if (beganAt === undefined) return [...claims.keys()];
      for (const [uid, knownAt] of claims) {
        if (clock.monotonic() - Math.max(knownAt, beganAt) >= CONFIRMATION_TIMEOUT_MS) claims.delete(uid);
      }
      return [...claims.keys()];
    },
    subscribe: (onChange) => {
      const own = () => onChange();
      listeners.add(own);
      return () => {
        listeners.delete(own);
      };
    },
  };
}
