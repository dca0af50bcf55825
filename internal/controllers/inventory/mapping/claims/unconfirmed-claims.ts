import type { Deps } from '../../../../base/deps.ts';

/**
 * Resources that a new process finds on record with a mapping, and whose credentials HANA Cloud has not answered yet. Proof
 * is in memory, so after a start or a failover an honest owner is among them for a moment. Only that moment is waited for:
 * whoever never proves its claim delays others once, and takes nothing.
 */
export interface UnconfirmedClaims {
  /** @param initial whether the first list held it: what comes later is not unproven for want of memory */
  add(uid: string, initial: boolean): void;
  /** The claim is proven, refused or gone. */
  settle(uid: string): void;
  /** This process reconciles: a replica that only follows its caches proves nothing, so its time does not count. */
  begin(): void;
  /** Those that may yet prove their claims. */
  awaited(): readonly string[];
  /** Calls `onChange` when one is settled. The returned function ends it. */
  subscribe(onChange: () => void): () => void;
}

/** How long a claim on record is waited for, in ms: the first reconciles of thousands of resources take that long. */
const CONFIRMATION_TIMEOUT_MS = 120_000;

export function createUnconfirmedClaims({ clock }: Pick<Deps, 'clock'>): UnconfirmedClaims {
  /** With the time when each became known. */
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
